"""Blocks come back in order, whatever the number of cores."""

import os

import pytest
from threadpoolctl import threadpool_limits

from publius.numerics import parallel
from publius.numerics.parallel import cores, map_blocks, threads_allowed


@pytest.mark.parametrize("count", [0, 1, 50])
def test_results_keep_their_order(count: int) -> None:
    assert list(map_blocks(lambda i: i * i, range(count))) == [
        i * i for i in range(count)
    ]


def test_only_a_few_items_are_taken_ahead() -> None:
    taken = []

    def items() -> object:
        for i in range(100):
            taken.append(i)
            yield i

    results = map_blocks(lambda i: i, items())  # type: ignore[arg-type,var-annotated]
    next(results)
    assert len(taken) <= cores() + 2
    assert list(results) == list(range(1, 100))


def test_an_error_in_a_block_is_raised() -> None:
    def work(i: int) -> int:
        if i == 3:
            raise ValueError("block 3")
        return i

    with pytest.raises(ValueError, match="block 3"):
        list(map_blocks(work, range(5)))


def test_cores_without_affinity(monkeypatch: pytest.MonkeyPatch) -> None:
    assert cores() >= 1
    monkeypatch.delattr(os, "sched_getaffinity", raising=False)
    monkeypatch.setattr(os, "cpu_count", lambda: None)
    assert cores() == 1


def test_a_worker_that_may_use_one_thread_is_told_so() -> None:
    assert 1 <= threads_allowed() <= cores()
    with threadpool_limits(1):
        assert threads_allowed() == 1


@pytest.mark.parametrize(
    ("load", "idle"), [(0.2, 4), (1.0, 3), (2.6, 1), (3.9, 1), (40.0, 1)]
)
def test_cores_that_are_busy_are_not_idle(
    monkeypatch: pytest.MonkeyPatch, load: float, idle: int
) -> None:
    monkeypatch.setattr(parallel.os, "cpu_count", lambda: 4)
    monkeypatch.setattr(parallel, "cores", lambda: 4)
    monkeypatch.setattr(parallel.os, "getloadavg", lambda: (load, 0.0, 0.0))
    assert parallel.idle_cores() == idle
    monkeypatch.setattr(parallel, "cores", lambda: 1)
    assert parallel.idle_cores() == 1
