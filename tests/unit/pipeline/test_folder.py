import json
import os
import subprocess
import sys
from pathlib import Path
from random import Random

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from publius.core.errors import CompleteError, DataError, OutputError
from publius.pipeline.folder import PARTIAL, ReleaseFolder, shard_file
from publius.tables.columns import Columns
from publius.tables.read import open_source

JOB = {"epsilon": 3.0, "seed": None, "keep": ("user",), "input": {"size": 9}}
SCHEMA = pa.schema([("text", pa.large_string())])


def table(*texts: str) -> pa.Table:
    return pa.table({"text": pa.array(texts, pa.large_string())})


def take(out: Path, *, resume: bool = False, **changes: object) -> ReleaseFolder:
    return ReleaseFolder.create(out, {**JOB, **changes}, resume=resume)


def texts(path: Path) -> list[str]:
    source = open_source(path, columns=Columns(("text",)))
    return [t for batch in source.batches() for t in batch["text"].to_pylist()]


def names(out: Path) -> set[str]:
    return {str(path.relative_to(out)) for path in out.rglob("*")}


@pytest.mark.parametrize("format_", ["csv", "tsv", "jsonl", "parquet", "txt"])
def test_shards_are_finished_in_order(tmp_path: Path, format_: str) -> None:
    out = tmp_path / "a" / "out"
    with take(out) as folder:
        folder.commit(1, table("c"), {"rows": 1})
        folder.commit(0, table("a", "b"), {"rows": 2})
        path = folder.write_release(format_, shards=2, schema=SCHEMA)
        folder.write_file("report.html", b"<html>")
        folder.finish()
    assert texts(path) == ["a", "b", "c"]
    assert names(out) == {f"data.{format_}", "report.html"}


def test_an_interrupt_before_the_work_begins_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("publius.pipeline.folder.seal.seal", interrupted)
    given = tmp_path / "in.csv"
    given.write_text("text\na\n")
    with pytest.raises(KeyboardInterrupt):
        ReleaseFolder.create(tmp_path / "out", JOB, resume=False, paths=[given])
    assert not (tmp_path / "out").exists()


def test_no_shards_give_an_empty_table(tmp_path: Path) -> None:
    with take(tmp_path) as folder:
        path = folder.write_release("parquet", shards=0, schema=SCHEMA)
        folder.finish()
    assert texts(path) == []


def test_counts_survive_the_run(tmp_path: Path) -> None:
    with take(tmp_path) as folder:
        folder.commit(1, table("c"), {"rows": 1, "kept": 0.5})
    with take(tmp_path, resume=True) as folder:
        folder.commit(0, table("a"), {"rows": 2})
        assert folder.counts() == [{"rows": 2}, {"rows": 1, "kept": 0.5}]
        assert [t.schema for t in folder.tables()] == [SCHEMA, SCHEMA]


def test_a_foreign_folder_is_refused_untouched(tmp_path: Path) -> None:
    (tmp_path / "thesis.doc").touch()
    for resume in (False, True):
        with pytest.raises(OutputError, match="is not empty; choose another folder"):
            take(tmp_path, resume=resume)
    assert names(tmp_path) == {"thesis.doc"}


def test_a_file_is_no_folder(tmp_path: Path) -> None:
    (tmp_path / "out").touch()
    with pytest.raises(OutputError, match="is a file"):
        take(tmp_path / "out")
    with pytest.raises(OutputError, match="cannot write"):
        take(tmp_path / "out" / "deeper")


def test_an_unfinished_release_asks_for_resume(tmp_path: Path) -> None:
    take(tmp_path).close()
    with pytest.raises(OutputError, match="continue it with --resume"):
        take(tmp_path)
    take(tmp_path, resume=True).close()


def test_a_complete_release_is_refused_always(tmp_path: Path) -> None:
    with take(tmp_path) as folder:
        folder.write_release("csv", shards=0, schema=SCHEMA)
        folder.finish()
    for resume in (False, True):
        with pytest.raises(OutputError, match="complete release"):
            take(tmp_path, resume=resume)


