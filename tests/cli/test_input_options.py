"""How an input is read, how much of it, and what is done without a draw."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from publius.core.errors import DataError
from publius.materials.words.treatment import WordTreatment

SMALL = ("--vocabulary", 60, "--seed", 1)
Command = Callable[..., Any]
ROWS = (
    "body,stars,code\n" + "the people of the world,5,007\nthe people said,1,12\n" * 40
)


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "in.csv"
    path.write_text(ROWS)
    return path


def released(folder: Path) -> pa.Table:
    return pq.read_table(folder / "data.parquet")


@pytest.mark.usefixtures("table")
def test_a_limit_releases_the_first_rows(publius: Command, tmp_path: Path) -> None:
    assert publius("release", "in.csv", "-o", "all", *SMALL).code == 0
    assert publius("release", "in.csv", "-o", "few", "--limit", 3, *SMALL).code == 0
    assert publius("release", "in.csv", "-o", "more", "--limit", 900, *SMALL).code == 0
    assert released(tmp_path / "few").num_rows == 3
    assert released(tmp_path / "more").equals(released(tmp_path / "all"))


@pytest.mark.usefixtures("table")
def test_force_replaces_a_release_and_nothing_else(
    publius: Command, tmp_path: Path
) -> None:
    asked = ("release", "in.csv", "-o", "out", *SMALL)
    assert publius(*asked).code == 0
    assert publius(*asked).code == 1
    assert publius(*asked, "--force", "--limit", 2).code == 0
    assert released(tmp_path / "out").num_rows == 2
    (tmp_path / "out" / "thesis.tex").write_text("years of work")
    refused = publius(*asked, "--force")
    assert refused.code == 1
    assert "no release wrote" in refused.err
    assert released(tmp_path / "out").num_rows == 2


@pytest.mark.usefixtures("table")
def test_force_leaves_folders_that_hold_no_release(
    publius: Command, tmp_path: Path
) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "data.csv").write_text(ROWS)
    assert publius("release", "in.csv", "-o", "mine", "--force", *SMALL).code == 1
    own = publius("release", "mine/data.csv", "-o", "mine", "--force", *SMALL)
    assert "the input lies in the folder" in own.err
    assert (tmp_path / "mine" / "data.csv").read_text() == ROWS
    both = publius("release", "in.csv", "-o", "x", "--force", "--resume", *SMALL)
    assert both.code == 1


@pytest.mark.usefixtures("table")
@pytest.mark.parametrize("path", ["in.csv", "folder"], ids=["file", "parts"])
def test_force_builds_the_mechanism_before_the_old_release_goes(
    publius: Command,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    path: str,
) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "in.csv").write_text(ROWS)
    asked = ("release", path, "-o", "out", *SMALL)
    assert publius(*asked).code == 0
    before = sorted(path.name for path in (tmp_path / "out").iterdir())

    def fails(*_: object) -> None:
        raise DataError("the table of words cannot be read")

    monkeypatch.setattr(WordTreatment, "prepare", fails)
    assert publius(*asked, "--force").code == 1
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == before
    assert (tmp_path / "out" / "manifest.json").is_file()


@pytest.mark.usefixtures("table")
@pytest.mark.parametrize("path", ["in.csv", "folder"], ids=["file", "parts"])
def test_force_asks_the_ledger_before_the_old_release_goes(
    publius: Command, tmp_path: Path, path: str
) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "in.csv").write_text(ROWS)
    charged = ("--author", "code", "--ledger", "losses.db", "--vocabulary", 60)
    asked = ("release", path, "-o", "out", *charged)
    assert publius(*asked).code == 0
    before = (tmp_path / "out" / "manifest.json").read_bytes()
    refused = publius(*asked, "--force", "--budget", 1)
    assert refused.code == 3
    assert "nothing charged" in refused.err
    assert (tmp_path / "out" / "manifest.json").read_bytes() == before
    assert len(publius("ledger", "show", "losses.db", "--refused").out.split()) > 2
    assert publius(*asked, "--force").code == 0
    assert (tmp_path / "out" / "manifest.json").read_bytes() != before
    assert (
        len(json.loads(publius("ledger", "releases", "losses.db", "--json").out)) == 2
    )


def test_a_line_that_txt_cannot_hold_is_refused_before_the_ledger_is_charged(
    publius: Command, tmp_path: Path
) -> None:
    (tmp_path / "in.txt").write_bytes(b"the people\r\nthe world\r\r\n")
    asked = ("release", "in.txt", "-o", "out", "--vocabulary", 60)
    refused = publius(*asked, "--ledger", "losses.db")
    assert refused.code == 1
    assert "line 2 ends in a carriage return" in refused.err
    told = json.loads(publius("ledger", "show", "losses.db", "--json").out)
    assert told["releases"] == 0
    assert not told["accounts"]
    assert publius(*asked, "--dry-run").code == 1
    assert publius(*asked, "--format", "jsonl", "--ledger", "losses.db").code == 0


@pytest.mark.usefixtures("table")
def test_a_dry_run_guarantees_what_the_release_guarantees(
    publius: Command, tmp_path: Path
) -> None:
    asked = ("release", "in.csv", "-o", "out", "--keep", "stars", "--json", *SMALL)
    told = json.loads(publius(*asked, "--dry-run").out)
    assert not (tmp_path / "out").exists()
    done = json.loads(publius(*asked).out)
    for name in ("guarantee", "statements", "losses", "counts", "settings"):
        assert told[name] == done[name]


@pytest.mark.usefixtures("table")
def test_a_dry_run_charges_and_writes_nothing(publius: Command, tmp_path: Path) -> None:
    asked = ("release", "in.csv", "-o", "out", "--ledger", "led.db", "--dry-run")
    done = publius(*asked, "--vocabulary", 60)
    assert done.code == 0
    assert "Nothing was drawn, written or charged." in done.out
    assert "guarantees would be spent, one for each protected word\n" in done.out
    assert sorted(path.name for path in tmp_path.iterdir()) == ["in.csv"]


def test_a_dry_run_of_times_and_places(publius: Command, tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("wake,lat,lon\n06:30,40.7,-74\n07:10,40.8,-74\n")
    times = publius("times", "t.csv", "--column", "wake", "-o", "out", "--dry-run")
    places = publius("places", "t.csv", "-o", "out", "--dry-run", "--limit", 1)
    assert times.code == places.code == 0
    assert "2 rows would leave" in times.out
    assert "1 row would leave" in places.out


@pytest.mark.parametrize(("sign", "told"), [(";", ()), ("|", ()), ("\t", ())])
def test_the_sign_between_names_is_noticed(
    publius: Command, tmp_path: Path, sign: str, told: tuple[str, ...]
) -> None:
    (tmp_path / "in.csv").write_text(f"body{sign}stars\nthe people, all{sign}3\n")
    asked = ("release", "in.csv", "-o", "out", "--keep", "stars", *told, *SMALL)
    assert publius(*asked).code == 0
    assert released(tmp_path / "out").column("stars").to_pylist() == [3]


def test_a_delimiter_may_be_told(publius: Command, tmp_path: Path) -> None:
    (tmp_path / "in.csv").write_text("body, all;stars\nthe people, all;3\n")
    asked = ("release", "in.csv", "--text", "body, all", "--keep", "stars", *SMALL)
    assert publius(*asked, "-o", "a").code == 1
    assert publius(*asked, "-o", "b", "--delimiter", ";").code == 0
    assert released(tmp_path / "b").column("stars").to_pylist() == [3]
    assert publius(*asked, "-o", "c", "--delimiter", "ab").code == 1


@pytest.mark.usefixtures("table")
def test_kept_columns_have_the_type_of_all_their_values(
    publius: Command, tmp_path: Path
) -> None:
    keep = ("--keep", "stars,code")
    assert publius("release", "in.csv", "-o", "out", *keep, *SMALL).code == 0
    schema = released(tmp_path / "out").schema
    assert schema.field("stars").type == pa.int64()
    assert schema.field("code").type == pa.large_string()  # 007 is no number


@pytest.mark.usefixtures("table")
def test_kept_cells_of_csv_leave_as_they_are_written(
    publius: Command, tmp_path: Path
) -> None:
    (tmp_path / "in.csv").write_text("body,price\nthe people,1.50\n")
    asked = ("release", "in.csv", "-o", "out", "--keep", "price", "--format", "csv")
    assert publius(*asked, *SMALL).code == 0
    assert '"1.50"' in (tmp_path / "out" / "data.csv").read_text()


def test_lines_stay_lines(publius: Command, tmp_path: Path) -> None:
    (tmp_path / "in.txt").write_text("the people\nof the world\n")
    assert publius("release", "in.txt", "-o", "out", *SMALL).code == 0
    assert len((tmp_path / "out" / "data.txt").read_text().splitlines()) == 2


@pytest.mark.usefixtures("table")
def test_a_named_file_of_settings_is_read(publius: Command, tmp_path: Path) -> None:
    (tmp_path / "publius.toml").write_text("[words]\nepsilon = 1\n")
    (tmp_path / "mine.toml").write_text("[words]\nepsilon = 3\nvocabulary = 60\n")
    asked = ("try", "the people", "--json", "--vocabulary", 60)
    here = json.loads(publius(*asked).out)["guarantee"]
    named = json.loads(publius(*asked, "--config", "mine.toml").out)["guarantee"]
    assert here["terms"] != named["terms"]
    assert publius(*asked, "--config", "none.toml").code == 2


@pytest.mark.usefixtures("table")
def test_a_whole_job_has_engine_ledger_and_outputs(
    publius: Command, tmp_path: Path
) -> None:
    (tmp_path / "jobs").mkdir()
    (tmp_path / "jobs" / "reviews.toml").write_text(
        """
