"""A release in parts: cut by rows, committed once, the manifest last."""

import json
import os
import pickle
import resource
import shutil
import signal
import stat
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyarrow import csv, parquet

from publius.accounting.ledger import Ledger
from publius.core.config import LedgerSettings, WordSettings
from publius.core.errors import (
    BudgetError,
    CompleteError,
    DataError,
    OutputError,
    ParameterError,
    WorkerError,
)
from publius.engines.engine import needs_gpu
from publius.engines.split import Piece, Split, cut_by_rows
from publius.engines.store import LocalStore
from publius.engines.tally import Adding, Tally
from publius.materials.sentences.settings import SentenceSettings
from publius.materials.sentences.treatment import SentenceTreatment
from publius.pipeline import ReleaseRequest, TimeSettings, release
from publius.pipeline.part_task import PartTask, TalliedPart
from publius.tables.columns import Columns

ROWS = 20_000  # two parts
SETTINGS = WordSettings(vocabulary=60)


def rows(count: int = ROWS) -> pa.Table:
    texts = [f"People said {i} of the world" if i % 7 else None for i in range(count)]
    users = [f"user-{i % 11}" for i in range(count)]
    return pa.table({"body": texts, "user": users})


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("parts") / "in"
    path.mkdir()
    whole = rows()
    parquet.write_table(whole.slice(0, 7000), path / "a.parquet", row_group_size=999)
    parquet.write_table(whole.slice(7000), path / "b.parquet")
    (path / "_SUCCESS").touch()
    return path


def asked(path: Path, out: Path, **changes: object) -> ReleaseRequest[Any]:
    given: dict[str, object] = {
        "path": str(path),
        "out": out,
        "columns": Columns(("body",), "user", ("user",)),
        "settings": SETTINGS,
        "seed": 5,
    }
    return ReleaseRequest(**{**given, **changes})  # type: ignore[arg-type]


def files(out: Path) -> dict[str, bytes]:
    found = (path for path in out.rglob("*") if path.is_file())
    return {str(path.relative_to(out)): path.read_bytes() for path in found}


@dataclass
class Faulty:
    """An engine that treats the task as bad engines do."""

    change: Callable[[PartTask, Split], Iterator[object]]

    def run(self, task: Any, splits: Sequence[Split]) -> Iterator[Any]:
        for split in splits:
            if isinstance(task, PartTask):
                yield from self.change(pickle.loads(pickle.dumps(task)), split)  # noqa: S301
            else:
                yield task(split)

    def run_tallied(
        self, task: Any, splits: Sequence[Split], tally: Tally
    ) -> Iterator[Any]:
        adding, is_part = Adding(), isinstance(task, TalliedPart)
        for split in splits:
            if is_part:
                yield from self.run(task.task, [split])
            told = task(split)
            adding.add(split.number, told.sums)
            if not is_part:
                yield told.result
        tally.close(adding.total)

    def close(self) -> None:
        """Keep nothing."""


@pytest.mark.slow
def test_parts_hold_what_one_file_would_for_any_number_of_workers(
    folder: Path, tmp_path: Path
) -> None:
    whole = tmp_path / "whole.parquet"
    parquet.write_table(rows(), whole)
    one = release(asked(whole, tmp_path / "one"))
    two = release(asked(folder, tmp_path / "two"))
    release(asked(folder, tmp_path / "three", workers=2))
    assert files(tmp_path / "two") == files(tmp_path / "three")
    written = files(tmp_path / "two")
    parts = sorted(name for name in written if name.startswith("parts/"))
    assert parts == ["parts/part-000000.parquet", "parts/part-000001.parquet"]
    assert set(written) == {*parts, "manifest.json", "report.html"}
    assert two.exposure == one.exposure
    assert sorted(json.loads(written["manifest.json"])["files"]) == parts
    assert parquet.read_table(tmp_path / "two/parts").equals(
        parquet.read_table(tmp_path / "one/data.parquet")
    )
    counts = [parquet.read_metadata(tmp_path / "two" / n).num_rows for n in parts]
    assert counts == [16_384, ROWS - 16_384]


