"""The experiments of chapter 6: reading, scoring, keeping, and whole tiny runs."""

import gzip
import json
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path

import numpy as np
import pytest

from publius.assessment.attacks import Knowledge
from publius.assessment.comparison.rows import Cell, Row
from publius.assessment.evaluation.fluency import Trigrams
from publius.autoencoder import Architecture, Training
from publius.core.arrays import FloatArray
from publius.core.errors import DataError, ParameterError
from publius.papers.autoencoder import CRITICS, EXPERIMENTS, IMDB, PUBLIC, sizes
from publius.papers.autoencoder.recipes import RECIPES, Bench, Effort
from publius.papers.autoencoder.reviews import (
    Review,
    closed_up,
    read_reviews,
    shortened,
    thinned,
    with_sentiment,
)
from publius.papers.autoencoder.scores import Left, Scorer
from publius.papers.autoencoder.sizes import FULL, Condition
from publius.papers.autoencoder.table61 import ABLATION
from publius.papers.experiment import Outcome, Request

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
    before = [review.text for review in given]
    rng = np.random.default_rng(0)
    return Scorer(given).score(before if texts is None else texts, rng)


def test_untouched_reviews_tell_everything() -> None:
    found = left()
    assert found.scores[AUTHOR].mcc.value == found.scores[RATING].mcc.value == 1.0
    assert found.meteor is not None
    assert found.meteor.same.value > 0.9 > found.meteor.other.value
    assert found.similarity is None


def test_equal_texts_tell_nothing() -> None:
    found = left(["the film ended"] * 80)
    assert found.scores[AUTHOR].mcc.value == found.scores[RATING].mcc.value == 0.0
    assert found.meteor is not None
    assert found.meteor.same.value == pytest.approx(found.meteor.other.value)
    empty = left([""] * 80)
    assert empty.scores[AUTHOR].mcc.value == 0.0
    assert empty.perplexity is None


def test_an_adaptive_attacker_learns_a_code() -> None:
    code = {"ann": "one one", "bob": "two two"}
    found = left([code[review.author] for review in reviews()])
    static = found.scores["author", "svm", Knowledge.STATIC]
    assert static.mcc.value < 0.5 < found.scores[AUTHOR].mcc.value


def test_corpora_without_ratings_have_no_rating_score() -> None:
    assert RATING not in left(label=None).scores


def test_reviews_without_a_test_split_are_refused() -> None:
    with pytest.raises(DataError, match="reviews to test"):
        left(split="train")


def test_rewritings_must_be_as_many_as_originals() -> None:
    with pytest.raises(DataError, match="differ in number"):
        left(["the film ended"])


def test_similarity_is_that_of_the_encoder() -> None:
    names = list(WORDS)
    scorer = Scorer(
        reviews(),
        lambda texts: np.array([[WORDS[n] in t for n in names] for t in texts]),
    )
    texts = [review.text for review in reviews()]
    same = scorer.score(texts, np.random.default_rng(0)).similarity
    swapped = scorer.score(texts[40:] + texts[:40], np.random.default_rng(0)).similarity
    assert same is not None
    assert swapped is not None
    assert (same.same.value, swapped.same.value) == (1.0, 0.0)
    assert 0.2 < same.other.value < 0.8  # half of the other reviews are by the other


def test_what_originals_tell_is_learnt_once(monkeypatch: pytest.MonkeyPatch) -> None:
    encoded: list[int] = []

    def encode(texts: Sequence[str]) -> FloatArray:
        encoded.append(len(texts))
        return np.ones((len(texts), 2))

    scorer = Scorer(reviews(), encode)
    texts = [review.text for review in reviews()]
    first = scorer.score(texts, np.random.default_rng(0))
    monkeypatch.setattr(Trigrams, "learnt", None)
    assert scorer.score(texts, np.random.default_rng(0)) == first
    assert encoded == [40, 40, 40]


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


def test_short_reviews_are_their_first_sentences() -> None:
    text = 'Mr. Fox ran. "It ended!" Why? I left.'
    given = [Review("ann", text, "test", 1)]
    assert shortened(given, 2) == [replace(given[0], text='Mr. Fox ran. "It ended!"')]
    assert shortened(given, 9)[0].text == shortened(given, None)[0].text == text
    with pytest.raises(ParameterError):
        shortened(given, 0)


def test_the_full_size_scores_every_review_cut_to_five_sentences() -> None:
    text = " ".join(f"This is {i}." for i in range(9))
    rows = [Review("ann", text, split) for split in ("train", "test")] * 1200
    assert (FULL.short, FULL.whole.sentences) == (Condition(5), None)
    short, whole = FULL.short.of(rows), FULL.whole.of(rows)
    assert {r.text for r in short} == {
        "This is 0. This is 1. This is 2. This is 3. This is 4."
    }
    assert {r.text for r in whole} == {text}
    assert (len(short), len(whole)) == (2400, 300 + 100)


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