def killed_while_removing(out: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave what a kill leaves in the midst of ``finish``."""
    with take(out) as folder, monkeypatch.context() as patch:
        folder.commit(0, table("x"), {"rows": 1})
        folder.write_release("csv", shards=1, schema=SCHEMA)
        patch.setattr(Path, "unlink", refuse)
        with pytest.raises(OutputError, match="remove it before you publish"):
            folder.finish()


def refuse(*_: object, **__: object) -> None:
    raise PermissionError(13, "Permission denied")


@pytest.mark.parametrize(
    ("epsilon", "error"), [(3.0, CompleteError), (4.0, OutputError)]
)
def test_a_kill_while_removing_leaves_a_complete_release_and_resume_removes_the_rest(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    epsilon: float,
    error: type[OutputError],
) -> None:
    killed_while_removing(tmp_path, monkeypatch)
    assert (tmp_path / PARTIAL).exists()
    with pytest.raises(error, match="complete") as caught:
        take(tmp_path, resume=True, epsilon=epsilon)
    assert caught.type is error
    assert {path.name for path in tmp_path.iterdir()} == {"data.csv"}


def test_a_new_run_removes_the_rest_of_a_complete_one_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    killed_while_removing(tmp_path, monkeypatch)
    with pytest.raises(OutputError, match="holds a complete release"):
        take(tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == {"data.csv"}


def test_the_working_folder_is_private(tmp_path: Path) -> None:
    with take(tmp_path / "out") as folder:
        assert (tmp_path / "out" / PARTIAL).stat().st_mode & 0o077 == 0
        assert folder.path == tmp_path / "out"


def test_an_input_of_equal_size_and_time_is_refused_if_it_changed(
    tmp_path: Path,
) -> None:
    source, out = tmp_path / "in.csv", tmp_path / "out"
    source.write_text("body\nAnn was here\n")
    times = source.stat()
    paths = {"paths": [source], "resume": True}
    ReleaseFolder.create(out, {}, **paths).close()
    ReleaseFolder.create(out, {}, **paths).close()  # the same is accepted
    source.write_text("body\nBob was here\n")
    os.utime(source, ns=(times.st_atime_ns, times.st_mtime_ns))
    with pytest.raises(OutputError, match="input changed"):
        ReleaseFolder.create(out, {}, **paths)


@pytest.mark.parametrize("content", [b"", b"short", None])
def test_a_seal_that_is_damaged_or_gone_is_not_believed(
    tmp_path: Path, content: bytes | None
) -> None:
    source, out = tmp_path / "in.csv", tmp_path / "out"
    source.write_text("body\nAnn\n")
    with ReleaseFolder.create(out, {}, resume=False, paths=[source]) as folder:
        folder.commit(0, table("x"), {"rows": 1})
    seal = out / PARTIAL / "input.seal"
    seal.unlink() if content is None else seal.write_bytes(content)
    with pytest.raises(OutputError, match="input changed"):
        ReleaseFolder.create(out, {}, resume=True, paths=[source])


def test_the_seal_of_an_input_holds_none_of_it_and_is_destroyed(tmp_path: Path) -> None:
    source, out = tmp_path / "in.csv", tmp_path / "out"
    source.write_text("body\nAnn\n")
    folders = [
        ReleaseFolder.create(out / name, {}, resume=False, paths=[source])
        for name in "ab"
    ]
    seals = {(f.path / PARTIAL / "input.seal").read_bytes() for f in folders}
    assert len(seals) == 2  # a key of its own each time
    for folder in folders:
        folder.write_release("csv", shards=0, schema=SCHEMA)
        folder.finish()
        assert {path.name for path in folder.path.iterdir()} == {"data.csv"}


def test_an_input_that_cannot_be_read_is_named_as_such(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="cannot be read"):
        ReleaseFolder.create(tmp_path, {}, resume=False, paths=[tmp_path / "no.csv"])


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({"epsilon": 4.0}, "epsilon"),
        ({"input": {"size": 10}}, "input"),
        ({"mechanism": "laplace.v1"}, "mechanism"),
        ({"seed": 1, "epsilon": 1.0}, "epsilon, seed"),
    ],
)
def test_another_job_is_not_resumed(
    tmp_path: Path, changes: dict[str, object], named: str
) -> None:
    take(tmp_path).close()
    with pytest.raises(OutputError, match=f"cannot resume: {named} changed"):
        take(tmp_path, resume=True, **changes)
    take(tmp_path, resume=True).close()


def test_standard_input_is_not_resumed(tmp_path: Path) -> None:
    take(tmp_path, input=None).close()
    with pytest.raises(OutputError, match="standard input cannot be read again"):
        take(tmp_path, resume=True, input=None)


@pytest.mark.parametrize("content", [b"", b"{", b"[1]", b"\xff"])
def test_a_damaged_record_is_not_resumed(tmp_path: Path, content: bytes) -> None:
    take(tmp_path).close()
    (tmp_path / PARTIAL / "job.json").write_bytes(content)
    with pytest.raises(OutputError, match="record of the run cannot be read"):
        take(tmp_path, resume=True)


def test_killed_before_the_record_was_written(tmp_path: Path) -> None:
    (tmp_path / PARTIAL).mkdir()
    with take(tmp_path, resume=True) as folder:
        assert folder.committed() == set()
    assert json.loads((tmp_path / PARTIAL / "job.json").read_bytes())["epsilon"] == 3


def test_leftovers_of_a_killed_run_are_removed(tmp_path: Path) -> None:
    take(tmp_path).close()
    torn = [tmp_path / ".data.csv.99.tmp", tmp_path / PARTIAL / ".shard-000001.9.tmp"]
    for path in torn:
        path.write_bytes(b"half")
    with take(tmp_path, resume=True) as folder:
        assert folder.committed() == set()
    assert not any(path.exists() for path in torn)


def test_a_shard_is_committed_once(tmp_path: Path) -> None:
    with take(tmp_path) as folder:
        folder.commit(0, table("a"), {})
        with pytest.raises(OutputError, match="already released"):
            folder.commit(0, table("b"), {})
        assert [t.column(0).to_pylist() for t in folder.tables()] == [["a"]]


def test_missing_and_surplus_shards_are_not_released(tmp_path: Path) -> None:
    with take(tmp_path) as folder:
        folder.commit(1, table("b"), {})
        with pytest.raises(OutputError, match=r"2 of 3 shards are missing.* shard 0;"):
            folder.write_release("csv", shards=3, schema=SCHEMA)
        folder.commit(0, table("a"), {})
        with pytest.raises(OutputError, match="2 shards of an input that has 1"):
            folder.write_release("csv", shards=1, schema=SCHEMA)
    assert not (tmp_path / "data.csv").exists()


def test_a_damaged_shard_is_named(tmp_path: Path) -> None:
    with take(tmp_path) as folder:
        folder.commit(0, table("a"), {})
        (shard,) = (tmp_path / PARTIAL).glob("shard-*")
        shard.write_bytes(b"ARROW1 nonsense")
        with pytest.raises(OutputError, match="shard 0 cannot be read back"):
            folder.write_release("csv", shards=1, schema=SCHEMA)


def test_a_second_run_is_refused_while_the_first_lives(tmp_path: Path) -> None:
    script = (
        "import sys; from pathlib import Path\n"
        "from publius.pipeline.folder import ReleaseFolder\n"
        "folder = ReleaseFolder.create(Path(sys.argv[1]), {}, resume=True)\n"
        "print('held', flush=True); sys.stdin.read()"
    )
    first = subprocess.Popen(  # noqa: S603 - our own script
        [sys.executable, "-c", script, tmp_path],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    with first:
        assert first.stdout is not None
        assert first.stdout.readline() == b"held\n"
        with pytest.raises(OutputError, match="another run is writing"):
            ReleaseFolder.create(tmp_path, {}, resume=True)
        first.kill()
    ReleaseFolder.create(tmp_path, {}, resume=True).close()


@settings(max_examples=30, deadline=None)
@given(
    count=st.integers(0, 6),
    kills=st.lists(st.integers(0, 3), max_size=4),
    order=st.randoms(use_true_random=False),
)
def test_any_sequence_of_kills_and_resumes_ends_in_the_same_release(
    tmp_path_factory: pytest.TempPathFactory,
    count: int,
    kills: list[int],
    order: Random,
) -> None:
    out = tmp_path_factory.mktemp("out") / "release"
    drawn: list[int] = []
    for steps in [*kills, count]:
        folder = take(out, resume=True)
        open_ones = [n for n in range(count) if n not in folder.committed()]
        order.shuffle(open_ones)
        for number in open_ones[:steps]:
            drawn.append(number)
            folder.commit(number, table(f"text {number}"), {"rows": 1})
        folder.close()  # as the system does when the process is killed
    with take(out, resume=True) as folder:
        path = folder.write_release("parquet", shards=count, schema=SCHEMA)
        assert sum(c["rows"] for c in folder.counts()) == count
        folder.finish()
    assert texts(path) == [f"text {number}" for number in range(count)]
    assert sorted(drawn) == list(range(count))


def test_a_run_that_came_in_between_is_noticed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    take(tmp_path).close()
    monkeypatch.setattr(
        "publius.pipeline.folder.refuse_occupied", lambda *_, **__: None
    )
    with pytest.raises(OutputError, match="another run has just used this folder"):
        take(tmp_path)
    monkeypatch.undo()
    take(tmp_path, resume=True).close()


def test_shards_that_cannot_be_set_aside(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with take(tmp_path) as folder:
        monkeypatch.setattr(Path, "replace", refuse)
        with pytest.raises(OutputError, match="Permission"):
            folder.finish()


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 0, 1), (1, 2, 0)])
def test_a_table_begun_early_is_that_written_at_the_end(
    tmp_path: Path, order: tuple[int, ...]
) -> None:
    found = []
    for name, begins in (("late", False), ("early", True)):
        with take(tmp_path / name) as folder:
            if begins:
                folder.begin_release("parquet", schema=SCHEMA)
            for number in order:
                folder.commit(number, table(f"text {number}"), {"rows": 1})
            path = folder.write_release("parquet", shards=3, schema=SCHEMA)
            found.append(path.read_bytes())
            folder.finish()
    assert found[0] == found[1]
    assert texts(path) == ["text 0", "text 1", "text 2"]


def test_a_table_begun_early_goes_on_where_a_run_was_interrupted(
    tmp_path: Path,
) -> None:
    with take(tmp_path) as folder:
        folder.begin_release("csv", schema=SCHEMA)
        folder.commit(0, table("a"), {"rows": 1})
    assert not (tmp_path / "data.csv").exists()
    with take(tmp_path, resume=True) as folder:
        folder.begin_release("csv", schema=SCHEMA)
        folder.commit(1, table("b"), {"rows": 1})
        assert texts(folder.write_release("csv", shards=2, schema=SCHEMA)) == ["a", "b"]
        folder.finish()
    assert names(tmp_path) == {"data.csv"}


def test_a_table_begun_early_leaves_nothing_of_a_failed_run(tmp_path: Path) -> None:
    def failing() -> None:
        with take(tmp_path / "out") as folder:
            folder.begin_release("parquet", schema=SCHEMA)
            raise DataError("row 3 is broken")

    with pytest.raises(DataError, match="row 3"):
        failing()
    assert not (tmp_path / "out").exists()


def test_a_table_begun_early_lacks_no_shard(tmp_path: Path) -> None:
    with take(tmp_path) as folder:
        folder.begin_release("csv", schema=SCHEMA)
        folder.commit(1, table("b"), {})
        with pytest.raises(OutputError, match="1 of 2 shards are missing"):
            folder.write_release("csv", shards=2, schema=SCHEMA)
    assert not (tmp_path / "data.csv").exists()


def test_a_fault_of_a_table_begun_early_stops_the_run(tmp_path: Path) -> None:
    lists = pa.table({"text": [[1]]})

    def written() -> None:
        with take(tmp_path) as folder:
            folder.begin_release("csv", schema=lists.schema)
            folder.commit(0, lists, {})
            folder.write_release("csv", shards=1, schema=lists.schema)

    with pytest.raises(OutputError, match="cannot hold these columns"):
        written()
    assert not (tmp_path / "data.csv").exists()


def test_a_shard_of_another_process_is_its_file(tmp_path: Path) -> None:
    with take(tmp_path) as folder:
        folder.commit(0, shard_file(table("a"), {"rows": 1}), {"rows": 1})
        assert folder.counts() == [{"rows": 1}]
        assert [t.to_pylist() for t in folder.tables()] == [[{"text": "a"}]]
