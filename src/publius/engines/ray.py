"""Ray: a pool of actors, each of which builds the mechanism once.

The key travels as a small argument of every call, from the driver's memory to that of
an actor: neither Ray's object store, whose spilled files would be readable, nor its
control service, which may write to a database, ever holds it. What the object store
holds are sums under keyed digests.
"""

import os
import sys
from collections import Counter, deque
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

try:
    import ray as _ray
    from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy
except ImportError:
    HAS_RAY = False
else:
    HAS_RAY = True
    ray: Any = _ray

from publius.core.arrays import at_least
from publius.core.declared import settle
from publius.core.errors import ParameterError, WorkerError
from publius.engines.attempt import Failure, succeeded
from publius.engines.engine import Result, Task, needs_gpu
from publius.engines.reach import refuse_unreachable
from publius.engines.shipped import Shipped
from publius.engines.split import Split
from publius.engines.tally import Tallied, Tally

_ON = {"1", "true", "True"}
_ATTEMPTS = 4
"""How often a split is tried whose actors die."""
_PATIENCE = 60.0
"""Seconds for which a run waits while no actor is ready."""
_MOST_BYTES = 64 << 10
"""Of a task; Ray puts arguments of more than 100 kB into its object store."""
_ARITY = 16
_HINT = (
    "is it running there, with the same versions of Ray and Python? One that asks for "
    "a token wants RAY_AUTH_MODE=token and that token here too"
)


class _Actor:
    """A process that applies tasks to splits."""

    def ready(self) -> None:
        """Say that the actor is there."""

    def apply(self, shipped: Shipped, split: Split) -> "Any | Failure":  # noqa: ANN401 - any task's
        """Return the result, or what went wrong as a value: Ray logs what is raised."""
        return shipped.attempt(split)

    def apply_tallied(
        self, shipped: Shipped, split: Split
    ) -> "tuple[Any | Failure, Mapping[bytes, int]]":
        """Return the result, and apart from it the sums."""
        outcome = shipped.attempt(split)
        if isinstance(outcome, Failure):
            return outcome, {}
        return outcome.result, outcome.sums


@dataclass(slots=True)
class Ray:
    """Run tasks on Ray.

    Args:
        address: Of a cluster, or ``auto``; None uses the one that is connected, or
            starts one on this machine, which `close` stops.
        workers: Number of actors; None for one per processor, or per GPU for mechanisms
            that use one.
        trusts_cluster: Accept a cluster without TLS.
    """

    address: str | None = None
    workers: int | None = None
    trusts_cluster: bool = False
    _is_own: bool = field(default=False, init=False)
    _pools: "dict[str, _Pool]" = field(default_factory=dict, init=False, repr=False)

    def __post_init__(self) -> None:
        settle(self)
        if self.workers is not None:
            at_least("workers", self.workers, 1)

    def run(self, task: Task[Result], splits: Sequence[Split]) -> Iterator[Result]:
        """Apply a picklable task to every split at least once, in any order.

        Raises:
            ParameterError: The cluster is not protected, and not trusted either.
            WorkerError: Ray is not installed, cannot be reached, or gave up.
        """
        pool, shipped = self._pool(task, len(splits)), _small(task)

        def call(actor: Any, split: Split) -> Any:  # noqa: ANN401 - ray is an extra
            return actor.apply.remote(shipped, split)

        for reference in pool.served(call, splits):
            yield succeeded(_got(reference))

    def run_tallied(
        self, task: Task[Tallied[Result]], splits: Sequence[Split], tally: Tally
    ) -> Iterator[Result]:
        """Apply a task likewise; other tasks of Ray add up its sums."""
        pool, shipped, sums = self._pool(task, len(splits)), _small(task), _Sums()
        apart: dict[Any, Any] = {}

        def call(actor: Any, split: Split) -> Any:  # noqa: ANN401 - ray is an extra
            told = actor.apply_tallied.options(num_returns=2).remote(shipped, split)
            apart[told[0]] = told[1]
            return told[0]

        for reference in pool.served(call, splits):
            result = succeeded(_got(reference))
            sums.add(apart.pop(reference))
            yield result
        sums.close(tally)

    def close(self) -> None:
        """Let the actors go; a cluster that was reached or started here too."""
        for pool in self._pools.values():
            pool.close()
        self._pools.clear()
        if self._is_own and HAS_RAY:
            ray.shutdown()
            self._is_own = False

    def _pool(self, task: Task[Any], most: int) -> "_Pool":
        if not HAS_RAY:
            raise WorkerError("Ray is not installed; pip install 'publius[ray]'")
        if not ray.is_initialized():
            self._connect()
        self._refuse_open()
        kind = "GPU" if needs_gpu(task) and _count("GPU") else "CPU"
        if kind not in self._pools:
            self._pools[kind] = _Pool(kind, self.workers or _count(kind))
        self._pools[kind].want(most)
        return self._pools[kind]

    def _connect(self) -> None:
        if self.address is not None:
            refuse_unreachable("Ray", self.address, _HINT)
        options = {} if self.address is not None else {"include_dashboard": False}
        try:
            with _silent():
                ray.init(
                    address=self.address,
                    log_to_driver=False,
                    logging_level="ERROR",
                    **options,
                )
        except (ConnectionError, OSError, RuntimeError, ValueError) as error:
            kind = type(error).__name__
        else:
            self._is_own = True
            return
        raise WorkerError(
            f"Ray cannot be reached at {self.address or 'this machine'!r} ({kind}); "
            + _HINT
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


@contextmanager
def _silent() -> Iterator[None]:
    """Keep from the terminal what Ray's core writes every second while it waits."""
    sys.stderr.flush()
    kept, nowhere = os.dup(2), os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 2)
    try:
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
        os.close(nowhere)


