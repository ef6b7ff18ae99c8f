import os
import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from types import ModuleType

import pyarrow as pa
import pytest

from publius.core.errors import (
    DataError,
    ParameterError,
    PubliusError,
    UnknownNameError,
    WorkerError,
)
from publius.engines.local import Local
from publius.tables.shards import Cut, Shard, shards

HERE = Path(__file__).parent


@pytest.fixture
def steps(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    # Spawned workers get sys.path from here, so they can import the same module.
    monkeypatch.syspath_prepend(str(HERE))
    return __import__("engine_steps")


def work(count: int) -> Iterator[Shard]:
    texts = pa.array([f"text {i}" for i in range(count * 3)], pa.large_string())
    return shards([pa.record_batch([texts], names=["text"])], Cut(rows=3))


def run(factory: Callable, count: int, workers: int) -> dict[int, object]:
    done: dict[int, object] = {}
    summary = Local(workers).map_batches(factory, work(count), done.__setitem__)
    assert (summary.shards, summary.rows) == (count, 3 * count)
    return done


def test_any_number_of_workers_gives_the_same_bytes(steps: ModuleType) -> None:
    one, two, seven = (run(steps.noisy, 9, workers) for workers in (1, 2, 7))
    assert sorted(one) == list(range(9))
    assert one == two == seven
    assert one[4][0] == ["TEXT 12", "TEXT 13", "TEXT 14"]
    assert len({noise for _, noise in one.values()}) == 9


@pytest.mark.parametrize("workers", [1, 2])
def test_nothing_to_do(steps: ModuleType, workers: int) -> None:
    assert run(steps.noisy, 0, workers) == {}


def test_one_worker_is_this_process_and_two_are_not(steps: ModuleType) -> None:
    assert set(run(steps.process_id, 3, 1).values()) == {os.getpid()}
    others = set(run(steps.process_id, 4, 2).values())
    assert others
    assert os.getpid() not in others


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize(
    ("kind", "error", "message"),
    [
        ("data", DataError, "row 3 is empty"),
        ("name", UnknownNameError, "no mechanism 'vmff'; did you mean 'vmf'"),
        ("bug", WorkerError, r"shard 3 failed with KeyError at engine_steps\.py:\d+;"),
        ("memory", WorkerError, "memory ran out in shard 3"),
    ],
)
def test_failures_travel_without_secrets(
    steps: ModuleType, workers: int, kind: str, error: type, message: str
) -> None:
    with pytest.raises(error, match=message) as caught:
        run(partial(steps.failing, kind, 3), 6, workers)
    assert steps.WRITER not in str(caught.value)
    assert caught.value.__cause__ is None
    assert caught.value.__context__ is None


def test_a_killed_worker_is_an_error_and_not_a_hang(steps: ModuleType) -> None:
    done: dict[int, object] = {}
    with pytest.raises(WorkerError, match=r"ended in shard 3 \(exit code -9") as caught:
        Local(2).map_batches(
            partial(steps.failing, "killed", 3), work(50), done.__setitem__
        )
    assert done
    assert 3 not in done
    assert "--resume" in str(caught.value)


@pytest.mark.parametrize("workers", [1, 2])
def test_a_factory_that_fails(steps: ModuleType, workers: int) -> None:
    with pytest.raises(DataError, match="no such embedding"):
        run(steps.broken_factory, 3, workers)


def test_a_result_that_cannot_travel(steps: ModuleType) -> None:
    with pytest.raises(WorkerError, match="cannot be sent") as caught:
        run(steps.unpicklable, 2, 2)
    assert steps.WRITER not in str(caught.value)


@pytest.mark.parametrize("workers", [1, 2])
def test_an_error_in_reading_or_committing_stops_the_run(
    steps: ModuleType, workers: int
) -> None:
    def broken() -> Iterator[Shard]:
        yield from work(3)
        raise DataError("row 10 is broken")

    def full(_: int, __: object) -> None:
        raise PubliusError("the disk is full")

    with pytest.raises(DataError, match="row 10"):
        Local(workers).map_batches(steps.noisy, broken(), lambda *_: None)
    with pytest.raises(PubliusError, match="disk is full"):
        Local(workers).map_batches(steps.noisy, work(3), full)


@pytest.mark.parametrize("workers", [1, 2, 3])
def test_shards_in_memory_are_bounded(steps: ModuleType, workers: int) -> None:
    begun: list[int] = []
    open_at_most: list[int] = []

    def counted() -> Iterator[Shard]:
        for shard in work(20):
            begun.append(shard.number)
            yield shard

    done: dict[int, object] = {}

    def commit(number: int, result: object) -> None:
        done[number] = result
        open_at_most.append(len(begun) - len(done))

    Local(workers).map_batches(steps.noisy, counted(), commit)
    assert len(done) == 20
    assert max(open_at_most) <= workers + 1


@pytest.mark.parametrize("workers", [0, -1, 1.5, float("nan")])
def test_the_number_of_workers_is_checked(workers: float) -> None:
    with pytest.raises(ParameterError, match="workers must be a whole number >= 1"):
        Local(workers)  # type: ignore[arg-type]


SCRIPT = """
    import sys
    from functools import partial
    from pathlib import Path
    import pyarrow as pa
    from publius.tables.shards import Cut, shards
    from publius.engines.local import Local
    import engine_steps

    if __name__ == "__main__":
        folder = Path(sys.argv[1])
        texts = pa.array(["a"] * 50, pa.large_string())
        work = shards([pa.record_batch([texts], names=["text"])], Cut(rows=1))
        commit = lambda number, _: (folder / f"shard-{number}").touch()
        factory = partial(engine_steps.slow, folder / "pids")
        Local(int(sys.argv[2])).map_batches(factory, work, commit)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX signals")
@pytest.mark.parametrize("workers", [1, 2])
def test_an_interrupt_stops_workers_and_keeps_what_was_committed(
    tmp_path: Path, workers: int
) -> None:
    pids = tmp_path / "pids"
    pids.mkdir()
    script = tmp_path / "script.py"
    script.write_text(textwrap.dedent(SCRIPT))
    process = subprocess.Popen(  # noqa: S603 - our own script
        [sys.executable, script, tmp_path, str(workers)],
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(HERE), *sys.path])},
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    while process.poll() is None and (
        len(list(pids.iterdir())) < workers or len(list(tmp_path.glob("shard-*"))) < 4
    ):
        time.sleep(0.05)
    os.killpg(process.pid, signal.SIGINT)
    _, message = process.communicate(timeout=300)
    assert message.count(b"KeyboardInterrupt") == 1
    assert sorted(p.name for p in tmp_path.glob("shard-*")) == [
        f"shard-{number}" for number in range(4)
    ]
    for mark in pids.iterdir():
        with pytest.raises(ProcessLookupError):
            os.kill(int(mark.name), 0)
