"""The experiments of chapter 6: reading, scoring, and a whole tiny run."""

import gzip
import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from publius.core.errors import DataError
from publius.lab.autoencoder import CRITICS, EXPERIMENTS, table61
from publius.lab.autoencoder.reviews import (
    Review,
    Rewrites,
    read_reviews,
    read_rewrites,
    write_rewrites,
)
from publius.lab.autoencoder.scores import score
from publius.lab.experiment import Request

WORDS = {"ann": "indeed truly rather", "bob": "gonna kinda wow"}
MOODS = ("awful boring", "superb lovely")


def reviews(count: int = 40) -> list[Review]:
    rng = np.random.default_rng(0)
    return [
        Review(
            author,
            f"{rng.choice(words.split())} {MOODS[i % 2]} film {words}. it ended.",
            "train" if i < count // 2 else "test",
            i % 2,
        )
        for author, words in WORDS.items()
        for i in range(count)
    ]


def test_untouched_reviews_tell_everything() -> None:
    given = reviews()
    found = score(given, given, np.random.default_rng(0))
    assert found.author_static.value == found.author_adaptive.value == 1.0
    assert found.label_adaptive is not None
    assert found.label_adaptive.value == 1.0
    assert found.meteor.value > 0.9


def test_equal_texts_tell_nothing() -> None:
    given = reviews()
    same = [replace(review, text="the film ended") for review in given]
    found = score(given, same, np.random.default_rng(0))
    assert found.author_static.value == found.author_adaptive.value == 0.0
    assert found.meteor.value < 0.5


def test_an_adaptive_attacker_learns_a_code() -> None:
    given = reviews()
    code = {"ann": "one one", "bob": "two two"}
    coded = [replace(review, text=code[review.author]) for review in given]
    found = score(given, coded, np.random.default_rng(0))
    assert found.author_static.value < 0.5 < found.author_adaptive.value


def test_texts_without_a_common_word_tell_nothing() -> None:
    given = reviews()
    empty = [replace(review, text="") for review in given]
    found = score(given, empty, np.random.default_rng(0))
    assert found.author_adaptive.value == 0.0


def test_reviews_without_a_test_split_are_refused() -> None:
    given = [replace(review, split="train") for review in reviews()]
    with pytest.raises(DataError, match="reviews to test"):
        score(given, given, np.random.default_rng(0))


def test_corpora_without_ratings_have_no_rating_score() -> None:
    given = [replace(review, label=None) for review in reviews()]
    assert score(given, given, np.random.default_rng(0)).label_adaptive is None


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    path = tmp_path / CRITICS
    path.parent.mkdir(parents=True)
    with gzip.open(path, "wt") as out:
        for review in reviews():
            line = {"author": review.author, "split": review.split, "text": review.text}
            out.write(json.dumps({**line, "label3": review.label}) + "\n")
    return tmp_path


def test_reading_keeps_authors_and_counts(folder: Path) -> None:
    found = read_reviews(folder / CRITICS, authors=2, most=5)
    assert len(found) == 2 * 2 * 5
    assert {review.author for review in found} == set(WORDS)
    with pytest.raises(DataError, match="holds no reviews"):
        read_reviews(folder / "none", authors=2, most=5)


def test_rewrites_survive_being_written(tmp_path: Path) -> None:
    given = reviews(4)
    kept = [Rewrites("dp-vae", 0.3, tuple(replace(r, text="x") for r in given))]
    write_rewrites(tmp_path / "kept", kept)
    assert read_rewrites(tmp_path / "kept", given) == kept


def test_the_table_has_every_kind_beside_the_thesis(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    quick = table61.QUICK
    shape = replace(quick.shape, vocabulary=280, width=16, hidden=16, latent=4)
    training = replace(quick.training, epochs=1, minutes=0.0, device="cpu")
    tiny = replace(quick, shape=shape, training=training, learnt=8, scored=8)
    monkeypatch.setattr(table61, "QUICK", tiny)
    outcome = EXPERIMENTS["vae-table61"].run(Request(folder, quick=True))
    models = [row["model"] for row in outcome.rows]
    assert models == ["original", "vae", "dp-vae", "dp-vae", "avg-aae", "dp-aae"]
    assert outcome.rows[-1]["published author adaptive"] == 0.21
    epsilons = [row["epsilon"] for row in outcome.rows]
    assert [value is not None for value in epsilons] == [
        False, False, True, True, False, False,
    ]  # fmt: skip
    figure = EXPERIMENTS["vae-fig64"].run(Request(folder, quick=True))
    assert len(figure.rows) == 1 + 2 * 3