@pytest.mark.parametrize("kind", ["csv", "jsonl", "txt"])
def test_folders_of_every_format(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "in"
    path.mkdir()
    for name in "ab":
        file = path / f"{name}.{kind}"
        if kind == "csv":
            csv.write_csv(rows(50), file)
        elif kind == "jsonl":
            file.write_text("".join(json.dumps(r) + "\n" for r in rows(50).to_pylist()))
        else:
            file.write_text("people of\nthe world")
    engine = Faulty(lambda task, split: iter([task(split)]))
    columns = Columns(()) if kind == "txt" else Columns(("body",))
    done = release(asked(path, tmp_path / "out", columns=columns), engine=engine)
    assert done.exposure.rows == (2 if kind == "txt" else 100)


def test_times_in_parts(tmp_path: Path) -> None:
    path = tmp_path / "in"
    path.mkdir()
    parquet.write_table(pa.table({"wake": ["06:30", "07:15"] * 9}), path / "a.parquet")
    settings = TimeSettings(level=1.0, radius=1800)
    done = release(asked(path, tmp_path / "out", settings=settings,
                         columns=Columns(("wake",))))  # fmt: skip
    assert done.exposure.rows == 18


def test_a_repeated_attempt_is_one_draw(folder: Path, tmp_path: Path) -> None:
    release(asked(folder, tmp_path / "once", seed=5))
    twice = Faulty(lambda task, split: iter([task(split), task(split)]))
    done = release(asked(folder, tmp_path / "twice", seed=5), engine=twice)
    assert files(tmp_path / "once") == files(tmp_path / "twice")
    assert done.exposure.rows == ROWS
    release(asked(folder, tmp_path / "secure", seed=None), engine=twice)


def test_rows_that_changed_between_attempts_are_refused(
    folder: Path, tmp_path: Path
) -> None:
    def change(task: PartTask, split: Split) -> Iterator[object]:
        task(split)
        shifted = tuple(Piece(p.uri, p.first + 1, p.rows - 1) for p in split.pieces)
        yield task(split._replace(pieces=shifted))

    with pytest.raises(OutputError, match="part 0 was written by somebody else"):
        release(asked(folder, tmp_path / "out", seed=None), engine=Faulty(change))
    assert not (tmp_path / "out/manifest.json").exists()


def test_a_part_of_another_driver_is_refused(folder: Path, tmp_path: Path) -> None:
    def race(task: PartTask, split: Split) -> Iterator[object]:
        other = replace(task.task, key=replace(task.task.key, key=bytes(32)))
        replace(task, task=other)(split)
        yield task(split)

    with pytest.raises(OutputError, match="another run writes here"):
        release(asked(folder, tmp_path / "out", seed=None), engine=Faulty(race))


@dataclass(frozen=True)
class Shared:
    """A store that others may read: no folder of this machine."""

    root: str

    def __getattr__(self, name: str) -> object:
        if name.startswith("_") or name == "root":
            raise AttributeError(name)
        return getattr(LocalStore(self.root), name)


def stop_at(number: int) -> Faulty:
    def stop(task: PartTask, split: Split) -> Iterator[object]:
        if split.number == number:
            raise WorkerError("lost")
        yield task(split)

    return Faulty(stop)


def test_what_somebody_else_put_there_is_refused(folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    with pytest.raises(WorkerError):
        release(asked(folder, out), engine=stop_at(1))
    forged = out / "parts/part-000001.parquet"
    forged.write_bytes((out / "parts/part-000000.parquet").read_bytes())
    with pytest.raises(OutputError, match="part 1 is not what its run committed"):
        release(asked(folder, out, resume=True))
    forged.rename(out / "parts/part-1-copy.parquet")
    with pytest.raises(OutputError, match="somebody else has written"):
        release(asked(folder, out, resume=True))
    assert not (out / "manifest.json").exists()


def test_parts_that_only_their_workers_can_read_are_no_release(
    folder: Path, tmp_path: Path
) -> None:
    def apart(task: PartTask, split: Split) -> Iterator[object]:
        yield replace(task, store=LocalStore(str(tmp_path / "theirs")))(split)

    request = asked(folder, tmp_path / "out", columns=Columns(("body",)))
    with pytest.raises(OutputError, match="2 of 2 parts lie where only"):
        release(request, engine=Faulty(apart))
    assert not (tmp_path / "out/manifest.json").exists()


@pytest.mark.parametrize("name", ["year=2020", "_delta_log", "_temporary", "out"])
def test_rows_in_folders_of_the_folder_are_not_left_out_silently(
    tmp_path: Path, name: str
) -> None:
    path = tmp_path / "in"
    (path / name).mkdir(parents=True)
    parquet.write_table(rows(5), path / "a.parquet")
    request = asked(path, path / "out")
    if name in ("_temporary", "out"):
        assert release(request).exposure.rows == 5
        return
    with pytest.raises(DataError, match="folders in the folder of the input"):
        release(request)


@pytest.mark.parametrize("when", ["before", "vanished"])
def test_input_that_changes_is_refused(folder: Path, tmp_path: Path, when: str) -> None:
    place = tmp_path / "in"
    shutil.copytree(folder, place)

    def change(task: PartTask, split: Split) -> Iterator[object]:
        if when == "before":
            os.utime(place / "b.parquet", ns=(1, 1))
        else:
            (place / "b.parquet").unlink(missing_ok=True)
        yield task(split)

    said = "changed" if when == "before" else "vanished"
    with pytest.raises(DataError, match=said):
        release(asked(place, tmp_path / "out"), engine=Faulty(change))
    assert not (tmp_path / "out/manifest.json").exists()


def test_a_full_disk_is_told_as_it_is(tmp_path: Path) -> None:
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    old = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, before[1]))
    try:
        with pytest.raises(OutputError, match="the file grew beyond the size limit"):
            LocalStore(str(tmp_path)).put_once("parts/a", bytes(2000))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, old)
    assert LocalStore(str(tmp_path)).names("parts") == []


