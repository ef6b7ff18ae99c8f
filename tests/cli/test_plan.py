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
    assert said["most_exposed"]["promises"] == told["counts"]["busiest"]
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
    assert "only 1 of the workers would have work" in done.out
    assert "most exposed author: 80 protected words" in done.out


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
