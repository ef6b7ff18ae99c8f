"""Ray: a pool of actors, each of which builds the mechanism once.

The key travels as a small argument of an actor, which Ray keeps with the actor and
never puts into its object store, whose spilled files would be readable.
"""

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Generic

try:
    import ray as _ray
except ImportError:
    HAS_RAY = False
else:
    HAS_RAY = True
    ray: Any = _ray

from publius.core.errors import ParameterError, WorkerError
from publius.engines.attempt import Failure, attempted, succeeded
from publius.engines.engine import Result, Task
from publius.engines.split import Split

_ON = {"1", "true", "True"}


class _Actor(Generic[Result]):
    """A process that applies one task to many splits."""

    def __init__(self, task: Task[Result]) -> None:
        self._task = task

    def apply(self, split: Split) -> Result | Failure:
        """Return the result, or what went wrong as a value: Ray logs what is raised."""
        return attempted(self._task, split)


@dataclass(frozen=True, slots=True)
class Ray:
    """Run tasks on Ray.

    Args:
        address: Of a cluster, or ``auto``; None uses the one that is connected, or
            starts one on this machine, which `close` stops.
        workers: Number of actors; None for one per processor, or per GPU.
        gpus: Of each actor, for mechanisms that use one.
        trusts_cluster: Accept a cluster without TLS.
    """

    address: str | None = None
    workers: int | None = None
    gpus: float = 0
    trusts_cluster: bool = False

    def run(self, task: Task[Result], splits: Sequence[Split]) -> Iterator[Result]:
        """Apply a picklable task to every split at least once, in any order.

        Raises:
            ParameterError: The cluster is not protected, and not trusted either.
            WorkerError: Ray is not installed, cannot be reached, or gave up.
        """
        if not HAS_RAY:
            raise WorkerError("Ray is not installed; pip install 'publius[ray]'")
        if not ray.is_initialized():
            self._connect()
        self._refuse_open()
        yield from self._outcomes(task, splits)

    def close(self) -> None:
        """Let go of the cluster; one that was started here stops."""
        if HAS_RAY:
            ray.shutdown()

    def _connect(self) -> None:
        options = {} if self.address is not None else {"include_dashboard": False}
        try:
            ray.init(address=self.address, log_to_driver=False, **options)
        except (ConnectionError, OSError, RuntimeError, ValueError) as error:
            kind = type(error).__name__
        else:
            return
        raise WorkerError(
            f"Ray cannot be reached at {self.address or 'this machine'!r} ({kind}); is "
            "it running there, with the same versions of Ray and Python?"
        )

    def _refuse_open(self) -> None:
        hosts = {node["NodeManagerAddress"] for node in ray.nodes() if node["Alive"]}
        is_here = hosts <= {ray.util.get_node_ip_address(), "127.0.0.1"}
        if is_here or self.trusts_cluster or os.environ.get("RAY_USE_TLS") in _ON:
            return
        raise ParameterError(
            "RAY_USE_TLS is not 1: the key of the noise would cross the network in "
            "clear; set up TLS for Ray, or accept that with --trust-cluster"
        )

    def _outcomes(
        self, task: Task[Result], splits: Sequence[Split]
    ) -> Iterator[Result]:
        kind = "GPU" if self.gpus else "CPU"
        there = int(ray.cluster_resources().get(kind, 1) // (self.gpus or 1))
        count = max(1, min(self.workers or there, len(splits)))
        # A lost actor is started anew, and its split tried again: the same draw.
        made = ray.remote(
            num_cpus=1, num_gpus=self.gpus, max_restarts=-1, max_task_retries=-1
        )(_Actor)
        actors = [made.remote(task) for _ in range(count)]
        try:
            yield from _gathered(actors, splits)
        finally:
            for actor in actors:
                ray.kill(actor)


def _gathered(actors: list[Any], splits: Sequence[Split]) -> Iterator[Any]:
    """Give every actor a split at a time; yield results as they come."""
    waiting = iter(splits)
    busy = {}
    for actor, split in zip(actors, waiting, strict=False):
        busy[actor.apply.remote(split)] = actor
    while busy:
        done, _ = ray.wait(list(busy), num_returns=1)
        actor = busy.pop(done[0])
        outcome = _got(done[0])
        following = next(waiting, None)
        if following is not None:
            busy[actor.apply.remote(following)] = actor
        yield succeeded(outcome)


def _got(reference: Any) -> Any:  # noqa: ANN401 - ray is an extra
    try:
        return ray.get(reference)
    except ray.exceptions.RayError as error:
        kind = type(error).__name__
    raise WorkerError(
        f"Ray gave up ({kind}); what was committed is kept: see that its nodes live, "
        "and run again with --resume"
    )
