"""A comparison: contenders, cells that are kept, the front, and what is written."""

import json
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest

from publius.assessment.comparison import compare as comparison
from publius.assessment.comparison.baselines import without_names
from publius.assessment.comparison.cell import Job, Place, mark_front, samples_of
from publius.assessment.comparison.compare import compare, grid
from publius.assessment.comparison.contenders import Contender, kept_share, obfuscate
from publius.assessment.comparison.page import bargain, comparison_page, finding
from publius.assessment.comparison.pictures import over_level, trade_off
from publius.assessment.comparison.writing import render, write_tables
from publius.core.config import WordSettings
from publius.core.errors import DataError, OutputError, ParameterError, UnknownNameError
from publius.services.compare import CompareRequest

TEXTS = {
    "ann": "the quiet garden slept while the river ran beyond old stone walls",
    "bob": "that game was great and those players ran so fast today my friend",
}


@pytest.fixture
def job(tmp_path: Path) -> Job:
    rng = np.random.default_rng(0)
    lines = ["text,who,topic"]
    for i in range(40):
        who = ("ann", "bob")[i % 2]
        words = rng.choice(TEXTS[who].split(), 15)
        lines.append(f"{' '.join(words)},{who},{'x' if i % 4 < 2 else 'y'}")
    path = tmp_path / "t.csv"
    path.write_text("\n".join(lines) + "\n", "utf-8")
    settings = WordSettings(vocabulary=2000)
    return Job(str(path), "text", "who", "topic", settings=settings, seed=1)


def _places(*specs: str, levels: tuple[float, ...] = (4.0,)) -> list[Place]:
    return grid([Contender(spec) for spec in specs], levels)


def test_the_ends_behave(job: Job, tmp_path: Path) -> None:
    rows = compare(job, _places("original", "random", "words"), tmp_path / "out")
    original, random, words = rows
    assert original["kept_words"] == 1
    assert float(random["kept_words"] or 0) < 0.1
    assert original["attack"] == 1.0
    assert random["near_level"] == 0
    assert words["near_level"] is None


@pytest.mark.slow
def test_levels_are_certified(job: Job, tmp_path: Path) -> None:
    rows = compare(job, _places("exponential", levels=(3.0, 6.0)), tmp_path / "out")
    for row, level in zip(rows, (3.0, 6.0), strict=True):
        assert float(row["near_level"] or 0) == pytest.approx(level, rel=0.02)
        assert float(row["near_level"] or 0) <= level


@pytest.mark.parametrize("spec", ["santext", "exponential@euclidean", "laplace"])
def test_the_certified_level_is_the_same_for_all(spec: str) -> None:
    settings, rng = WordSettings(vocabulary=800), np.random.default_rng(0)
    made = obfuscate(Contender(spec), ["river"], settings, 8.0, rng)
    assert made.guarantee is not None
    assert 7.7 < made.guarantee.near_level <= 8


def test_a_mechanism_that_tells_all_it_can_stays_below_the_level() -> None:
    settings, rng = WordSettings(vocabulary=800), np.random.default_rng(0)
    made = obfuscate(Contender("exponential"), ["river"], settings, 80.0, rng)
    assert made.guarantee is not None
    assert 20 < made.guarantee.near_level < 40


