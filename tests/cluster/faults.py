"""What goes wrong on clusters, as tasks that workers can import."""

import os
import signal
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from publius.engines.split import Piece, Split
from publius.pipeline.part_task import PartTask

CANARY = "zqxcanary"


@dataclass(frozen=True)
class Fault:
    """A task that fails at one split, once; the mark says that it has."""

    task: PartTask
    mark: str
    at: int = 1

    def __call__(self, split: Split) -> object:
        if split.number != self.at:
            return self.task(split)
        if Path(self.mark).exists():
            return self.again(split)
        Path(self.mark).touch()
        return self.first(split)

    def first(self, split: Split) -> object:
        raise KeyError(CANARY, split)

    def again(self, split: Split) -> object:
        return self.task(split)


class Raises(Fault):
    """An error of the program that quotes a text."""


class Killed(Fault):
    """The worker dies before anything is committed."""

    def first(self, split: Split) -> object:
        os.kill(os.getpid(), signal.SIGKILL)
        return split


class CommittedThenKilled(Fault):
    """The worker dies after the commit, before it can tell."""

    def first(self, split: Split) -> object:
        self.task(split)
        os.kill(os.getpid(), signal.SIGKILL)
        return split


class Twice(Fault):
    """A speculative duplicate."""

    def first(self, split: Split) -> object:
        self.task(split)
        return self.task(split)


class Changed(CommittedThenKilled):
    """The second attempt meets other rows."""

    def again(self, split: Split) -> object:
        pieces = tuple(Piece(p.uri, p.first - 1, p.rows) for p in split.pieces)
        return self.task(split._replace(pieces=pieces))


@dataclass
class Bad:
    """An engine on which one fault happens."""

    engine: Any
    fault: type[Fault]
    mark: Path

    def run(self, task: Any, splits: Sequence[Split]) -> Iterator[Any]:
        if isinstance(task, PartTask):
            task = self.fault(task, str(self.mark))
        return self.engine.run(task, splits)

    def close(self) -> None:
        """Keep the engine."""
