"""What every engine offers: apply a step to shards and commit the results.

An engine knows nothing of randomness: a step derives its stream from the number of the
shard, so the results are the same whatever engine and however many workers run it.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Protocol, TypeVar

from publius.tables.shards import Shard

Result = TypeVar("Result")

Step = Callable[[Shard], Result]
StepFactory = Callable[[], Step[Result]]
Commit = Callable[[int, Result], None]


@dataclass(frozen=True, slots=True)
class RunSummary:
    """What a run did: shards and rows that were handed over and committed."""

    shards: int
    rows: int


class Engine(Protocol):
    """Apply a step to every shard."""

    def map_batches(
        self,
        step_factory: StepFactory[Result],
        shards: Iterable[Shard],
        commit: Commit[Result],
    ) -> RunSummary:
        """Run the step on every shard and commit each result as it comes.

        Args:
            step_factory: Makes the step, once in each worker; it must be picklable.
            shards: The work, read as workers become free.
            commit: Called here with a shard's number and result, in any order.

        Raises:
            PubliusError: Whatever the step, the shards or the commit raise.
            WorkerError: A worker was stopped, or failed for a reason of its own.
        """
        ...