def _count(kind: str) -> int:
    return int(ray.cluster_resources().get(kind, 0))


def _small(task: Task[Any]) -> Shipped:
    """Pack a task that Ray will hand over without storing it."""
    shipped = Shipped.of(task)
    if len(shipped.packed) > _MOST_BYTES:
        raise ParameterError(
            "the settings and columns are too many to travel apart from Ray's object "
            "store, which must not hold a key; keep fewer columns"
        )
    return shipped


class _Pool:
    """Actors that are replaced when they die; only those that answer get work."""

    def __init__(self, kind: str, most: int) -> None:
        needs = {"num_gpus": 1, "num_cpus": 0} if kind == "GPU" else {"num_cpus": 1}
        # The driver tries again by itself: Ray would wait for a node that is gone.
        self._make = ray.remote(max_restarts=0, max_task_retries=0, **needs)(_Actor)
        self._kind, self._most = kind, max(1, most)
        self._idle: list[Any] = []
        self._coming: dict[Any, Any] = {}

    def want(self, splits: int) -> None:
        """Start as many actors as there can be work for."""
        for _ in range(min(self._most, splits) - len(self._idle) - len(self._coming)):
            self._start()

    def served(self, call: Any, splits: Sequence[Split]) -> Iterator[Any]:  # noqa: ANN401 - ray is an extra
        """Give every actor a split at a time; yield references as they are done."""
        waiting, failures = deque(splits), Counter[int]()
        busy: dict[Any, tuple[Any, Split]] = {}
        try:
            while waiting or busy:
                while waiting and self._idle:
                    actor, split = self._idle.pop(), waiting.popleft()
                    busy[call(actor, split)] = (actor, split)
                done = self._next(busy)
                if done is None:
                    continue
                actor, split = busy.pop(done)
                if _is_lost(done):
                    failures[split.number] += 1
                    _refuse_hopeless(failures[split.number])
                    waiting.append(split)
                    self._start()
                else:
                    self._idle.append(actor)
                    yield done
        finally:
            for actor, _ in busy.values():
                ray.kill(actor)

    def close(self) -> None:
        """End all actors."""
        for actor in (*self._idle, *self._coming.values()):
            ray.kill(actor)
        self._idle, self._coming = [], {}

    def _start(self) -> None:
        actor = self._make.remote()
        self._coming[actor.ready.remote()] = actor

    def _next(self, busy: Mapping[Any, Any]) -> Any:  # noqa: ANN401 - ray is an extra
        """Return a call that is done; None if an actor has come instead."""
        patience = None if busy else _PATIENCE
        done, _ = ray.wait([*busy, *self._coming], num_returns=1, timeout=patience)
        if not done:
            raise WorkerError(
                f"no node of Ray has a free {self._kind}; stop what holds them or add "
                "a node, and run again with --resume"
            )
        if done[0] in busy:
            return done[0]
        actor = self._coming.pop(done[0])
        if _is_lost(done[0]):
            raise WorkerError(
                "an actor of Ray cannot be started; see that its nodes have this "
                "Python and Publius"
            )
        self._idle.append(actor)
        return None


def _is_lost(reference: Any) -> bool:  # noqa: ANN401 - ray is an extra
    """Whether the actor died before it could answer."""
    try:
        ray.get(reference)
    except (ray.exceptions.RayActorError, ray.exceptions.ObjectLostError):
        return True
    except ray.exceptions.RayError:
        return False  # told by whoever takes the result
    return False


def _refuse_hopeless(failures: int) -> None:
    if failures >= _ATTEMPTS:
        raise WorkerError(
            f"the same part ended {failures} actors of Ray (killed, or memory ran "
            "out); what was committed is kept: see that its nodes have memory, and run "
            "again with --resume"
        )


def _got(reference: Any) -> Any:  # noqa: ANN401 - ray is an extra
    try:
        return ray.get(reference)
    except ray.exceptions.RayError as error:
        kind = type(error).__name__
    raise WorkerError(
        f"Ray gave up ({kind}); what was committed is kept: see that its nodes live "
        "and have this Python and Publius, and run again with --resume"
    )


class _Sums:
    """Sums of many splits, merged by tasks of Ray as they come."""

    def __init__(self) -> None:
        # There they outlive every other node; with the driver all is lost anyway.
        here = NodeAffinitySchedulingStrategy(
            ray.get_runtime_context().get_node_id(), soft=True
        )
        options = {"num_cpus": 0, "scheduling_strategy": here}
        self._merge = ray.remote(**options)(_merged)
        self._largest = ray.remote(**options)(_largest)
        self._levels: list[list[Any]] = []

    def add(self, reference: Any, level: int = 0) -> None:  # noqa: ANN401 - ray is an extra
        """Add the sums of a split; the driver keeps few references at any time."""
        while len(self._levels) <= level:
            self._levels.append([])
        self._levels[level].append(reference)
        if len(self._levels[level]) == _ARITY:
            merged = self._merge.remote(*self._levels[level])
            self._levels[level] = []
            self.add(merged, level + 1)

    def close(self, tally: Tally) -> None:
        """Hear what is asked of all sums together."""
        rest = [reference for level in self._levels for reference in level]
        if tally.hears_all:
            tally.close(_got(self._merge.remote(*rest)))
        else:
            tally.most = _got(self._largest.remote(*rest))


def _merged(*parts: Mapping[bytes, int]) -> "Counter[bytes]":
    total: Counter[bytes] = Counter()
    for part in parts:
        total.update(part)
    return total


def _largest(*parts: Mapping[bytes, int]) -> int:
    return max(_merged(*parts).values(), default=0)
