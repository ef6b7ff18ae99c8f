"""--quiet, --log, publius run, and tables that are not what they seem."""

import json
import os
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pyarrow import parquet

from publius.cli.show import time_left

Command = Callable[..., Any]
SMALL = ("--vocabulary", 60, "--seed", 1)
CANARY = "zyzzyva"
ROWS = f"body,user\nthe people of {CANARY},ann\nthe world,bob\n"


@pytest.fixture
def table(tmp_path: Path) -> Path:
    (tmp_path / "in.csv").write_text(ROWS)
    return tmp_path / "in.csv"


def test_quiet_prints_nothing_but_warnings(publius: Command, table: Path) -> None:
    done = publius("release", table, "-o", "out", *SMALL, "--quiet")
    assert (done.code, done.out) == (0, "")
    assert "INSECURE" in done.err
    again = publius("release", table, "-o", "other", *SMALL)
    assert "rows" in again.out  # the next run is not quiet


def test_a_log_holds_stages_and_no_secret(publius: Command, table: Path) -> None:
    asked = ("release", table, "-o", "out", *SMALL, "--log", "run.log")
    assert publius(*asked).code == 0
    assert publius(*asked).code == 1  # the folder exists
    path = table.parent / "run.log"
    events = [json.loads(line) for line in path.read_text().splitlines()]
    kinds = [event["event"] for event in events]
    assert {"start", "stage", "rows", "error", "end"} == set(kinds)
    assert [e["code"] for e in events if e["event"] == "end"] == [0, 1]
    assert CANARY not in path.read_text()
    assert "ann" not in path.read_text().split()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_log_never_lies_in_the_released_folder(publius: Command, table: Path) -> None:
    (table.parent / "out").mkdir()
    asked = ("-o", "out", *SMALL, "--resume", "--log", "out/run.log")
    done = publius("release", table, *asked)
    assert done.code == 1
    assert "must not lie in the released folder" in done.err
    assert not list((table.parent / "out").iterdir())


def test_a_log_is_not_written_into_another_file(publius: Command, table: Path) -> None:
    before = table.read_text()
    done = publius("release", table, "-o", "out", *SMALL, "--log", table)
    assert (done.code, table.read_text()) == (1, before)
    assert "holds something else" in done.err
    assert not (table.parent / "out").exists()


@pytest.mark.skipif(os.name != "posix", reason="rights are those of Unix")
@pytest.mark.parametrize("rights", [0o640, 0o604, 0o622])
def test_a_log_that_others_can_read_is_refused(
    publius: Command, table: Path, rights: int
) -> None:
    asked = ("release", table, *SMALL, "--log", "run.log")
    assert publius(*asked, "-o", "one").code == 0
    path = table.parent / "run.log"
    assert path.stat().st_mode & 0o777 == 0o600
    before = path.read_bytes()
    path.chmod(rights)
    done = publius(*asked, "-o", "two")
    assert (done.code, done.err.count("\n")) == (1, 1)
    assert "chmod 600" in done.err
    assert path.read_bytes() == before
    assert not (table.parent / "two").exists()
    path.chmod(0o600)
    assert publius(*asked, "-o", "two").code == 0
    assert path.read_bytes().startswith(before)


