"""What every engine offers: apply a task to splits, at least once each, in any order.

An engine knows nothing of randomness: a task derives its noise from the rows it meets,
so the results are the same whatever engine tries them and however often.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar

from publius.engines.split import Split
from publius.tables.shards import Shard

Result = TypeVar("Result")

Step = Callable[[Shard], Result]
StepFactory = Callable[[], Step[Result]]
Commit = Callable[[int, Result], None]
Task = Callable[[Split], Result]


@dataclass(frozen=True, slots=True)
class RunSummary:
    """What a run did: shards and rows that were handed over and committed."""

    shards: int
    rows: int


class Engine(Protocol):
    """Apply a task to splits."""

    def run(self, task: Task[Result], splits: Sequence[Split]) -> Iterator[Result]:
        """Apply a picklable task to every split at least once, in any order.

        Args:
            task: Settings, key and names; it commits what it makes and returns a
                summary without a text.
            splits: Addresses of the rows.

        Raises:
            PubliusError: Whatever the task raises, without a secret.
            WorkerError: The engine cannot be reached, or gave up.
        """
        ...

    def close(self) -> None:
        """Stop whatever was started for the runs; what was given stays open."""
        ...
