"""Steps that the engine tests run in worker processes, so they live in a module."""

import os
import signal
import threading
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from publius.core import rng
from publius.core.errors import DataError, UnknownNameError
from publius.tables.shards import Shard

WRITER = "Alexander Hamilton"


def noisy() -> Callable[[Shard], tuple[list[str], bytes]]:
    key = rng.RunKey.from_seed(7)

    def step(shard: Shard) -> tuple[list[str], bytes]:
        texts = shard.table.column(0).to_pylist()
        return [text.upper() for text in texts], key.stream(shard.number).bytes(16)

    return step


def _fail(shard: Shard, *, how: Callable[[], object], at: int) -> int:
    if shard.number == at:
        how()
    return shard.number


def _data_error() -> None:
    raise DataError("row 3 is empty")


def _unknown_name() -> None:
    raise UnknownNameError("mechanism", "vmff", ["vmf"])


def _bug() -> None:
    raise KeyError(WRITER)


def _out_of_memory() -> None:
    raise MemoryError(WRITER)


def _killed() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def failing(kind: str, at: int) -> Callable[[Shard], int]:
    kinds = {
        "data": _data_error,
        "name": _unknown_name,
        "bug": _bug,
        "memory": _out_of_memory,
        "killed": _killed,
    }
    return partial(_fail, how=kinds[kind], at=at)


def broken_factory() -> Callable[[Shard], int]:
    raise DataError("no such embedding")


def unpicklable() -> Callable[[Shard], object]:
    return lambda shard: (shard.number, threading.Lock(), WRITER)


def process_id() -> Callable[[Shard], int]:
    return lambda _: os.getpid()


def slow(marks: Path) -> Callable[[Shard], int]:
    """Do the first shards at once and hang in the others."""

    def step(shard: Shard) -> int:
        if shard.number >= 4:
            (marks / str(os.getpid())).touch()
            time.sleep(600)
        return shard.number

    return step
