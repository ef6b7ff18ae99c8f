"""The experiments of chapter 6: reading, scoring, keeping, and whole tiny runs."""

import gzip
import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from publius.attacks import Knowledge
from publius.autoencoder import Architecture, Training
from publius.core.errors import DataError
from publius.lab.autoencoder import CRITICS, EXPERIMENTS, IMDB, PUBLIC, sizes
from publius.lab.autoencoder.recipes import RECIPES, Bench, Effort
from publius.lab.autoencoder.reviews import (
    Review,
    closed_up,
    read_reviews,
    thinned,
    with_sentiment,
)
from publius.lab.autoencoder.scores import Left, Scorer
from publius.lab.experiment import Request

WORDS = {"ann": "indeed truly rather", "bob": "gonna kinda wow"}
MOODS = ("awful boring", "superb lovely")
TINY = Effort(
    Architecture(vocabulary=280, width=16, hidden=16, encoder_layers=1, latent=4),
    Training(epochs=1, batch=32, patience=0, device="cpu"),
)
AUTHOR = ("author", "svm", Knowledge.ADAPTIVE)
RATING = ("rating", "svm", Knowledge.ADAPTIVE)


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


def left(texts: list[str] | None = None, **changes: object) -> Left:
    given = [replace(review, **changes) for review in reviews()]  # type: ignore[arg-type]
    scorer = Scorer(given, np.random.default_rng(0))
    return scorer.score([review.text for review in given] if texts is None else texts)


def test_untouched_reviews_tell_everything() -> None:
    found = left()
    assert found.found[AUTHOR].mcc.value == found.found[RATING].mcc.value == 1.0
    assert found.meteor.value > 0.9
    assert found.similarity is None


def test_equal_texts_tell_nothing() -> None:
    found = left(["the film ended"] * 80)
    assert found.found[AUTHOR].mcc.value == found.found[RATING].mcc.value == 0.0
    assert found.meteor.value < 0.5
    empty = left([""] * 80)
    assert empty.found[AUTHOR].mcc.value == 0.0
    assert empty.perplexity is None


def test_an_adaptive_attacker_learns_a_code() -> None:
    code = {"ann": "one one", "bob": "two two"}
    found = left([code[review.author] for review in reviews()])
    static = found.found["author", "svm", Knowledge.STATIC]
    assert static.mcc.value < 0.5 < found.found[AUTHOR].mcc.value


def test_corpora_without_ratings_have_no_rating_score() -> None:
    assert RATING not in left(label=None).found


def test_reviews_without_a_test_split_are_refused() -> None:
    with pytest.raises(DataError, match="reviews to test"):
        left(split="train")


def test_similarity_is_that_of_the_encoder() -> None:
    scorer = Scorer(
        reviews(), np.random.default_rng(0),
        lambda texts: np.array([[1.0, "film" in text] for text in texts]),
    )  # fmt: skip
    same = scorer.score([review.text for review in reviews()]).similarity
    other = scorer.score(["it ended it ended"] * 80).similarity
    assert same is not None
    assert other is not None
    assert same.value == pytest.approx(1.0)
    assert other.value == pytest.approx(0.5**0.5)


@pytest.mark.parametrize(
    ("cut", "written"),
    [
        ("it ended , i guess ( badly ) .", "it ended, i guess (badly)."),
        ('" jaws " is " fine "', '"jaws" is "fine"'),
    ],
)
def test_marks_are_closed_up(cut: str, written: str) -> None:
    assert closed_up(cut) == written


def write(path: Path, rows: list[dict[str, object]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with gzip.open(path, "wt") as out:
        for row in rows:
            out.write(json.dumps(row) + "\n")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PUBLIUS_CACHE", str(tmp_path / "cache"))
    rows: list[dict[str, object]] = [
        {"author": r.author, "split": r.split, "text": r.text, "label3": r.label}
        for r in reviews()
    ]
    write(tmp_path / CRITICS, rows)
    write(
        tmp_path / IMDB, [{k: v for k, v in r.items() if k != "label3"} for r in rows]
    )
    public = [{"text": f"{MOODS[i % 2]} play", "label": i % 2} for i in range(20)]
    write(tmp_path / PUBLIC, public)
    return tmp_path


def test_reading_keeps_authors_and_counts(folder: Path) -> None:
    found = thinned(read_reviews(folder / CRITICS, authors=2), known=5, tested=2)
    assert len(found) == 2 * (5 + 2)
    assert {review.author for review in found} == set(WORDS)
    for bad in ("none", PUBLIC):
        with pytest.raises(DataError, match="holds no"):
            read_reviews(folder / bad, authors=2)


def test_thinned_reviews_are_spread_over_a_sorted_file() -> None:
    rows = [Review("ann", str(i), "train", i) for i in range(100)]
    kept = thinned(rows, known=10, tested=0)
    assert [review.label for review in kept] == list(range(0, 100, 10))


def test_reviews_without_stars_get_the_verdict_of_public_ones(folder: Path) -> None:
    found = read_reviews(folder / IMDB, authors=2)
    assert {review.label for review in found} == {None}
    labelled = with_sentiment(found, folder / PUBLIC)
    assert all((r.label == 1) == ("superb" in r.text) for r in labelled)


def test_models_and_rewritings_are_kept(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    del folder
    bench = Bench([r for r in reviews() if r.split == "train"], TINY)
    recipe = RECIPES["dp-aae"]
    first = bench.rewritten(recipe, reviews(8), 1.0)
    monkeypatch.setattr(Bench, "_trained", None)  # nothing may be trained again
    assert bench.rewritten(recipe, reviews(8), 1.0) == first
    assert bench.rewritten(recipe, reviews(8), 2.0) != first
    with pytest.raises(TypeError):
        replace(bench, seed=1).rewritten(recipe, reviews(8), 1.0)


def test_the_tables_have_every_kind_beside_the_thesis(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tiny = replace(sizes.QUICK, learnt=8, known=8, tested=8, effort=TINY)
    monkeypatch.setattr(sizes, "QUICK", tiny)
    request = Request(folder, quick=True)
    figure = EXPERIMENTS["vae-fig64"].run(request)
    assert [row["model"] for row in figure.rows] == (
        ["original"] + ["dp-vae"] * 3 + ["dp-aae"] * 2
    )
    assert "<svg" in figure.figure
    aae = figure.rows[-1]
    assert aae["published author svm adaptive"] == 0.21
    assert aae["epsilon"] is None
    assert isinstance(figure.rows[1]["epsilon"], float)
    shown = EXPERIMENTS["vae-table62"].run(request)
    assert {"original", "avg-aae", "dp-aae, σ = 14.2"} <= set(shown.rows[0])
