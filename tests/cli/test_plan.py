"""A plan tells figures, never a secret, and leaves nothing behind."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

Command = Callable[..., Any]
SECRET, NAME = "Zyxwinska", "ssnzyx-001"
ASKED = ("--text", "body", "--author", "user", "--vocabulary", 60)


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "in.csv"
    rows = f"{NAME},people of {SECRET}\nbob,the world\n" * 40
    path.write_text("user,body\n" + rows)
    return path


@pytest.mark.usefixtures("table")
@pytest.mark.parametrize("engine", ["local", "spark", "ray"])
def test_a_plan_says_what_the_release_will_say(
    publius: Command, tmp_path: Path, engine: str
) -> None:
    done = publius("plan", "in.csv", *ASKED, "--engine", engine, "--json")
    assert done.code == 0, done.err
    said = json.loads(done.out)
    assert [file.name for file in tmp_path.iterdir()] == ["in.csv"]
    assert publius("release", "in.csv", *ASKED, "-o", "out").code == 0
    told = json.loads((tmp_path / "out" / "manifest.json").read_text())
    assert said["rows"] == pq.read_table(tmp_path / "out" / "data.parquet").num_rows
    assert said["protected_words"] == told["counts"]["words"]
    assert said["most_exposed"]["guarantees"] == told["counts"]["busiest"]
    assert said["most_exposed"]["loss"] == told["losses"]["busiest_author"]
    assert said["is_counted"] is True
    assert said["engine"] == engine


@pytest.mark.usefixtures("table")
def test_a_plan_names_no_word_and_no_person(publius: Command) -> None:
    for form in ((), ("--json",), ("--engine", "ray", "--workers", 7)):
        done = publius("plan", "in.csv", *ASKED, *form)
        assert done.code == 0, done.err
        assert SECRET not in done.out + done.err
        assert NAME not in done.out + done.err


@pytest.mark.usefixtures("table")
def test_a_plan_in_sentences(publius: Command) -> None:
    done = publius("plan", "in.csv", *ASKED, "--engine", "spark", "--workers", 7)
    assert "80 rows" in done.out
    assert "7 workers of spark" in done.out
    assert "are spark itself, as measured" in " ".join(done.out.split())
    assert "only 1 of the workers would have work" in done.out
    assert "most exposed author: 80 protected words" in done.out


def test_a_plan_of_one_row_speaks_of_one(publius: Command, tmp_path: Path) -> None:
    (tmp_path / "in.csv").write_text("body\nthe people\n")
    told = publius("plan", "in.csv", *ASKED[:2], *ASKED[4:]).out
    assert told.startswith("1 row, 1 protected word\n")
    assert "most exposed text: 1 protected word, a loss" in told
    assert "1 row counted, 1 row drawn here" in told


def test_a_plan_of_places_and_of_times(publius: Command, tmp_path: Path) -> None:
    rows = "ann,52.5,13.4,07:30\nbob,48.8,2.35,23:50\nann,52.6,13.3,08:15\n" * 9
    (tmp_path / "day.csv").write_text("who,lat,lon,wake\n" + rows)
    places = publius("plan", "day.csv", "--lat", "lat", "--lon", "lon", "--user", "who")
    assert places.code == 0, places.err
    assert "27 rows, 27 protected records" in places.out
    assert "most exposed person: 18 protected records, a loss of 18" in places.out
    times = publius("plan", "day.csv", "--column", "wake", "--level", 2, "--json")
    assert times.code == 0, times.err
    assert json.loads(times.out)["most_exposed"]["near_loss"] == 2.0


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--text", "x", "--column", "y"), "plan one of --text, --column"),
        (("--column", "y", "--epsilon", 2), "--epsilon is not for what --column"),
        (("--lat", "y", "--period", "week"), "--period is not for what --column"),
        (("--text", "body", "--radius", "200m"), "--radius is for times and places"),
        (("--text", "body", "--order", "keep"), "--order is for --mechanism retell"),
        (
            ("--text", "body", "--mechanism", "retell", "--metric", "hop"),
            "--metric is not offered for retell",
        ),
        (("--column", "y", "--words", 9), "--words is not for what --column"),
    ],
)
@pytest.mark.usefixtures("table")
def test_options_of_another_material_are_refused(
    publius: Command, options: tuple[object, ...], said: str
) -> None:
    done = publius("plan", "in.csv", *options)
    assert done.code == 1
    assert said in done.err


@pytest.mark.parametrize(
    "bad",
    [("in.csv", "--engine", "x"), ("none.csv",), ("-",), ("in.csv", "--text", "x")],
)
@pytest.mark.usefixtures("table")
def test_what_a_release_refuses_a_plan_refuses(
    publius: Command, bad: tuple[str, ...]
) -> None:
    done = publius("plan", *bad)
    assert done.code in (1, 2)
    assert done.err.count("\n") == 1


def test_a_folder_of_texts_is_planned_by_its_files(
    publius: Command, tmp_path: Path
) -> None:
    (tmp_path / "texts").mkdir()
    for number in range(5):
        (tmp_path / "texts" / f"{number}.txt").write_text("people of the world")
    for engine in ("local", "ray"):
        done = publius(
            "plan", "texts", "--vocabulary", 60, "--engine", engine, "--json"
        )
        assert done.code == 0, done.err
        assert json.loads(done.out)["rows"] == 5


def test_a_plan_reads_what_a_release_reads(publius: Command) -> None:
    Path("in.csv").write_text("body;user\nthe people of the world;a\n")
    asked = ("plan", "in.csv", "--text", "body", "--vocabulary", 60, "--json")
    done = publius(*asked, "--delimiter", ";")
    assert done.code == 0, done.err
    assert json.loads(done.out)["rows"] == 1
    assert publius(*asked, "--delimiter", ",").code == 1


def test_a_plan_of_no_rows_has_times_around_its_own(publius: Command) -> None:
    Path("in.csv").write_text("body\n")
    done = publius("plan", "in.csv", "--text", "body", "--vocabulary", 60, "--json")
    said = json.loads(done.out)
    for name in ("seconds", "cpu_seconds"):
        least, most = said["intervals"][name]
        assert 0 < least <= said[name] <= most
