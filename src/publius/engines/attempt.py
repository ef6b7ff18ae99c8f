"""Run a step so that a failure never carries a text out of it."""

import traceback
from dataclasses import dataclass
from pathlib import Path
from typing import Generic

from publius.core.errors import PubliusError, WorkerError
from publius.engines.engine import Result, Step, StepFactory
from publius.tables.shards import Shard


@dataclass(frozen=True, slots=True)
class Failure:
    """Why a step failed, in words that are safe to show."""

    error: PubliusError


class Workplace(Generic[Result]):
    """Make the step when the first shard comes, then apply it to every shard."""

    def __init__(self, step_factory: StepFactory[Result]) -> None:
        self._step_factory = step_factory
        self._step: Step[Result] | None = None

    def attempt(self, shard: Shard) -> Result | Failure:
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


def _unexpected(error: Exception, shard: Shard) -> WorkerError:
    frame = traceback.extract_tb(error.__traceback__)[-1]
    place = f"{Path(frame.filename).name}:{frame.lineno}"
    return WorkerError(
        f"shard {shard.number} failed with {type(error).__name__} at {place}; "
        "this is a fault of the program, please report it"
    )