@pytest.mark.slow
def test_sums_per_subject_are_what_one_table_gives(
    folder: Path, tmp_path: Path
) -> None:
    ledger = LedgerSettings(str(tmp_path / "ledger.json"))
    charged = release(asked(folder, tmp_path / "a", seed=None, ledger=ledger))
    free = release(asked(folder, tmp_path / "b", seed=None, workers=2))
    whole = tmp_path / "whole.parquet"
    parquet.write_table(rows(), whole)
    one = release(asked(whole, tmp_path / "c", seed=None))
    assert charged.exposure == free.exposure == one.exposure
    with Ledger.open(ledger.file) as opened:
        (charge,) = opened.charges()
    assert (charge.subjects, charge.most) == (11, one.exposure.busiest)


def test_a_mechanism_on_a_gpu_declares_it() -> None:
    declared = []
    for device in ("auto", "cpu"):
        settings = SentenceSettings(sigma=1.0, device=device)
        source: Any = None
        prepared = SentenceTreatment(settings).prepare(source, print)
        declared.append(needs_gpu(prepared))
    assert [*declared, needs_gpu(len)] == [True, False, False]


@pytest.mark.parametrize("key", [5, None])
def test_an_interrupted_run_is_resumed(
    folder: Path, tmp_path: Path, key: int | None
) -> None:
    out = tmp_path / "out"
    with pytest.raises(WorkerError):
        release(asked(folder, out, seed=key), engine=stop_at(1))
    kept = (out / "parts/part-000000.parquet").read_bytes()
    assert stat.S_IMODE((out / ".partial").stat().st_mode) == 0o700
    with pytest.raises(OutputError, match="--resume"):
        release(asked(folder, out, seed=key))
    with pytest.raises(OutputError, match="settings changed"):
        release(asked(folder, out, seed=key, resume=True,
                      settings=WordSettings(vocabulary=60, epsilon=9.0)))  # fmt: skip
    done = release(asked(folder, out, seed=key, resume=True))
    assert (out / "parts/part-000000.parquet").read_bytes() == kept
    release(asked(folder, tmp_path / "whole"))
    if key is not None:
        assert files(out) == files(tmp_path / "whole")
    assert done.exposure.rows == ROWS
    assert not (out / ".partial").exists()
    with pytest.raises(OutputError, match="complete release"):
        release(asked(folder, out, seed=key, resume=True))


@pytest.mark.parametrize("changed", ["a.csv", "b.csv"])
@pytest.mark.parametrize("word", ["body", "who"])
def test_a_file_replaced_by_one_of_the_same_size_and_time_is_noticed(
    tmp_path: Path, changed: str, word: str
) -> None:
    place, out = tmp_path / "in", tmp_path / "out"
    place.mkdir()
    line = "the world,ann\n"
    (place / "a.csv").write_text("body,user\n" + line * 17_000)
    (place / "b.csv").write_text("body,user\n" + line * 17_000)
    with pytest.raises(WorkerError):
        release(asked(place, out, seed=None), engine=stop_at(1))
    file = place / changed
    about, text = file.stat(), file.read_text()
    old, new = ("world", "earth") if word == "body" else ("ann", "bob")
    file.write_text(text[:-60] + text[-60:].replace(old, new))
    os.utime(file, ns=(about.st_atime_ns, about.st_mtime_ns))
    assert file.stat().st_size == about.st_size
    assert file.stat().st_mtime_ns == about.st_mtime_ns
    with pytest.raises(OutputError, match="input changed since the run began"):
        release(asked(place, out, seed=None, resume=True))
    file.write_text(text)
    os.utime(file, ns=(about.st_atime_ns, about.st_mtime_ns))
    done = release(asked(place, out, seed=None, resume=True))
    assert done.exposure.rows == 34_000
    assert sorted(path.name for path in out.iterdir()) == [
        "manifest.json", "parts", "report.html",
    ]  # fmt: skip


