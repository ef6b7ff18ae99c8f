"""A task on its way to a worker: packed, with the version that packed it.

A worker with another Publius may not even be able to unpack it, and what Python says
then could quote what is packed. So the versions are compared first, and whatever goes
wrong afterwards comes back as a value.
"""

import hashlib
import pickle
from dataclasses import dataclass, field
from importlib.metadata import version
from typing import Any, Self

from publius.core.errors import WorkerError
from publius.engines.attempt import Failure, attempted
from publius.engines.engine import Task
from publius.engines.split import Split


@dataclass(frozen=True, slots=True)
class Shipped:
    """A picklable task as bytes.

    Args:
        packed: The task; it holds the key of the noise.
        made_with: Version of Publius that packed it.
    """

    packed: bytes = field(repr=False)
    made_with: str

    @classmethod
    def of(cls, task: Task[Any]) -> Self:
        """Pack a task."""
        return cls(pickle.dumps(task), version("publius"))

    def attempt(self, split: Split) -> "Any | Failure":  # noqa: ANN401 - any task's
        """Apply the task to a split; runs in the worker."""
        here = version("publius")
        if here != self.made_with:
            return Failure(
                WorkerError(
                    f"a worker has Publius {here} and the driver has "
                    f"{self.made_with}; install the same version everywhere"
                )
            )
        return attempted(self._unpacked, split)

    def _unpacked(self, split: Split) -> Any:  # noqa: ANN401 - any task's
        name = hashlib.sha256(self.packed).digest()
        if name not in _tasks:
            _tasks.clear()
            # Packed by the driver that this worker was started for.
            _tasks[name] = pickle.loads(self.packed)  # noqa: S301
        return _tasks[name](split)


_tasks: dict[bytes, Task[Any]] = {}
