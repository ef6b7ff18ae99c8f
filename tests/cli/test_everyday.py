"""What people type, and what they see on terminals of any width."""

import io
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from publius.cli import show
from publius.cli.frame import COMMANDS, GROUPS
from publius.cli.tables import print_table

SMALL = ("--vocabulary", 60)
Command = Callable[..., Any]
ROWS = "body,user\n" + "the people of the world,ann\nthe people said,bob\n" * 40


def test_help_groups_every_command(publius: Command) -> None:
    told = publius("--help").out
    assert all(f"{title}:" in told for title in GROUPS)
    assert all(f"  {name} " in told for name in COMMANDS)
    assert "130" in told


def test_explain_suggests_words(publius: Command) -> None:
    done = publius("explain", "peopel", *SMALL)
    assert done.code == 1
    assert "written alike are: people" in done.err


def test_explain_says_that_a_stop_word_passes(publius: Command) -> None:
    asked = ("explain", "the", "--vocabulary", 60)
    assert "the is a stop word: only with --protect all" in publius(*asked).out
    told = publius(*asked, "--set", "protect=all").out
    assert "stop word" not in told


def test_try_notices_a_file_name(publius: Command, tmp_path: Path) -> None:
    (tmp_path / "one.txt").write_text("people")
    assert "name of a file" in publius("try", "one.txt", *SMALL).err
    assert "name of a file" not in publius("try", "two.txt", *SMALL).err


def test_try_says_that_a_text_is_of_another_language(publius: Command) -> None:
    text = "Der Arzt kam im Winter, und die Schwester war nicht in dem Haus. " * 5
    assert "The texts look German" in publius("try", text).err
    assert "look" not in publius("try", "The doctor came to the house. " * 12).err


def test_try_says_that_nothing_is_protected(publius: Command) -> None:
    assert "Nothing here is protected" in publius("try", "it was as it is", *SMALL).err


@pytest.mark.parametrize(
    ("ending", "begins"), [("svg", b"<svg"), ("pdf", b"%PDF"), ("png", b"\x89PNG")]
)
def test_a_plot_is_what_its_name_says(
    publius: Command, tmp_path: Path, ending: str, begins: bytes
) -> None:
    asked = ("calibrate", *SMALL, "--grid", "1,2", "--plot", f"x.{ending}")
    assert publius(*asked).code == 0
    assert (tmp_path / f"x.{ending}").read_bytes().startswith(begins)


def test_a_plot_of_another_kind_is_refused(publius: Command) -> None:
    done = publius("calibrate", *SMALL, "--grid", "1", "--plot", "x.docx")
    assert done.code == 1
    assert ".svg, .pdf or .png" in done.err


@pytest.mark.parametrize("width", [20, 40, 60, 80, 120])
def test_no_figure_and_no_word_is_cut(
    publius: Command, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, width: int
) -> None:
    (tmp_path / "in.csv").write_text(ROWS)
    asked = ("--author", "user", "--ledger", "led.db", "-o", "out")
    assert publius("release", "in.csv", *asked, *SMALL).code == 0
    wide = publius("ledger", "show", "led.db").out
    monkeypatch.setattr(show, "RESULTS", Console(highlight=False, width=width))
    narrow = publius("ledger", "show", "led.db").out
    figures = {word for word in wide.split() if word[0].isdigit()}
    assert len(figures) > 3
    assert figures <= set(narrow.split())


@pytest.mark.parametrize("width", [40, 60, 80, 120])
@pytest.mark.parametrize(
    "asked",
    [
        ("mechanisms",),
        ("calibrate", *SMALL, "--grid", "1,4"),
        ("certify", *SMALL),
        ("explain", "people", *SMALL),
    ],
)
def test_words_stay_whole(
    publius: Command,
    monkeypatch: pytest.MonkeyPatch,
    asked: tuple[object, ...],
    width: int,
) -> None:
    def words(told: str) -> set[str]:
        return {word.rstrip(":") for word in told.split() if "─" not in word}

    monkeypatch.setattr(show, "RESULTS", Console(highlight=False, width=400))
    wide = words(publius(*asked).out)
    monkeypatch.setattr(show, "RESULTS", Console(highlight=False, width=width))
    assert wide == words(publius(*asked).out)