def test_a_log_that_cannot_be_written_is_one_line(
    publius: Command, table: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    done = publius("try", CANARY, *SMALL, "--log", "nowhere/run.log")
    assert (done.code, len(done.err.splitlines())) == (1, 1)
    assert "the log cannot be written" in done.err

    def lose(*_: object, **__: object) -> None:
        (table.parent / "run.log").unlink()
        (table.parent / "run.log").mkdir()
        raise ValueError(CANARY)

    # The log breaks where an error is told, whose text may quote a secret.
    monkeypatch.setattr("publius.cli.try_command.try_text", lose)
    done = publius("try", CANARY, *SMALL, "--log", "run.log")
    assert done.code == 1
    assert CANARY not in done.out + done.err
    assert "cannot be written any more" in done.err


def test_run_does_what_the_file_says(publius: Command, table: Path) -> None:
    job = '[job]\ninput = "in.csv"\nout = "out"\ntext = "body"\nkeep = ["user"]\n'
    rest = "seed = 1\n[words]\nvocabulary = 60\n"
    (table.parent / "publius.toml").write_text(job + rest)
    told = publius("run", "--dry-run").out
    assert (
        "publius release --out out --text body --keep user --seed 1 -- in.csv" in told
    )
    assert not (table.parent / "out").exists()
    done = publius("run")
    assert done.code == 0, done.err
    released = parquet.read_table(table.parent / "out" / "data.parquet")
    assert released.column_names == ["body", "user"]


@pytest.mark.parametrize(
    ("job", "said"),
    [
        ("[job]\nout = 'x'\n", "[job] in publius.toml must name its input"),
        ("[job]\ninput = 'in.csv'\n", "[job] in publius.toml must name its out"),
        ("[job]\nverb = 'times'\ninput = 'a'\nout = 'b'\n", "must name its column"),
        ("[job]\ninput = ['a', 'b']\nout = 'x'\n", "must be one name"),
        ("[job]\ninput = 'in.csv'\nepsilom = 3\n", "did you mean 'epsilon'"),
        ("[job]\ninput = 'in.csv'\nforce = 'yes'\n", "must be true or false"),
        ("[job]\ninput = 'in.csv'\nkeep = true\n", "keep in [job] of publius.toml mu"),
        ("[job]\nverb = 'relase'\ninput = 'in.csv'\n", "did you mean 'release'"),
    ],
)
def test_a_job_that_is_not_understood(
    publius: Command, table: Path, job: str, said: str
) -> None:
    (table.parent / "publius.toml").write_text(job)
    done = publius("run")
    assert done.code == 1
    assert said in done.err


def test_false_is_the_other_side_of_a_flag(publius: Command, table: Path) -> None:
    flags = "balanced = false\nsynonyms = true\nplain = false\nforce = false\n"
    job = f"[job]\ninput = 'in.csv'\nout = 'x'\n{flags}"
    (table.parent / "publius.toml").write_text(job)
    told = publius("run", "--dry-run").out
    assert "publius release --out x --plain --synonyms --balanced -- in.csv" in told


def test_an_empty_table_and_one_without_words_are_noticed(
    publius: Command, tmp_path: Path
) -> None:
    (tmp_path / "in.csv").write_text("body\n")
    assert "no rows" in publius("release", "in.csv", "-o", "a", *SMALL).err
    (tmp_path / "in.csv").write_text("body\nit is\n")
    assert "Nothing here" in publius("release", "in.csv", "-o", "b", *SMALL).err


@pytest.mark.parametrize("cell", ["the people", '"a,b;c"', "1,5"])
def test_only_the_line_of_names_decides_about_semicolons(
    publius: Command, tmp_path: Path, cell: str
) -> None:
    (tmp_path / "in.csv").write_text(f"body;user\n{cell};ann\n")
    asked = ("--keep", "user", "-o", "out", *SMALL)
    assert publius("release", "in.csv", *asked).code == 0
    released = parquet.read_table(tmp_path / "out" / "data.parquet")
    assert released.column("user").to_pylist() == ["ann"]


@pytest.mark.parametrize(
    ("elapsed", "done", "waiting", "told"),
    [(90.0, 3, 2, "about 1:00 left"), (9.0, 0, 4, ""), (9.0, 4, 0, "")],
)
def test_time_left(elapsed: float, done: int, waiting: int, told: str) -> None:
    assert time_left(elapsed, done, waiting) == told


@pytest.mark.parametrize(
    ("asked", "total"),
    [
        (("certify", "--epsilon", 4), 2),
        (("calibrate", "--grid", "2,3,4"), 3),
    ],
)
def test_steps_are_told_where_they_are_known(
    publius: Callable[..., Any], tmp_path: Path, asked: tuple[object, ...], total: int
) -> None:
    assert publius(*asked, "--vocabulary", 60, "--log", "log").code == 0
    events = map(json.loads, (tmp_path / "log").read_text().splitlines())
    steps = [event for event in events if event["event"] == "steps"]
    assert [event["done"] for event in steps] == list(range(total))
    assert {event["total"] for event in steps} == {total}
