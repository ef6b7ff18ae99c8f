"""A release and its ledger: charged before anything is drawn, once per run."""

import os
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from pyarrow import parquet

from publius.accounting import Ledger, Spending
from publius.core.config import LedgerSettings, WordSettings
from publius.core.errors import (
    BudgetError,
    DataError,
    FetchError,
    OutputError,
    ParameterError,
)
from publius.materials.times.treatment import TimeSettings
from publius.materials.words.sanitizer import Sanitizer
from publius.mechanisms.words.entry import embedding_for
from publius.pipeline import ReleaseRequest, Watch, release
from publius.pipeline.charging import check_counts
from publius.pipeline.folder import ReleaseFolder
from publius.pipeline.run import Run
from publius.retelling import server
from publius.retelling.settings import RetellSettings
from publius.tables.columns import Columns

SMALL = WordSettings(vocabulary=60)
ROWS = "body,who\nThe people,a\nworld,b\npeople and world,a\nworld,\n"


def request(folder: Path, **changes: object) -> ReleaseRequest:
    path = folder / "in.csv"
    if not path.exists():
        path.write_text(ROWS)
    asked: dict[str, object] = {
        "path": str(path),
        "out": folder / "out",
        "columns": Columns(("body",), "who"),
        "settings": SMALL,
        "ledger": LedgerSettings(str(folder / "ledger.db")),
    }
    return ReleaseRequest(**{**asked, **changes})  # type: ignore[arg-type]


def lost(folder: Path, name: str | None) -> Spending:
    with Ledger.open(folder / "ledger.db", create=False) as ledger:
        return ledger.lost(name)


def test_every_author_is_charged_what_the_report_says(tmp_path: Path) -> None:
    told = release(request(tmp_path))
    assert [lost(tmp_path, name).count for name in ("a", "b", None)] == [3, 1, 1]
    assert lost(tmp_path, "a").epsilon() == pytest.approx(told.facts.author_loss)
    near = 3 * told.guarantee.near_level
    assert lost(tmp_path, "a").near_epsilon() == pytest.approx(near)
    again = release(request(tmp_path, out=tmp_path / "again"))
    assert lost(tmp_path, "a").epsilon() == pytest.approx(2 * again.facts.author_loss)


def test_the_release_says_only_that_it_was_charged(tmp_path: Path) -> None:
    told = release(request(tmp_path))
    assert any("a ledger was charged" in line for line in told.guarantee.scope.covered)
    released = {path.name for path in (tmp_path / "out").iterdir()}
    assert released == {"data.parquet", "report.html", "manifest.json"}
    for path in (tmp_path / "out").iterdir():
        assert b"ledger.db" not in path.read_bytes()
    plain = release(request(tmp_path, out=tmp_path / "plain", ledger=None))
    assert "ledger" not in " ".join(plain.guarantee.scope.covered)


def test_without_authors_all_rows_are_one_subject(tmp_path: Path) -> None:
    release(request(tmp_path, columns=Columns(("body",))))
    assert lost(tmp_path, None).count == 5
    assert lost(tmp_path, "a") == Spending()


def test_whole_texts_are_charged_as_such(tmp_path: Path) -> None:
    settings = WordSettings(vocabulary=60, form="tf", length=5)
    told = release(request(tmp_path, settings=settings))
    assert lost(tmp_path, "a").count == 2
    assert lost(tmp_path, "a").epsilon() == pytest.approx(told.facts.author_loss)


@pytest.mark.parametrize("is_there", [True, False])
def test_over_budget_nothing_is_left_behind(tmp_path: Path, is_there: bool) -> None:  # noqa: FBT001
    limited = LedgerSettings(str(tmp_path / "ledger.db"), budget=20.0)
    if is_there:
        (tmp_path / "out").mkdir()
        (tmp_path / "out" / "mine.txt").write_text("mine")
    with pytest.raises(BudgetError if not is_there else OutputError):
        release(request(tmp_path, ledger=limited))
    left = sorted(path.name for path in tmp_path.rglob("*"))
    assert left == (
        ["in.csv", "mine.txt", "out"] if is_there else ["in.csv", "ledger.db"]
    )


