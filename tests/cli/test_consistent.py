"""--consistent and --repeats as a user meets them."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

SMALL = ("--vocabulary", 100, "--seed", 7)


def released(publius: Callable[..., Any], folder: Path, *options: object) -> Any:
    (folder / "in.txt").write_text("people said people\npeople vote\n")
    done = publius("release", folder / "in.txt", "-o", folder / "out", *SMALL, *options)
    assert done.code == 0, done.err
    return done, json.loads((folder / "out/manifest.json").read_text())


@pytest.mark.parametrize(
    ("scope", "unit"), [("text", "word of a text"), ("corpus", "word of a corpus")]
)
def test_the_report_tells_the_other_guarantee(
    publius: Callable[..., Any], tmp_path: Path, scope: str, unit: str
) -> None:
    done, manifest = released(publius, tmp_path, "--consistent", scope)
    report = (tmp_path / "out/report.html").read_text()
    assert manifest["guarantee"]["unit"] == unit
    assert manifest["counts"]["words"] == 4
    for said in (done.out, report):
        assert "same pattern of repetitions" in said
        assert "for a single place no bound holds" in said
    assert "at a protected place" not in report
    losses = manifest["losses"]["repeated_word"]
    assert {found["worst_pair"] for found in losses} == {
        manifest["losses"]["worst_pair"]
    }


def test_the_report_states_the_loss_of_a_repeated_word(
    publius: Callable[..., Any], tmp_path: Path
) -> None:
    _, manifest = released(publius, tmp_path, "--repeats", "1,3")
    report = (tmp_path / "out/report.html").read_text()
    assert "Loss of a word that stands 3 times" in report
    once, thrice = manifest["losses"]["repeated_word"]
    assert (once["times"], thrice["times"]) == (1, 3)
    assert thrice["worst_pair"] == pytest.approx(3 * once["worst_pair"])
    assert thrice["near_level"] == pytest.approx(3 * once["near_level"])


@pytest.mark.parametrize("listed", ["0", "", "2,,3", "x", "-1", "1.5"])
def test_repeats_are_whole_numbers(
    publius: Callable[..., Any], tmp_path: Path, listed: str
) -> None:
    (tmp_path / "in.txt").write_text("people\n")
    done = publius(
        "release", tmp_path / "in.txt", "-o", tmp_path / "out", f"--repeats={listed}"
    )
    assert done.code == 1
    assert "repeats must be whole numbers >= 1" in done.err


def test_try_replaces_equal_words_alike(publius: Callable[..., Any]) -> None:
    done = publius("try", "people zqx people", "--consistent", "text", *SMALL, "--json")
    first, _, last = json.loads(done.out)["released"].split(" ")
    assert first == last
    told = publius("try", "people zqx people", "--consistent", "text", *SMALL).out
    assert "2 distinct protected words" in told


def test_rewritten_sentences_have_no_words_to_be_alike(
    publius: Callable[..., Any], tmp_path: Path
) -> None:
    (tmp_path / "in.txt").write_text("people\n")
    done = publius("release", tmp_path / "in.txt", "-o", tmp_path / "out",
                   "--mechanism", "dp-vae", "--consistent", "text")  # fmt: skip
    assert done.code == 1
    assert "--consistent has no meaning" in done.err
