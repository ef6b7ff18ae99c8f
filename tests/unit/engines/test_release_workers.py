"""One release, whatever runs it: any number of workers, in one go or after a kill."""

import json
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pytest
from pyarrow import parquet

from publius.core.config import WordSettings
from publius.core.errors import OutputError, WorkerError
from publius.pipeline import ReleaseRequest, release
from publius.pipeline.folder import ReleaseFolder
from publius.pipeline.step import Step
from publius.tables import shards as cutting
from publius.tables.columns import Columns
from publius.tables.shards import Shard

ROWS = 9000  # three shards
FORMS = {
    "text": WordSettings(vocabulary=60),
    "bag": WordSettings(vocabulary=60, form="bag"),
    "fixed": WordSettings(vocabulary=60, form="bag", length=3),
    "tf": WordSettings(vocabulary=60, form="tf", length=3),
}


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("workers") / "in.parquet"
    texts = [
        f"The people said {i} of the world" if i % 7 else None for i in range(ROWS)
    ]
    users = [f"u{i % 11}" for i in range(ROWS)]
    parquet.write_table(pa.table({"body": texts, "user": users}), path)
    return path


def request(table: Path, out: Path, **changes: object) -> ReleaseRequest:
    asked: dict[str, object] = {
        "path": str(table),
        "out": out,
        "columns": Columns(("body",), "user", ("user",)),
        "settings": FORMS["text"],
        "seed": 5,
    }
    return ReleaseRequest(**{**asked, **changes})  # type: ignore[arg-type]


def files(out: Path) -> dict[str, bytes]:
    return {p.name: p.read_bytes() for p in sorted(out.iterdir())}


@pytest.mark.slow
@pytest.mark.parametrize("form", ["text", "tf"])
def test_one_two_and_seven_workers_write_the_same_bytes(
    table: Path, tmp_path: Path, form: str
) -> None:
    counts = (1, 2, 7) if form == "text" else (1, 2)
    for workers in counts:
        settings = FORMS[form]
        release(
            request(table, tmp_path / str(workers), workers=workers, settings=settings)
        )
    first, *others = [files(tmp_path / str(workers)) for workers in counts]
    assert {"data.parquet", "manifest.json", "report.html"} <= set(first)
    for other in others:
        assert other == first


@pytest.mark.slow
def test_collocations_are_the_same_units_for_any_number_of_workers(
    tmp_path: Path,
) -> None:
    vectors = tmp_path / "phrases.txt"
    names = ("boston", "new_york", "hot_dog", "river")
    vectors.write_text("".join(f"{n} {i} {i % 3}\n" for i, n in enumerate(names)))
    path = tmp_path / "in.txt"
    path.write_text("A new york river\nBoston and new\nyork hot dog\n" * 3000)
    settings = WordSettings(embedding=str(vectors), epsilon=1.0)
    for workers in (1, 2):
        asked = request(
            path,
            tmp_path / str(workers),
            workers=workers,
            settings=settings,
            columns=Columns(()),
        )
        assert release(asked).exposure.words == 3000 * 6
    assert files(tmp_path / "1") == files(tmp_path / "2")


def crash_at(number: int) -> Callable[..., object]:
    real = Step.__call__

    def step(self: Step, shard: Shard) -> object:
        if shard.number == number:
            raise MemoryError
        return real(self, shard)

    return step


@pytest.mark.parametrize(
    ("crash", "workers"),
    [(0, 1), pytest.param(1, 2, marks=pytest.mark.slow), (2, 1)],
)
def test_a_crash_between_commits_leaves_no_trace_after_resuming(
    table: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    crash: int,
    workers: int,
) -> None:
    release(request(table, tmp_path / "whole"))
    with monkeypatch.context() as patch:
        patch.setattr(Step, "__call__", crash_at(crash))
        with pytest.raises(WorkerError, match=f"shard {crash}"):
            release(request(table, tmp_path / "broken"))
    kept = sorted(p.name for p in (tmp_path / "broken").glob(".partial/shard-*"))
    assert len(kept) == crash
    release(request(table, tmp_path / "broken", resume=True, workers=workers))
    assert files(tmp_path / "broken") == files(tmp_path / "whole")