def interrupted(folder: Path) -> ReleaseRequest:
    """Return a request whose run was stopped after its first shard."""
    (folder / "in.csv").write_text("body,who\n" + "world,a\n" * 4097)
    asked = request(folder)

    def stop(_rows: int, _read: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        release(asked, Watch(rows=stop))
    return asked


def test_a_resumed_run_is_charged_once(tmp_path: Path) -> None:
    asked = interrupted(tmp_path)
    assert lost(tmp_path, "a").count == 4097
    release(replace(asked, resume=True))
    assert lost(tmp_path, "a").count == 4097


def test_a_run_is_not_resumed_past_its_ledger(tmp_path: Path) -> None:
    asked = interrupted(tmp_path)
    with pytest.raises(OutputError, match="ledger changed"):
        release(replace(asked, resume=True, ledger=None))


def test_a_run_that_drew_nothing_gives_the_charge_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> int:
        assert lost(tmp_path, "a").count == 3  # charged by now
        raise DataError("broken")

    monkeypatch.setattr(Run, "release", fail)
    with pytest.raises(DataError, match="broken"):
        release(request(tmp_path))
    assert lost(tmp_path, "a") == Spending()
    assert not (tmp_path / "out").exists()


KILLED = """
import os, sys
from pathlib import Path
from typing import Any
sys.path.insert(0, sys.argv[1])
from test_ledger import request
from publius.pipeline import release
from publius.pipeline.run import Run
Run.release = lambda *_: os._exit(9)
release(request(Path(sys.argv[2])))
"""


def test_a_run_that_is_killed_stays_charged_and_is_charged_once(tmp_path: Path) -> None:
    here = str(Path(__file__).parent)
    done = subprocess.run(  # noqa: S603 - our own program
        [sys.executable, "-c", KILLED, here, str(tmp_path)], check=False
    )
    assert done.returncode == 9
    assert lost(tmp_path, "a").count == 3
    release(request(tmp_path, resume=True))
    assert lost(tmp_path, "a").count == 3
    assert (tmp_path / "out" / "manifest.json").exists()


def test_rows_that_were_not_charged_are_not_released(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = Run.release

    def grow(run: Run, *arguments: object) -> int:
        (tmp_path / "in.csv").write_text(ROWS + "world,c\n")
        return whole(run, *arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(Run, "release", grow)
    with pytest.raises(DataError, match="was changed"):
        release(request(tmp_path))
    assert not list((tmp_path / "out").glob("data.*"))
    check_counts({"a": 1, "b": 0}, {"a": 1})
    check_counts(None, {"a": 1})


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"seed": 1}, "--seed"),
        ({"path": "-"}, "standard input"),
        ({"ledger": LedgerSettings("out/ledger.db")}, "released folder"),
    ],
)
def test_what_cannot_be_charged_is_refused(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    changes: dict[str, object],
    said: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ParameterError, match=said):
        release(request(tmp_path, **changes))
    assert not (tmp_path / "out").exists()


def test_a_foreign_ledger_stops_the_release(tmp_path: Path) -> None:
    (tmp_path / "ledger.db").write_text("x" * 5000)
    (tmp_path / "ledger.db").chmod(0o600)
    with pytest.raises(DataError, match="not a ledger"):
        release(request(tmp_path))
    assert not (tmp_path / "out").exists()


def stopped_after(folder: Path, monkeypatch: pytest.MonkeyPatch, shards: int) -> None:
    """Leave the folder of a run that stopped after so many shards."""
    commit = ReleaseFolder.commit

    def stop(self: ReleaseFolder, number: int, *rest: Any) -> None:
        if number >= shards:
            raise KeyboardInterrupt
        commit(self, number, *rest)

    with monkeypatch.context() as patch:
        patch.setattr(ReleaseFolder, "commit", stop)
        with pytest.raises(KeyboardInterrupt):
            release(request(folder))


