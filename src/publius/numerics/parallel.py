"""Work on blocks with all cores, one BLAS thread each."""

import os
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from itertools import islice
from typing import TypeVar

from threadpoolctl import ThreadpoolController

T = TypeVar("T")
R = TypeVar("R")


def cores() -> int:
    """Return how many cores this process may use."""
    return (
        len(os.sched_getaffinity(0))
        if hasattr(os, "sched_getaffinity")
        else (os.cpu_count() or 1)
    )


def idle_cores() -> int:
    """Return how many of them other work leaves free, at least one.

    That is by the load of the last minute, where the system tells it.
    """
    busy = os.getloadavg()[0] if hasattr(os, "getloadavg") else 0.0
    return max(1, min(cores(), round((os.cpu_count() or 1) - busy)))


def threads_allowed() -> int:
    """Return how many threads a library may use here: fewer inside a worker."""
    limits = [library["num_threads"] for library in _libraries().info()]
    return max(1, min([cores(), *limits]))


def map_blocks(work: Callable[[T], R], items: Iterable[T]) -> Iterator[R]:
    """Yield ``work(item)`` in order; only a few results wait in memory.

    Threads suffice: NumPy and SciPy release the interpreter lock in their loops.
    """
    width = cores()
    source = iter(items)
    with _libraries().limit(limits=1), ThreadPoolExecutor(width) as pool:
        waiting = [pool.submit(work, item) for item in islice(source, width + 1)]
        while waiting:
            result = waiting.pop(0).result()
            waiting.extend(pool.submit(work, item) for item in islice(source, 1))
            yield result


@cache
def _libraries() -> ThreadpoolController:
    """Find the libraries with threads of their own; looking takes milliseconds."""
    return ThreadpoolController()
