"""What goes wrong on clusters, as tasks that workers can import."""

import os
import resource
import signal
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from publius.core.errors import DataError
from publius.engines.split import Piece, Split
from publius.engines.tally import Tally
from publius.pipeline.part_task import PartTask, TalliedPart

CANARY = "zqxcanary"
PATIENCE = 120.0


@dataclass(frozen=True)
class Fault:
    """A task that fails at one split, once; the mark says that it has."""

    task: Any
    mark: str
    at: int = 1

    def __call__(self, split: Split) -> object:
        if not self.is_due(split):
            return self.task(split)
        try:
            # Whoever makes the mark is the first.
            os.close(os.open(self.mark, os.O_CREAT | os.O_EXCL))
        except FileExistsError:
            return self.again(split)
        return self.first(split)

    def is_due(self, split: Split) -> bool:
        return split.number == self.at

    def first(self, split: Split) -> object:
        raise KeyError(CANARY, split)

    def again(self, split: Split) -> object:
        return self.task(split)


class Raises(Fault):
    """An error of the program that quotes a text."""


class Killed(Fault):
    """The worker dies in the middle, before anything is committed."""

    def first(self, split: Split) -> object:
        task = self.task.task if isinstance(self.task, TalliedPart) else self.task
        # Everything is drawn, and the process ends where it would commit.
        dying = replace(task, store=_Deadly())
        return dying(split)


class _Deadly:
    """A store in which nobody arrives."""

    def put(self, name: str, content: bytes) -> None:
        del name, content
        os.kill(os.getpid(), signal.SIGKILL)


class CommittedThenKilled(Fault):
    """The worker dies after the commit, before it can tell."""

    def first(self, split: Split) -> object:
        self.task(split)
        os.kill(os.getpid(), signal.SIGKILL)
        return split


class Twice(Fault):
    """A duplicate of a task on the same worker."""

    def first(self, split: Split) -> object:
        self.task(split)
        return self.task(split)


class Slow(Fault):
    """The first attempt waits until another one has committed, then does the same."""

    def first(self, split: Split) -> object:
        _await(Path(f"{self.mark}.again"))
        return self.task(split)

    def again(self, split: Split) -> object:
        done = self.task(split)
        Path(f"{self.mark}.again").touch()
        # The engine takes whichever ends first; both are the same.
        return done


class Changed(CommittedThenKilled):
    """The second attempt meets other rows."""

    def again(self, split: Split) -> object:
        pieces = tuple(p._replace(first=p.first - 1) for p in split.pieces)
        return self.task(split._replace(pieces=pieces))


class Rewritten(Fault):
    """The input is written anew while it is being released."""

    def first(self, split: Split) -> object:
        for piece in split.pieces:
            os.utime(piece.uri, ns=(1, 1))
        return self.task(split)


class Vanished(Fault):
    """A file of the input is not there any more."""

    def first(self, split: Split) -> object:
        gone = [Piece(p.uri + ".gone", p.first, p.rows, p.stamp) for p in split.pieces]
        return self.task(split._replace(pieces=tuple(gone)))


class FullDisk(Fault):
    """The system refuses to write what is written on one worker."""

    def first(self, split: Split) -> object:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        before = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (1000, before[1]))
        try:
            return self.task(split)
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, before)


class WorkerLost(Fault):
    """The machine on which a task runs ends: all that its engine started there."""

    def is_due(self, split: Split) -> bool:
        del split
        return not Path(self.mark).exists() and bool(_machine())

    def first(self, split: Split) -> object:
        for process in (*_machine(), os.getpid()):
            os.kill(process, signal.SIGKILL)
        return split


@dataclass(frozen=True)
class Fourth:
    """A task that refuses every fourth split, and leaves a mark of the others."""

    marks: str

    def __call__(self, split: Split) -> int:
        if not split.number % 4:
            raise DataError("bad")
        time.sleep(1)
        (Path(self.marks) / str(split.number)).touch()
        return split.number


@dataclass(frozen=True)
class OnGpu:
    """A task that tells its process and its GPUs, once another one is there too."""

    marks: str
    is_on_gpu: bool = True

    def __call__(self, _split: Split) -> tuple[int, tuple[str, ...]]:
        import ray  # noqa: PLC0415 - an extra

        here = Path(self.marks)
        (here / str(os.getpid())).touch()
        end = time.monotonic() + PATIENCE
        while len(list(here.iterdir())) < 2 and time.monotonic() < end:
            time.sleep(0.05)
        return os.getpid(), tuple(map(str, ray.get_gpu_ids()))


def _await(mark: Path) -> None:
    end = time.monotonic() + PATIENCE
    while not mark.exists() and time.monotonic() < end:
        time.sleep(0.05)


def _machine() -> list[int]:
    """Return the processes above this one that stand for its machine, topmost first."""
    above, here = [], os.getppid()
    while here > 1:
        command = Path(f"/proc/{here}/cmdline").read_bytes()
        if b"CoarseGrainedExecutorBackend" in command or b"worker.Worker" in command:
            above.append(here)
        if b"raylet" in command and b"--head" not in command:
            above.append(here)
        stat = Path(f"/proc/{here}/stat").read_text()
        here = int(stat.rpartition(")")[2].split()[1])
    return above[::-1]


@dataclass
class Bad:
    """An engine on which one fault happens."""

    engine: Any
    fault: type[Fault]
    mark: Path

    def run(self, task: Any, splits: Sequence[Split]) -> Iterator[Any]:
        return self.engine.run(self._faulty(task), splits)

    def run_tallied(
        self, task: Any, splits: Sequence[Split], tally: Tally
    ) -> Iterator[Any]:
        return self.engine.run_tallied(self._faulty(task), splits, tally)

    def _faulty(self, task: Any) -> Any:
        is_part = isinstance(task, PartTask | TalliedPart)
        return self.fault(task, str(self.mark)) if is_part else task

    def close(self) -> None:
        """Keep the engine."""