def test_a_table_that_fits_has_no_line_beyond_the_terminal(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(show, "RESULTS", Console(highlight=False, width=40))
    cells = [("a subject with a long name and more", "320,648", "1,000")]
    print_table(("subject", "worst ε", "left"), cells, figures=("worst ε", "left"))
    told = capsys.readouterr().out
    assert max(map(len, told.splitlines())) <= 40
    assert "320,648" in told


@pytest.mark.parametrize("width", [8, 80])
def test_a_cell_gives_a_terminal_no_orders(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], width: int
) -> None:
    monkeypatch.setattr(show, "RESULTS", Console(highlight=False, width=width))
    print_table(("original",), [("\x1b]0;title\x07one\r\n\x9btwoandmore",)])
    told = capsys.readouterr().out
    assert "one" in told
    assert not set("\x1b\x07\x9b\r") & set(told)


@pytest.mark.parametrize("width", [40, 60, 80, 120])
@pytest.mark.parametrize(
    "asked",
    [(), ("places",), ("ledger",), ("ledger", "show"), ("attack",), ("release",)],
)
def test_help_is_no_wider_than_the_terminal(
    publius: Command,
    monkeypatch: pytest.MonkeyPatch,
    asked: tuple[str, ...],
    width: int,
) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    lines = publius(*asked, "--help").out.splitlines()
    assert max(map(len, lines)) < width
    listed = "".join(line.strip() for line in lines)
    assert asked != ("attack",) or "|word_svm|writeprints|" in listed


class _Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def terminal(monkeypatch: pytest.MonkeyPatch, width: int) -> io.StringIO:
    """Return what a terminal of some width is sent."""
    sent = _Terminal()
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(sys, "stderr", sent)
    console = Console(file=sent, force_terminal=True, width=width, highlight=False)
    monkeypatch.setattr(show, "MESSAGES", console)
    return sent


@pytest.mark.parametrize("width", [40, 60, 80])
def test_progress_cuts_neither_share_nor_time(
    monkeypatch: pytest.MonkeyPatch, width: int
) -> None:
    sent = terminal(monkeypatch, width)
    with show.stages() as watch:
        watch.stage("checking the law against its certificate")
        watch.steps(1, 4)
    told = sent.getvalue()
    assert "25%" in told
    assert "certificate" in told
    assert "…" not in told


@pytest.mark.parametrize(
    "verb", [("release", "--text", "body"), ("times", "--column", "wake")]
)
def test_a_dry_run_is_told_when_its_progress_has_gone(
    publius: Command, monkeypatch: pytest.MonkeyPatch, verb: tuple[str, ...]
) -> None:
    Path("in.csv").write_text("body,wake\nthe people,06:30\n")
    sent = terminal(monkeypatch, 80)
    ends: list[str] = []
    monkeypatch.setattr(show, "say", lambda _: ends.append(sent.getvalue()[-12:]))
    name, *options = verb
    small = SMALL if name == "release" else ()
    assert publius(name, "in.csv", *options, *small, "-o", "out", "--dry-run").code == 0
    # The last that the terminal got is the line of the progress, removed.
    assert ends
    assert "\x1b[2K" in ends[0]


@pytest.mark.parametrize("width", [40, 60, 80])
def test_progress_cuts_no_count(monkeypatch: pytest.MonkeyPatch, width: int) -> None:
    sent = terminal(monkeypatch, width)
    with show.watching(1000) as watch:
        watch.stage("checking the law against its certificate")
        watch.rows(123_456, 500)
    told = sent.getvalue()
    assert "123,456 rows" in told
    assert "50%" in told
    assert "…" not in told