@pytest.mark.parametrize("is_folder", [False, True])
def test_a_run_is_not_resumed_under_another_law(
    tmp_path: Path,
    is_folder: bool,  # noqa: FBT001 - from the table
) -> None:
    vectors = tmp_path / "own.txt"
    vectors.write_text("people 0 1\nworld 1 0\nwomen 1 1\n")
    (tmp_path / "in").mkdir()
    for place in (tmp_path, tmp_path / "in"):
        (place / "in.csv").write_text("body,who\n" + "world,a\n" * 20_000)
    own = WordSettings(embedding=str(vectors), metric="euclidean", epsilon=1.0)
    asked = request(
        tmp_path,
        path=str(tmp_path / ("in" if is_folder else "in.csv")),
        settings=own,
        ledger=None,
    )

    def stop(_rows: int, _read: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        release(asked, Watch(rows=stop))
    vectors.write_text("people 0 9\nworld 9 0\nwomen 9 9\n")
    embedding_for.cache_clear()  # as in another process
    with pytest.raises(OutputError, match="the law changed"):
        release(replace(asked, resume=True))
    assert not list((tmp_path / "out").glob("data.*"))


def test_of_two_copies_of_an_unfinished_folder_one_is_released(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = ["body,who", *("world,a" for _ in range(5000))]
    (tmp_path / "in.csv").write_text("\n".join(rows) + "\n")
    stopped_after(tmp_path, monkeypatch, 1)
    shutil.copytree(tmp_path / "out", tmp_path / "copy")
    release(request(tmp_path, resume=True))
    with pytest.raises(OutputError, match="ended in another copy"):
        release(request(tmp_path, resume=True, out=tmp_path / "copy"))
    assert not list((tmp_path / "copy").glob("data.*"))
    assert lost(tmp_path, "a").count == 5000


def test_a_run_that_stopped_after_its_end_is_resumed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stop(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(ReleaseFolder, "write_release", stop)
        with pytest.raises(KeyboardInterrupt):
            release(request(tmp_path))
    release(request(tmp_path, resume=True))
    assert [lost(tmp_path, name).count for name in ("a", "b", None)] == [3, 1, 1]


def test_an_input_of_equal_size_and_time_that_changed_is_not_resumed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "in.csv"
    path.write_text("body,who\n" + "world,a\n" * 5000)
    stopped_after(tmp_path, monkeypatch, 1)
    times = path.stat()
    path.write_text("body,who\n" + "women,a\n" * 5000)
    os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))
    with pytest.raises(OutputError, match="input changed"):
        release(request(tmp_path, resume=True))


@pytest.mark.parametrize(("folds", "accounts"), [(True, 1), (False, 3)])
def test_names_that_differ_in_form_are_one_subject_on_request(
    tmp_path: Path, *, folds: bool, accounts: int
) -> None:
    (tmp_path / "in.csv").write_text("body,who\nworld,Ann Lee\nworld,ann  LEE\n")
    charged = LedgerSettings(str(tmp_path / "ledger.db"), fold_names=folds)
    release(request(tmp_path, ledger=charged))
    (tmp_path / "in.csv").write_text("body,who\nworld,\uff21nn Lee\n")
    release(request(tmp_path, ledger=charged, out=tmp_path / "again"))
    with Ledger.open(tmp_path / "ledger.db", create=False) as ledger:
        assert ledger.subjects() == accounts
        assert ledger.alike() == accounts - 1
        assert ledger.merge_alike() == accounts - 1
        assert ledger.lost("Ann Lee").count == 3
        assert ledger.alike() == 0


def test_copies_of_a_corpus_that_was_drawn_are_one_draw(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = " ".join(Sanitizer.from_settings(SMALL).embedding.vocabulary.words[:40])
    (tmp_path / "in.csv").write_text(f"body\n{words}\n")
    alike = replace(SMALL, consistent="corpus", protect="all")
    asked = request(tmp_path, settings=alike, columns=Columns(("body",)))

    def stop(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(ReleaseFolder, "write_release", stop)
        with pytest.raises(KeyboardInterrupt):
            release(asked)
    shutil.copytree(tmp_path / "out", tmp_path / "copy")
    for out in (tmp_path / "out", tmp_path / "copy"):
        release(replace(asked, out=out, resume=True))
    one, other = (
        parquet.read_table(tmp_path / out / "data.parquet") for out in ("out", "copy")
    )
    assert one.equals(other)


@pytest.mark.parametrize(
    ("address", "stays"),
    [("http://198.51.100.9", True), ("http://localhost:9", False)],
)
def test_words_that_were_sent_to_another_machine_stay_charged(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    address: str,
    stays: bool,  # noqa: FBT001 - from the table
) -> None:
    sent: list[bytes] = []

    def gone(_: object, body: bytes) -> bytes:
        sent.append(body)
        raise FetchError("gone")

    monkeypatch.setattr(server, "_post", gone)
    settings = RetellSettings(server=address, allow_remote=True)
    asked = request(tmp_path, settings=settings)
    with pytest.raises(FetchError, match="gone"):
        release(asked)
    assert sent
    assert (lost(tmp_path, "a").count > 0) == stays
    with pytest.raises(ParameterError if stays else FetchError):
        release(replace(asked, resume=True))
    assert len(sent) == (1 if stays else 2)


def test_parts_that_were_committed_stay_charged_where_a_later_one_fails(
    tmp_path: Path,
) -> None:
    (tmp_path / "in").mkdir()
    rows = ["body,who", *("07:30,a" for _ in range(65_536)), "7h30,a"]
    (tmp_path / "in" / "rows.csv").write_text("\n".join(rows) + "\n")
    times = TimeSettings(level=1.0, radius=1800)
    with pytest.raises(DataError, match="is no time"):
        release(request(tmp_path, path=str(tmp_path / "in"), settings=times))
    assert not list((tmp_path / "out").rglob("part-*"))
    assert lost(tmp_path, "a").count == 65_537
