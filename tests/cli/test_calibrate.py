"""calibrate, explain and certify for every kind of mechanism."""

import json
import re
from pathlib import Path

import pytest

from publius.cli.frame import run

SMALL = ["--vocabulary", "150"]


def test_calibrate_tells_hiding_and_moving(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["calibrate", *SMALL, "--grid", "2,4", "--remap", "bayes"]) == 0
    shown = capsys.readouterr().out
    for title in ("N_w", "Hartley", "min-entropy", "near", "before remap"):
        assert title in shown


@pytest.mark.parametrize("options", [(), ("--mechanism", "laplace"), ("--plain",)])
def test_every_column_of_calibrate_has_a_meaning(
    capsys: pytest.CaptureFixture[str], options: tuple[str, ...]
) -> None:
    assert run(["calibrate", *SMALL, "--grid", "3", *options]) == 0
    told = capsys.readouterr().out
    heads = [line for line in told.splitlines() if line.lstrip().startswith("ε ")]
    names = {name for line in heads for name in re.split(r"\s{2,}", line.strip())}
    meant = {line.partition(":")[0] for line in told.splitlines() if ": " in line}
    assert {"level", "N_w", "near"} <= names - {"ε"} <= meant
    assert ("β" in meant) is ("β" in names)


def test_calibrate_finds_a_target(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    plot = tmp_path / "curves.svg"
    asked = ["calibrate", *SMALL, "--mechanism", "santext", "--target", "unchanged=0.5"]
    assert run([*asked, "--json", "--plot", str(plot)]) == 0
    found = json.loads(capsys.readouterr().out)["found"]
    assert found["unchanged"] == pytest.approx(0.5, abs=0.006)
    assert plot.read_text().startswith("<svg")


def test_calibrate_tells_the_losses_of_syntf(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert run(["calibrate", *SMALL, "--mechanism", "syntf", "--epsilon", "20"]) == 0
    shown = capsys.readouterr().out
    assert "tight" in shown
    assert "enough" in shown


def test_explain_adds_up_and_names_the_deniability_set(
    capsys: pytest.CaptureFixture[str],
) -> None:
    asked = ["explain", "people", *SMALL, "--mechanism", "custext", "--set", "group=6"]
    assert run([*asked, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    total = sum(item["probability"] for item in found["replacements"])
    assert total + found["other_words"] == pytest.approx(1.0)
    assert len(found["replacements"]) == 6
    names = {item["word"] for item in found["deniability_set"]}
    assert names == {item["word"] for item in found["replacements"]} - {"people"}
    assert found["hartley_bits"] == pytest.approx(2.585, abs=0.01)


def test_explain_draws_where_there_is_no_channel(
    capsys: pytest.CaptureFixture[str],
) -> None:
    asked = ["explain", "people", *SMALL, "--mechanism", "projection"]
    assert run([*asked, "--epsilon", "25"]) == 0
    assert "Could also have been written" in capsys.readouterr().out


def test_certify_santext(capsys: pytest.CaptureFixture[str]) -> None:
    asked = ["certify", *SMALL, "--mechanism", "santext", "--epsilon", "10", "--json"]
    assert run(asked) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["mechanism"].startswith("santext.v")
    assert 5 < found["epsilon"] < 10


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["calibrate", "--target", "unchanged=x"], "NAME=VALUE"),
        (["calibrate", "--target", "kept=0.5"], "unchanged"),
        (["calibrate", "--set", "grup=3"], "group"),
        (["calibrate", "--set", "epsilon=3", "--epsilon", "4"], "twice"),
        (["certify", "--mechanism", "custext"], "whom it covers"),
        (["explain", "people", "--mechanism", "laplace", "--remap", "rank"], "finite"),
    ],
)
def test_bad_asks_are_one_line(
    arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run([*arguments, *SMALL]) == 1
    message = capsys.readouterr().err
    assert said in message
    assert message.count("\n") == 1