def test_finished_cells_are_not_repeated(
    job: Job, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    places, out = _places("original", "words"), tmp_path / "out"
    first = compare(job, places, out)

    def refuse(*_: object) -> None:
        raise AssertionError

    monkeypatch.setattr(comparison, "run_cell", refuse)
    assert compare(job, places, out) == first


def test_a_damaged_cell_is_made_again(job: Job, tmp_path: Path) -> None:
    places, out = _places("original"), tmp_path / "out"
    first = compare(job, places, out)
    (out / "cells" / places[0].file).write_text("{", "utf-8")
    again = compare(job, places, out)
    assert {**again[0], "seconds": 0} == {**first[0], "seconds": 0}


def test_halves_are_the_same_without_a_seed(job: Job) -> None:
    fresh = replace(job, seed=None)
    first = samples_of(fresh)["attack"].is_known
    samples_of.cache_clear()
    assert (samples_of(fresh)["attack"].is_known == first).all()


def test_another_job_is_refused(job: Job, tmp_path: Path) -> None:
    out = tmp_path / "out"
    compare(job, _places("original"), out)
    with pytest.raises(OutputError, match="another comparison"):
        compare(replace(job, seed=2), _places("original"), out)


def test_nothing_of_a_text_is_written(job: Job, tmp_path: Path) -> None:
    out = tmp_path / "out"
    compare(job, _places("original", "words"), out)
    for path in out.rglob("*.*"):
        assert "garden" not in path.name + path.read_text("utf-8")


def test_the_front_is_what_nobody_beats() -> None:
    rows = [
        {"attack": a, "utility": u} for a, u in ((0.2, 0.5), (0.5, 0.9), (0.5, 0.4))
    ]
    mark_front(rows)  # type: ignore[arg-type]
    assert [row["front"] for row in rows] == [1, 1, 0]


def test_a_job_needs_something_to_measure(job: Job) -> None:
    with pytest.raises(DataError, match="--author, --label"):
        replace(job, author=None, label=None)


def test_contenders_are_checked() -> None:
    assert Contender("exponential@euclidean+bag+all").parts == (
        "exponential", "euclidean", ("bag", "all"),
    )  # fmt: skip
    with pytest.raises(ParameterError, match="original"):
        Contender("exponentiell")
    with pytest.raises(UnknownNameError, match="bayes"):
        Contender("exponential+bays")


def test_scrubbing_without_its_package_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "scrubadub", None)
    with pytest.raises(ParameterError, match=r"pip install 'publius\[scrub\]'"):
        obfuscate(Contender("scrub"), ["a"], WordSettings(), 0, np.random.default_rng())


def test_kept_share_looks_at_protected_words_only() -> None:
    assert kept_share(["the cat sat"], ["the dog sat"]) == 0.5
    assert np.isnan(kept_share(["the cat"], ["the big cat"]))


def test_tables_and_pages(tmp_path: Path) -> None:
    rows = [
        {"contender": "a<b", "level": 2.0, "near_level": 2.0, "attack": 0.5,
         "attack_low": 0.4, "attack_high": 0.6, "utility": 0.7, "utility_low": 0.6,
         "utility_high": 0.8, "front": 1},
        {"contender": "original", "level": None, "near_level": None, "attack": 0.9,
         "attack_low": 0.8, "attack_high": 1.0, "utility": 0.9, "utility_low": 0.8,
         "utility_high": 1.0, "front": 1},
    ]  # fmt: skip
    write_tables(rows, tmp_path, "table", parquet=True)
    assert pq.read_table(tmp_path / "table.parquet").num_rows == 2
    page = render("T", ["n"], [("p", trade_off(rows))], rows, "publius")
    assert "a&lt;b" in page
    assert "http://" not in page.replace("http://www.w3.org", "")
    assert over_level(rows, "attack", "found").startswith("<svg")
    json.dumps(rows)


@pytest.mark.slow
def test_workers_find_what_one_process_finds(job: Job, tmp_path: Path) -> None:
    places = _places("original", "exponential", levels=(6.0,))
    alone = compare(job, places, tmp_path / "one")
    shared = compare(job, places, tmp_path / "two", workers=2)
    assert [{**row, "seconds": 0} for row in shared] == [
        {**row, "seconds": 0} for row in alone
    ]


@pytest.mark.slow
@pytest.mark.parametrize("spec", ["exponential", "syntf+tf", "laplace"])
def test_documents_have_equal_privacy(spec: str) -> None:
    settings = WordSettings(vocabulary=2000, length=20, form="bag")
    texts = [TEXTS["ann"], TEXTS["bob"] * 3, ""]
    rng = np.random.default_rng(0)
    made = obfuscate(
        Contender(spec), texts, settings, 200.0, rng, equal_privacy="document"
    )
    assert made.guarantee is not None
    assert 190 < made.guarantee.worst_loss <= 200
    assert [len(text.split()) for text in made.texts] == [20, 20, 20]


def test_random_words_of_documents_lose_nothing() -> None:
    settings, rng = WordSettings(vocabulary=2000), np.random.default_rng(0)
    made = obfuscate(
        Contender("random"), ["a b"], settings, 0, rng, equal_privacy="document"
    )
    assert made.guarantee is not None
    assert made.guarantee.worst_loss == 0
    assert len(made.texts[0].split()) == 100


def test_only_syntf_makes_vectors() -> None:
    with pytest.raises(ParameterError, match="only syntf"):
        Contender("laplace+tf")


def test_a_mechanism_without_a_guarantee_for_documents_is_refused() -> None:
    settings, rng = WordSettings(vocabulary=500), np.random.default_rng(0)
    with pytest.raises(ParameterError, match="any two documents"):
        obfuscate(
            Contender("custext"), ["x"], settings, 9, rng, equal_privacy="document"
        )


