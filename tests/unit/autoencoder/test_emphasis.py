"""Which sub-words count more in the reconstruction, and which less."""

import tracemalloc

import numpy as np
import pytest

from publius.autoencoder.emphasis import emphasis
from publius.autoencoder.settings import Weights
from publius.autoencoder.subwords import Tokens, packed
from publius.core.arrays import FloatArray, IdArray

COMMON, PRAISE, BLAME, NAME, HABIT = 4, 5, 6, 7, 8
SIZE = 10
COUNT = 4000


def corpus() -> tuple[Tokens, IdArray, IdArray]:
    """Author 0 blames much and says HABIT always; NAME is said by author 1 alone."""
    rng = np.random.default_rng(0)
    authors = rng.integers(0, 2, COUNT)
    labels = (rng.random(COUNT) < np.where(authors == 0, 0.3, 0.7)).astype(np.int64)
    rows = [
        [COMMON, PRAISE if label else BLAME, NAME if author else HABIT]
        for author, label in zip(authors.tolist(), labels.tolist(), strict=True)
    ]
    return packed(rows), authors.astype(np.int64), labels


def found(weights: Weights, *, knows_authors: bool = True) -> FloatArray:
    tokens, authors, labels = corpus()
    return emphasis(
        tokens, SIZE, weights, labels=labels, authors=authors if knows_authors else None
    )


def test_words_that_tell_the_label_count_more() -> None:
    weight = found(Weights(label_words=20.0, author_words=0.0))
    assert weight[PRAISE] / weight[COMMON] == pytest.approx(21.0, rel=0.05)
    assert weight[BLAME] / weight[COMMON] == pytest.approx(21.0, rel=0.05)


def test_words_of_an_author_who_blames_do_not_tell_the_label() -> None:
    weight = found(Weights(label_words=20.0, author_words=0.0))
    assert weight[HABIT] / weight[COMMON] == pytest.approx(1.0, abs=0.1)
    # Without knowing authors they would.
    blind = found(Weights(label_words=20.0, author_words=0.0), knows_authors=False)
    assert blind[HABIT] / blind[COMMON] > 3.0


def test_words_that_tell_the_author_count_less() -> None:
    weight = found(Weights(label_words=0.0, author_words=1.0))
    assert weight[NAME] / weight[COMMON] == pytest.approx(0.5, rel=0.1)
    assert weight[HABIT] / weight[COMMON] == pytest.approx(0.5, rel=0.1)
    assert weight[PRAISE] / weight[COMMON] > 0.85


def test_the_mean_weight_of_the_corpus_is_one() -> None:
    tokens, _, _ = corpus()
    weight = found(Weights(label_words=20.0, author_words=1.0))
    assert weight[tokens.ids].mean() == pytest.approx(1.0)


def test_many_authors_and_labels_fit_into_memory() -> None:
    tokens = packed([[COMMON, PRAISE]] * 1000)
    many, few = np.arange(1000), np.arange(1000) % 50
    tracemalloc.start()
    try:
        emphasis(tokens, 2000, Weights.hiding(), labels=few, authors=many)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 8 * 2000 * 1000 * 10  # of doubles; all three at once take 50


def test_a_rare_word_is_not_believed() -> None:
    rows = [[COMMON]] * 400 + [[PRAISE]] * 3
    labels = np.array([0, 1] * 200 + [1] * 3)
    weight = emphasis(
        packed(rows), SIZE, Weights(label_words=20.0), labels=labels, authors=None
    )
    assert weight[PRAISE] / weight[COMMON] < 1.2
