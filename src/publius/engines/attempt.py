"""Run a step so that a failure never carries a text out of it."""

import traceback
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, Protocol, TypeVar

from publius.core.errors import PubliusError, WorkerError
from publius.engines.engine import Result, Task
from publius.engines.split import Split


@dataclass(frozen=True, slots=True)
class Failure:
    """Why a step failed, in words that are safe to show."""

    error: PubliusError


class Numbered(Protocol):
    """Work with a number: rows in memory, or their address."""

    @property
    def number(self) -> int:
        """Its place in the release."""
        ...


Work = TypeVar("Work", bound=Numbered)


class SafeStep(Generic[Work, Result]):
    """Make the step when the first work comes, then apply it to everything."""

    def __init__(self, step_factory: Callable[[], Callable[[Work], Result]]) -> None:
        self._step_factory = step_factory
        self._step: Callable[[Work], Result] | None = None

    def attempt(self, shard: Work) -> Result | Failure:
        """Return the step's result, or what went wrong without quoting anything."""
        try:
            if self._step is None:
                self._step = self._step_factory()
            return self._step(shard)
        except PubliusError as error:
            return Failure(error)
        except MemoryError:
            return Failure(
                WorkerError(
                    f"memory ran out in shard {shard.number}; use fewer --workers"
                )
            )
        except Exception as error:  # noqa: BLE001 - its text may quote a secret
            return Failure(_unexpected(error, shard))


def attempted(task: Task[Result], split: Split) -> Result | Failure:
    """Apply a task to a split where another system would log what it raises."""
    return SafeStep(lambda: task).attempt(split)


def succeeded(outcome: Result | Failure) -> Result:
    """Return a result, or raise the failure that came in its place."""
    if isinstance(outcome, Failure):
        raise outcome.error
    return outcome


def _unexpected(error: Exception, shard: Numbered) -> WorkerError:
    frame = traceback.extract_tb(error.__traceback__)[-1]
    place = f"{Path(frame.filename).name}:{frame.lineno}"
    return WorkerError(
        f"shard {shard.number} failed with {type(error).__name__} at {place}; "
        "this is a fault of the program, please report it"
    )