[job]
input = "../in.csv"
out = "released"
text = "body"
keep = ["stars", "code"]
engine = "local"
workers = 2
format = "jsonl"
limit = 4
log = "run.jsonl"
set = ["balanced=false", "repeats='1, 3'"]

[words]
vocabulary = 60

[ledger]
file = "ledger.db"
"""
    )
    done = publius("run", "jobs/reviews.toml")
    assert done.code == 0
    assert "Names of files are those of the folder jobs." in done.err
    folder = tmp_path / "jobs"
    assert len((folder / "released" / "data.jsonl").read_text().splitlines()) == 4
    manifest = json.loads((folder / "released" / "manifest.json").read_bytes())
    assert manifest["settings"]["balanced"] is False
    assert (folder / "ledger.db").exists()
    assert (folder / "run.jsonl").exists()


def test_a_language_is_told_to_the_owner_alone(
    publius: Command, tmp_path: Path
) -> None:
    """On the terminal, never in what is published or logged."""
    line = "Le chien est dans le jardin et la dame ne le voit pas avec les enfants.\n"
    (tmp_path / "in.txt").write_text(line * 20)
    asked = ("release", "in.txt", "-o", "out", "--log", "run.jsonl", *SMALL)
    assert "The texts look French" in publius(*asked, "--dry-run").err
    done = publius(*asked)
    assert "The texts look French" in done.err
    kept = [*(tmp_path / "out").iterdir(), tmp_path / "run.jsonl"]
    assert not any("French" in path.read_text() for path in kept)


def test_a_column_of_numbers_is_noticed(publius: Command, tmp_path: Path) -> None:
    (tmp_path / "in.csv").write_text("body,stars\nthe people,5\nall,1\n")
    done = publius("release", "in.csv", "--text", "stars", "-o", "out", *SMALL)
    assert "holds numbers" in done.err


@pytest.mark.usefixtures("table")
def test_a_huge_sum_of_losses_is_told_on_the_terminal(publius: Command) -> None:
    asked = ("release", "in.csv", "--text", "body", "--protect", "all", *SMALL)
    told = publius(*asked, "-o", "much", "--epsilon", 20).err
    assert "The text with most protected words loses" in told
    some = publius(*asked, "-o", "little", "--epsilon", 0.01).err
    assert "loses" not in some