@pytest.fixture
def request_(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Request:
    tiny = replace(
        sizes.QUICK, learnt=8, effort=TINY,
        short=Condition(1, known=8, tested=8), whole=Condition(None, known=6, tested=8),
    )  # fmt: skip
    monkeypatch.setattr(sizes, "QUICK", tiny)
    return Request(folder, quick=True)


def number(row: Row, name: str) -> float:
    value = row[name]
    assert isinstance(value, float)
    return value


def named(outcome: Outcome, model: str, sentences: Cell) -> Row:
    found = [
        r for r in outcome.rows if (r["model"], r["sentences"]) == (model, sentences)
    ]
    assert len(found) == 1
    return found[0]


def test_the_models_learn_from_whole_reviews(request_: Request) -> None:
    short, whole = sizes.stages(request_, CRITICS)
    assert short.bench == whole.bench
    assert all("it ended" in review.text for review in short.bench.learnt)
    assert not any("it ended" in review.text for review in short.reviews)
    assert all("it ended" in review.text for review in whole.reviews)
    assert (len(short.reviews), len(whole.reviews)) == (2 * (8 + 8), 2 * (6 + 8))


@pytest.mark.slow
def test_the_table_has_both_conditions_and_shares(request_: Request) -> None:
    found = EXPERIMENTS["vae-table61"].run(request_)
    models = {(row["model"], row["sentences"]) for row in found.rows}
    short = {"original", "sentence counts only", "vae", "dp-vae", "avg-aae", "dp-aae"}
    assert models == {(m, 1) for m in short} | {(m, "all") for m in short - {"vae"}}
    for row in found.rows:
        original = named(found, "original", row["sentences"])
        for what in ("author", "rating"):
            share = number(row, f"{what} svm adaptive") / number(
                original, f"{what} svm adaptive"
            )
            assert row[f"{what} kept"] == pytest.approx(share)
    aae, counts = named(found, "dp-aae", 1), named(found, "sentence counts only", 1)
    assert aae["published author kept"] == pytest.approx(0.21 / 0.89)
    assert aae["published rating kept"] == pytest.approx(0.38 / 0.47)
    assert isinstance(aae["author network adaptive"], float)
    assert counts["author svm adaptive"] == 0.0  # all have one sentence
    assert counts["meteor"] is counts["published author kept"] is None
    assert number(named(found, "original", 1), "meteor of other reviews") < 1
    assert {c.name for c in found.shown} <= set().union(*found.rows)
    assert {c.beside for c in found.shown} - {""} <= set().union(*found.rows)


def test_the_figure_and_the_examples_have_their_models(request_: Request) -> None:
    figure = EXPERIMENTS["vae-fig64"].run(request_)
    assert [row["model"] for row in figure.rows] == (
        ["original", "sentence counts only"] + ["dp-vae"] * 3 + ["dp-aae"] * 2
    )
    assert "<svg" in figure.figure
    aae = figure.rows[-1]
    assert aae["published author svm adaptive"] == 0.21
    assert aae["epsilon"] is None
    assert isinstance(figure.rows[2]["epsilon"], float)
    shown = EXPERIMENTS["vae-table62"].run(request_)
    assert {"original", "avg-aae", "dp-aae, σ = 14.2"} <= set(shown.rows[0])


def test_the_ablation_takes_one_part_away_from_each(request_: Request) -> None:
    found = EXPERIMENTS["vae-ablation"].run(request_)
    rows = [(row["model"], row["sigma"]) for row in found.rows[2:]]
    assert rows == [(name, s) for name, sigmas in ABLATION.items() for s in sigmas]
    for name in ABLATION:
        whole, part = RECIPES[name.partition(",")[0]], RECIPES[name]
        changed = {
            field for field, value in asdict(part).items()
            if field != "name" and value != asdict(whole)[field]
        }  # fmt: skip
        assert len(changed) == (1 if "," in name else 0)
    assert all(isinstance(row["author kept"], float) for row in found.rows)


@pytest.mark.slow
def test_what_was_rewritten_elsewhere_is_scored_without_models(
    request_: Request, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = EXPERIMENTS["vae-rewriting"].run(request_)
    monkeypatch.setattr(Bench, "model", None)  # nothing may be trained or rewritten
    for name in ("vae-table61", "vae-fig64"):
        for row in EXPERIMENTS[name].run(request_).rows:
            key = (row["model"], row["sigma"], row["sentences"])
            assert row["model"] in ("original", "sentence counts only") or any(
                key == (r["model"], r["sigma"], r["sentences"]) for r in made.rows
            )


def test_the_place_in_the_cache_does_not_tell_the_device(folder: Path) -> None:
    del folder
    learnt = [r for r in reviews() if r.split == "train"]
    here, there = (
        Bench(learnt, replace(TINY, training=replace(TINY.training, device=device)))
        for device in ("cpu", "auto")
    )
    recipe = RECIPES["dp-vae"]
    assert here.place(recipe) == there.place(recipe)
    assert here.place(recipe) != replace(here, learnt=learnt[1:]).place(recipe)