def test_a_figure_and_its_percent_sign_stay_together() -> None:
    console = Console(force_terminal=True, width=10, file=io.StringIO())
    assert show._broken("it was 74 % there", console) == ["it was", "74 % there"]


def test_one_document_is_left_out(capsys: pytest.CaptureFixture[str]) -> None:
    show.left_out({"empty documents": 1, "documents of another split": 2})
    told = capsys.readouterr().err.splitlines()
    assert told == [
        "left out: 1 empty document",
        "left out: 2 documents of another split",
    ]


def test_leakage_says_what_its_figures_are(publius: Command, tmp_path: Path) -> None:
    (tmp_path / "law.csv").write_text("0.5,0.25,0.25\n0,0.5,0.5\n")
    (tmp_path / "other.csv").write_text("0.5,0.5\n0,1\n")
    told = publius("leakage", "law.csv", "--refined-by", "other.csv").out
    (line,) = [line for line in told.splitlines() if "confusability" in line]
    assert line.split()[1:4] == ["1", "secrets", "that"]
    assert "  1  0\n  0  1\n" in told


def test_a_number_near_a_thousand_has_no_exponent() -> None:
    assert show.figure(999.7) == "1,000"
    assert show.figure(0.00002) == "0.00002"
    assert show.figure(1234567.0) == "1,234,567"


@pytest.mark.parametrize(
    ("typed", "told"),
    [
        (("help",), "publius release --help"),
        (("relase", "x"), "did you mean release? See publius --help"),
        (("release", "x", "--episilon", "3"), "did you mean one of: '--epsilon'"),
        (("release", "x", "--epsilon", "three"), "'three' is not a number"),
        (("try", "x", "--vocabulary", "many"), "'many' is not a whole number"),
        (("release", "x", "--limit", "3x"), "'3x' is not a whole number; see"),
        (("release", "x", "--limit", 0), "0 is too small; the least is 1; see"),
        (("ledger", "shwo"), "Did you mean 'show'?"),
        (("ledger", "show"), "publius ledger show losses.db"),
    ],
)
def test_what_is_mistyped_is_answered(
    publius: Command, typed: tuple[str, ...], told: str
) -> None:
    assert told in publius(*typed).err


@pytest.mark.parametrize("group", ["autoencoder", "embeddings", "ledger", "retelling"])
def test_help_of_a_group_cuts_no_sentence(publius: Command, group: str) -> None:
    assert "..." not in publius(group, "--help").out.partition("Commands:")[2]


def test_one_row_is_told_as_one(publius: Command, tmp_path: Path) -> None:
    (tmp_path / "one.txt").write_text("the people of the world\n")
    assert publius("release", "one.txt", "-o", "out", *SMALL).out.startswith("1 row →")
    again = publius("release", "one.txt", "-o", "out", *SMALL)
    assert "--force" in again.err


def test_mechanisms_name_the_usual_metric(publius: Command) -> None:
    listed = json.loads(publius("mechanisms", "--json").out)["mechanisms"]
    (usual,) = [one for one in listed if one["name"] == "exponential"]
    assert usual["metric"].startswith("like;")
    assert "balanced=true" in publius("mechanisms").out


def test_a_factor_that_is_a_power_stands_once(publius: Command, tmp_path: Path) -> None:
    (tmp_path / "in.csv").write_text("lat,lon\n40,-3\n41,2\n")
    asked = ("--mechanism", "vmf", "--radius", "300m", "-o", "out")
    told = publius("places", "in.csv", *asked).out
    assert "(beyond any use)" in told
    assert "use) (e^" not in told


@pytest.mark.parametrize(
    ("name", "told"),
    [("dp-vae", "rewrites whole sentences"), ("retell", "publius release and publius")],
)
def test_a_mechanism_of_another_material_is_shown_its_command(
    publius: Command, name: str, told: str
) -> None:
    assert told in publius("calibrate", "--mechanism", name).err