def test_the_seal_of_an_input_is_not_laid_into_a_store_of_others(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("publius.pipeline.distributed.store_at", Shared)
    with pytest.raises(WorkerError):
        release(asked(folder, tmp_path / "shared"), engine=stop_at(1))
    names = {path.name for path in (tmp_path / "shared/.partial").iterdir()}
    assert "job.json" in names
    assert "input.seal" not in names
    release(asked(folder, tmp_path / "shared", resume=True))


def test_a_run_that_died_after_its_manifest_is_complete(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr("publius.pipeline.part_folder.PartFolder.sweep", lambda _: None)
        release(asked(folder, tmp_path / "out"))
    with pytest.raises(CompleteError):
        release(asked(folder, tmp_path / "out", resume=True))
    assert not (tmp_path / "out/.partial").exists()


def test_a_ledger_is_charged_once_before_the_first_draw(
    folder: Path, tmp_path: Path
) -> None:
    ledger = LedgerSettings(str(tmp_path / "ledger.json"))
    common = {"seed": None, "ledger": ledger}
    with pytest.raises(WorkerError):
        release(asked(folder, tmp_path / "out", **common), engine=stop_at(1))
    charged = (tmp_path / "ledger.json").read_bytes()
    with pytest.raises(WorkerError):
        release(asked(folder, tmp_path / "lost", **common), engine=stop_at(0))
    # Nothing is there, but a task that the driver lost might still commit.
    assert (tmp_path / "ledger.json").read_bytes() != charged
    release(asked(folder, tmp_path / "out", **common, resume=True))
    spent = LedgerSettings(str(tmp_path / "ledger.json"), budget=1.0)
    with pytest.raises(BudgetError):
        release(asked(folder, tmp_path / "more", seed=None, ledger=spent))
    assert not (tmp_path / "more").exists()
    assert charged


def test_a_release_is_not_removed_for_one_that_the_ledger_refuses(
    tmp_path: Path,
) -> None:
    (tmp_path / "in").mkdir()
    parquet.write_table(rows(50), tmp_path / "in/a.parquet")
    file = str(tmp_path / "ledger")
    first = asked(tmp_path / "in", tmp_path / "out", seed=None)
    release(replace(first, ledger=LedgerSettings(file)))
    before = files(tmp_path / "out")
    spent = LedgerSettings(file, budget=1.0)
    with pytest.raises(BudgetError):
        release(replace(first, ledger=spent, replaces=True))
    assert files(tmp_path / "out") == before
    more = LedgerSettings(file, budget=1e9)
    release(replace(first, ledger=more, replaces=True))
    assert files(tmp_path / "out") != before


def test_bad_rows_leave_nothing(tmp_path: Path) -> None:
    path = tmp_path / "in"
    path.mkdir()
    for name in "ab":
        parquet.write_table(pa.table({"wake": ["06:30"]}), path / f"{name}.parquet")
    parquet.write_table(pa.table({"wake": [1]}), path / "c.parquet")
    settings = TimeSettings(level=1.0, radius=1800)
    request = asked(
        path, tmp_path / "out", settings=settings, columns=Columns(("wake",))
    )
    with pytest.raises(DataError, match="different columns or types"):
        release(request)
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"format": "csv"}, "leave --format out"),
        ({"show_examples": True}, "single local files"),
        ({"escapes": True}, "csv and tsv"),
    ],
)
def test_what_parts_do_not_do(
    folder: Path, tmp_path: Path, changes: dict[str, object], message: str
) -> None:
    with pytest.raises(ParameterError, match=message):
        release(asked(folder, tmp_path / "out", **changes))


def test_parts_are_cut_by_rows_whatever_the_files_are() -> None:
    splits = cut_by_rows({"a": 5, "b": 0, "c": 4}, 4)
    assert [sum(p.rows for p in split.pieces) for split in splits] == [4, 4, 1]
    assert splits[1].pieces == (Piece("a", 4, 1), Piece("c", 0, 3))
    assert cut_by_rows({}, 4) == [Split(0, ())]


def test_the_first_writer_of_a_name_wins(tmp_path: Path) -> None:
    store = LocalStore(str(tmp_path))
    assert store.put_once("parts/a", b"one")
    assert not store.put_once("parts/a", b"two")
    assert store.get("parts/a") == b"one"
    assert store.get("parts/b") is None
    store.put("parts/a", b"three")
    assert store.names("parts") == ["parts/a"]
    store.remove("parts/a")
    assert store.names() == []


def test_a_task_is_small_and_shows_no_key(folder: Path, tmp_path: Path) -> None:
    seen: list[bytes] = []

    def look(task: PartTask, split: Split) -> Iterator[object]:
        seen.append(pickle.dumps(task))
        assert repr(task.task.key.key) not in repr(task)
        yield task(split)

    release(asked(folder, tmp_path / "out"), engine=Faulty(look))
    assert max(map(len, seen)) < 8000


def test_no_name_travels_in_a_summary(folder: Path, tmp_path: Path) -> None:
    def look(task: PartTask, split: Split) -> Iterator[object]:
        done = task(split)
        assert b"user-" not in pickle.dumps(done)
        yield done

    release(asked(folder, tmp_path / "out"), engine=Faulty(look))
