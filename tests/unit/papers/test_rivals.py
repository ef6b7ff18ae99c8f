"""The study of the rivals: its tables, and the subjects of corpora, on made-up ones."""

import gzip
import json
from pathlib import Path

import numpy as np
import pytest

from publius.assessment.rivals.contest import Entry, untouched
from publius.core.errors import ParameterError
from publius.papers import experiments
from publius.papers.experiment import Request
from publius.papers.rivals import subjects
from publius.papers.rivals.corpora import Corpus, critics
from publius.papers.rivals.judging import Cells, Judges, judged, neural_risk, use_at
from publius.papers.rivals.table import (
    equal_attack,
    facts,
    few,
    footed,
    picture,
    released_by,
    sample,
)

WORDS = {"arts": "paint stage opera poem", "code": "chip disk bug byte"}


def _corpus(seed: int = 0) -> Corpus:
    rng, texts = np.random.default_rng(seed), []
    authors, labels = np.repeat([3, 5, 9], 20), np.tile(np.repeat([0, 1], 10), 3)
    for author, label in zip(authors.tolist(), labels.tolist(), strict=True):
        words = [*list(WORDS.values())[label].split(), f"habit{author}"]
        texts.append("the " + " ".join(rng.choice(words, 12)))
    known = np.tile(np.arange(10) < 6, 6)
    return Corpus("made up", "topic", texts, authors, labels, known)


def test_both_experiments_are_found_by_name() -> None:
    assert {"retelling", "retelling-subjects"} <= set(experiments())


def test_few_keeps_texts_of_the_busiest_and_numbers_them() -> None:
    found = few(_corpus(), 2, 3, 1)
    assert len(found.texts) == 8
    assert set(found.authors.tolist()) == {0, 1}
    assert "8 texts of 32 content words by 2 authors, 2 of them" in sample(found)


def test_a_row_has_every_measure(seed: int) -> None:
    corpus = _corpus().numbered()
    rng = np.random.default_rng(seed)
    judges = Judges(
        lambda texts: np.ones((len(texts), 1)),
        lambda texts: np.full(len(texts), np.log(50.0)),
        lambda texts: np.full(len(texts), np.log(70.0)),
    )
    row = judged(corpus, corpus.texts, judges, rng)
    assert row["topic"] == 1.0
    assert float(row["author"] or 0) > 0.9
    assert row["register"] == 0.0
    assert row["similarity"] == pytest.approx(1.0)
    assert row["perplexity, SmolLM2"] == pytest.approx(50)
    assert row["perplexity, trigrams"] == pytest.approx(70)
    assert {"told from originals", "author within a topic", "attacker"} <= set(row)

    def lengths(texts: object) -> np.ndarray:
        return np.array([[len(text), 1.0] for text in texts])  # type: ignore[attr-defined]

    assert "author, neural" in neural_risk(corpus, corpus.texts, lengths, rng)


def test_equal_losses_are_marked_and_equal_attacks_are_read_between() -> None:
    rows: list[Cells] = [
        {"corpus": "c", "rival": "retelling", "loss per text": 100.0, "author": 0.4,
         "topic": 0.6},
        {"corpus": "c", "rival": "old", "loss per text": 105.0, "author": 0.2,
         "topic": 0.2},
        {"corpus": "c", "rival": "old", "loss per text": 900.0, "author": 0.6,
         "topic": 0.4},
        {"corpus": "c", "rival": "none", "loss per text": None, "author": 0.9,
         "topic": 0.9},
    ]  # fmt: skip
    assert [row["equal loss"] for row in footed(rows, 100.0)] == ["yes", "yes", "", ""]
    (line,) = equal_attack(rows)
    assert "0.40 of authors" in line
    assert "old 0.300" in line
    assert use_at(rows[1:3], "topic", 0.9) is None


def test_every_rival_has_a_line_in_the_picture() -> None:
    rows: list[Cells] = [
        {"corpus": "c", "rival": rival, "author": author, "topic": 0.4}
        for rival, author in (("old way", 0.6), ("old way", 0.2), ("new way", 0.3))
    ]
    drawn = picture([*rows, {"corpus": "d", "rival": "rated", "author": 1.0}])
    assert "<svg" in drawn
    assert "old way" in drawn
    assert "new way" in drawn
    assert "rated" not in drawn


def test_untouched_texts_certify_nothing() -> None:
    entry, corpus = untouched(), _corpus()
    assert facts(entry, corpus)["loss per text"] is None
    rng = np.random.default_rng(0)
    assert released_by(entry, None, corpus.texts, rng) == corpus.texts
    with pytest.raises(ParameterError, match="language model"):
        released_by(Entry("x", "", 1.0, ""), None, corpus.texts, rng)


def _lines(path: Path, rows: list[dict[str, str]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with gzip.open(path, "wt") as file:
        file.writelines(json.dumps(row) + "\n" for row in rows)


def test_subjects_are_measured(tmp_path: Path) -> None:
    rng, rows = np.random.default_rng(0), []
    for author in range(4):
        topic = list(WORDS)[author % 2]
        words = [*WORDS[topic].split(), f"habit{author}"]
        for place in range(16):
            text = " ".join(rng.choice(words, 40))
            split = "train" if place < 9 else "test"
            rows.append({"author": f"a{author}", "topic": topic, "split": split,
                         "text": text, "text_clean": text})  # fmt: skip
    for source in subjects.SOURCES[:2]:
        _lines(tmp_path / source.file, rows)
    found = subjects.run(Request(tmp_path, quick=True)).rows
    assert [row["corpus"] for row in found] == ["20 Newsgroups", "blogs"]
    assert found[0]["author"] == 1.0
    assert found[0]["by subject alone"] == pytest.approx(0.5)
    assert found[0]["within a subject"] == 1.0


def test_reviews_are_cut_after_their_credits(tmp_path: Path) -> None:
    text = " ".join(f"word{chr(97 + i % 26)}" for i in range(90))
    rows = [{"author": a, "label3": "1", "split": "train", "text": text} for a in "ab"]
    rows += [{**rows[0], "text": "too short"}]
    _lines(tmp_path / "authorship/movie_scale_4authors.jsonl.gz", rows)
    found = critics(Request(tmp_path))
    assert len(found.texts) == 2
    assert len(found.texts[0].split()) == 32