def test_proper_nouns_are_scrubbed() -> None:
    kinds = {"John": "NNP", "went": "VBD", "Johnson": "NN", "EMAIL": "NNP"}

    def tag(text: str) -> list[tuple[str, str]]:
        return [(word, kinds.get(word.strip("{}"), "NN")) for word in text.split()]

    found = without_names("John went Johnson {{EMAIL}} John", tag)
    assert found == "{{NAME}} went Johnson {{EMAIL}} {{NAME}}"


def test_the_page_says_what_was_left_out(job: Job, tmp_path: Path) -> None:
    job = replace(job, text="text")
    path = Path(job.path)
    path.write_text(path.read_text("utf-8") + "alone here,carl,x\n", "utf-8")
    rows = compare(job, _places("original", "random"), tmp_path / "out")
    page = comparison_page(job, rows, {"trade-off": trade_off(rows)})
    assert "1 documents of classes with one document" in page
    assert "http" not in page.replace("http://www.w3.org", "").replace("http-equiv", "")


def test_the_bargain_keeps_use_and_hides_authors() -> None:
    ends = {"attack_majority": 0.1, "utility_majority": 0.1}
    rows = [
        {"contender": "original", "level": None, "attack": 0.9, "utility": 0.9, **ends},
        {"contender": "a", "level": 1.0, "attack": 0.2, "utility": 0.6, **ends},
        {"contender": "b", "level": 1.0, "attack": 0.8, "utility": 0.8, **ends},
    ]
    assert bargain(rows) == (rows[1], True)  # type: ignore[arg-type]
    assert finding(rows).startswith("1 of 2 cells")  # type: ignore[arg-type]
    assert bargain(rows[1:]) == (None, False)  # type: ignore[arg-type]


def test_nobody_who_shows_writers_is_framed() -> None:
    ends = {"attack_majority": 0.1, "utility_majority": 0.1, "utility": 0.9}
    rows = [
        {"contender": "original", "level": None, "attack": 0.9, **ends},
        {"contender": "a", "level": 1.0, "attack": 0.8, **ends},
        {"contender": "b", "level": 1.0, "attack": 0.7, **ends},
        {"contender": "random", "level": None, "attack": 0.2, **ends},
    ]
    assert bargain(rows) == (rows[2], False)  # type: ignore[arg-type]
    said = finding(rows)  # type: ignore[arg-type]
    assert said.startswith("No cell with a level hides writers")


def test_where_originals_show_nobody_no_cell_wins() -> None:
    ends = {"attack_majority": 0.1, "utility_majority": 0.1, "utility": 0.9}
    rows = [
        {"contender": "original", "level": None, "attack": 0.12, "attack_low": 0.07}
        | ends,
        {"contender": "a", "level": 1.0, "attack": 0.09, **ends},
    ]
    assert bargain(rows) == (None, False)  # type: ignore[arg-type]
    assert "says nothing" in finding(rows)  # type: ignore[arg-type]


def test_scrubbing_takes_names_and_addresses() -> None:
    pytest.importorskip("scrubadub")
    texts = ["Mr. Robert Miller wrote to robert@example.com about the garden."]
    rng = np.random.default_rng(0)
    made = obfuscate(Contender("scrub"), texts, WordSettings(), 0, rng)
    assert "Miller" not in made.texts[0]
    assert "example.com" not in made.texts[0]
    assert "garden" in made.texts[0]
    assert made.guarantee is None


def test_pages_of_the_lab_say_who_made_them_and_write_no_exponents() -> None:
    rows = [{"name": "a", "worst": 1000.0, "share": 0.123456}]
    command = "publius reproduce a --data DATA --quick --seed 0 -o OUT"
    page = render("A table", (), (), rows, command)
    assert f"Made by Publius {version('publius')} on 20" in page
    assert command in page
    assert "1,000" in page
    assert "e+03" not in page


def test_the_command_of_a_comparison_names_no_file_and_no_column() -> None:
    request = CompareRequest("secret/ann.csv", Path("out"), author="who", seed=7)
    typed = request.typed
    assert typed.startswith("publius compare TABLE --author AUTHOR --mechanisms orig")
    assert "--levels 2,4,8" in typed
    assert typed.endswith("--attack ngram_svm --classifier svm -o OUT")
    assert "ann" not in typed
    assert "who" not in typed
