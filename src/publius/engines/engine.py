"""What every engine offers: apply a task to splits, at least once each, in any order.

An engine knows nothing of randomness: a task derives its noise from the rows it meets,
so the results are the same whatever engine tries them and however often.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar, runtime_checkable

from publius.engines.split import Split
from publius.engines.tally import Tallied, Tally
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


@runtime_checkable
class OnGpu(Protocol):
    """A task that may say that it runs on a GPU where there is one."""

    @property
    def is_on_gpu(self) -> bool:
        """Whether it does."""
        ...


def needs_gpu(task: object) -> bool:
    """Tell whether a task declares that it uses a GPU."""
    return isinstance(task, OnGpu) and task.is_on_gpu


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

    def run_tallied(
        self, task: Task[Tallied[Result]], splits: Sequence[Split], tally: Tally
    ) -> Iterator[Result]:
        """Apply a task likewise; add up its sums where it runs, each split's once.

        The tally is filled when the iterator has ended.
        """
        ...

    def close(self) -> None:
        """Stop whatever was started for the runs; what was given stays open."""
        ...