@pytest.mark.parametrize("place", ["write_release", "write_file", "finish"])
def test_a_crash_while_finishing(
    table: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    release(request(table, tmp_path / "whole"))

    def broken(*_: object, **__: object) -> None:
        raise OutputError("power")

    with monkeypatch.context() as patch:
        patch.setattr(ReleaseFolder, place, broken)
        with pytest.raises(OutputError, match="power"):
            release(request(table, tmp_path / "broken"))
    assert [p.name for p in (tmp_path / "broken").iterdir()] == [".partial"]
    release(request(table, tmp_path / "broken", resume=True))
    assert files(tmp_path / "broken") == files(tmp_path / "whole")


def test_secure_runs_keep_committed_shards_and_draw_the_others_afresh(
    table: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "out"
    with monkeypatch.context() as patch:
        patch.setattr(Step, "__call__", crash_at(2))
        with pytest.raises(WorkerError):
            release(request(table, out, seed=None))
    kept = [p.read_bytes() for p in sorted(out.glob(".partial/shard-*"))]
    rows = [pa.ipc.open_file(shard).read_all() for shard in kept]
    assert len(kept) == 2
    job = json.loads((out / ".partial/job.json").read_text())
    assert job["seed"] is None
    assert set(job) == {"settings", "columns", "seed", "input", "limit"}
    seen: list[list[bytes]] = []
    monkeypatch.setattr("publius.materials.words.treatment.tell", _watch(seen, out))
    release(request(table, out, seed=None, resume=True))
    assert seen[0][:2] == kept
    released = parquet.read_table(out / "data.parquet").column("body").to_pylist()
    before = [text for part in rows for text in part.column("body").to_pylist()]
    assert released[: len(before)] == before


def _watch(seen: list[list[bytes]], out: Path) -> Callable[..., object]:
    """Look at the shards when the report is told, before they are removed."""
    from publius.reporting.examples import tell  # noqa: PLC0415 - before it is replaced

    def telling(*arguments: object) -> object:
        seen.append([p.read_bytes() for p in sorted(out.glob(".partial/shard-*"))])
        return tell(*arguments)  # type: ignore[arg-type]

    return telling


def test_a_changed_job_is_not_resumed(
    table: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(Step, "__call__", crash_at(1))
        with pytest.raises(WorkerError):
            release(request(table, tmp_path / "out"))
    weaker = WordSettings(vocabulary=60, epsilon=9.0)
    for changes in ({"settings": weaker}, {"seed": 6}, {"columns": Columns(("body",))}):
        with pytest.raises(OutputError, match="changed since the run began"):
            release(request(table, tmp_path / "out", resume=True, **changes))
    with pytest.raises(OutputError, match="--resume"):
        release(request(table, tmp_path / "out"))


KILLED = """
import sys, time
from publius.pipeline.folder import ReleaseFolder
commit = ReleaseFolder.commit
def slowly(self, number, table, counts):
    if number == 2:
        print("two", flush=True)
        time.sleep(600)
    commit(self, number, table, counts)
ReleaseFolder.commit = slowly
from publius.cli import main
main()
"""


def killed(table: Path, out: Path, options: list[str]) -> None:
    """Kill a release by force when two shards are committed and one is drawn."""
    process = subprocess.Popen(  # noqa: S603 - our own program
        [sys.executable, "-c", KILLED, *arguments(table, out), *options],
        stdout=subprocess.PIPE,
    )
    with process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"two\n"
        process.send_signal(signal.SIGKILL)
    for _ in range(100):
        if len(list(out.glob(".partial/shard-*"))) == 2:
            break
        time.sleep(0.05)


def arguments(table: Path, out: Path) -> list[str]:
    columns = ["--text", "body", "--author", "user", "--keep", "user"]
    return ["release", str(table), "-o", str(out), "--vocabulary", "60", *columns]


@pytest.fixture
def resumed(table: Path) -> Callable[..., None]:
    def command(out: Path, *options: str) -> None:
        done = subprocess.run(  # noqa: S603 - our own program
            [sys.executable, "-c", "from publius.cli import main; main()",
             *arguments(table, out), "--resume", *options],
            capture_output=True, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr

    return command


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="needs SIGKILL")
def test_a_killed_and_resumed_run_equals_an_uninterrupted_one(
    table: Path, tmp_path: Path, resumed: Callable[..., None]
) -> None:
    release(request(table, tmp_path / "whole"))
    killed(table, tmp_path / "out", ["--seed", "5"])
    resumed(tmp_path / "out", "--seed", "5", "--workers", "2")
    assert files(tmp_path / "out") == files(tmp_path / "whole")


def test_shards_depend_on_rows_alone(table: Path) -> None:
    batches = parquet.ParquetFile(table)
    sizes = [s.table.num_rows for s in cutting.shards(batches.iter_batches(100))]
    batches.close()
    assert sizes == [4096, 4096, ROWS - 8192]


@pytest.mark.parametrize("key", [5, None])
def test_no_two_shards_share_their_noise(tmp_path: Path, key: int | None) -> None:
    path = tmp_path / "in.parquet"
    parquet.write_table(pa.table({"body": ["people world"] * 8192}), path)
    asked = request(path, tmp_path / "out", columns=Columns(("body",)), seed=key)
    release(asked)
    texts = parquet.read_table(tmp_path / "out/data.parquet").column(0).to_pylist()
    first, second = texts[:4096], texts[4096:]
    same = sum(a == b for a, b in zip(first, second, strict=True))
    assert same < 0.95 * len(first)
