"""Draws derived from a key follow the law of the mechanism, each word for itself."""

from dataclasses import replace
from functools import lru_cache

import numpy as np
import pytest
from scipy.stats import chi2_contingency, chisquare

from publius.core.arrays import UNKNOWN, FloatArray, IdArray
from publius.core.config import WordSettings
from publius.core.rng import RunKey
from publius.materials.words.assemble import sanitizer
from publius.materials.words.sanitizer import Sanitizer

ALPHA = 1e-9
SIZE = 12
KEYS = 3_000
TEXTS = ["{0} qx {1} qy {0}", "QX {0} {1}"]
KNOWN = (3, 7)


@lru_cache
def cleaner() -> Sanitizer:
    return sanitizer(
        WordSettings(vocabulary=SIZE, epsilon=2.0, consistent="corpus", protect="all")
    )


@lru_cache
def drawn(seed: int) -> IdArray:
    """Release the corpus under many keys: known, known, unknown, unknown word."""
    words = cleaner().embedding.vocabulary.words
    texts = [text.format(*(words[i] for i in KNOWN)) for text in TEXTS]
    place = {word: number for number, word in enumerate(words)}
    found = []
    for number in range(KEYS):
        keyed = replace(cleaner(), key=RunKey.from_seed(seed * KEYS + number))
        first, second = keyed.release(texts).texts
        a, x, b, y, again = first.split(" ")
        assert (a, x.upper(), a, b) == (again, *second.split(" "))
        found.append([place[word] for word in (a, b, x, y)])
    return np.array(found)


def expected(word: int) -> FloatArray:
    channel = cleaner().mechanism.channel  # type: ignore[attr-defined]
    return np.asarray(np.exp(channel(np.array([word]))[0]))


@pytest.mark.statistical
@pytest.mark.parametrize(
    ("column", "word"), list(enumerate((*KNOWN, UNKNOWN, UNKNOWN)))
)
def test_over_keys_a_word_follows_its_law(column: int, word: int, seed: int) -> None:
    counts = np.bincount(drawn(seed)[:, column], minlength=SIZE)
    law = expected(word)
    assert chisquare(counts, KEYS * law).pvalue > ALPHA
    other = 0.9 * law  # one of ten keys gives the same word to everybody
    other[0] += 0.1
    assert chisquare(counts, KEYS * other).pvalue < ALPHA


@pytest.mark.statistical
@pytest.mark.parametrize("pair", [(0, 1), (0, 2), (2, 3)])
def test_different_words_are_independent(pair: tuple[int, int], seed: int) -> None:
    first, second = drawn(seed)[:, pair[0]], drawn(seed)[:, pair[1]]
    assert _independence(first, second) > ALPHA
    # A shared draw now and then, as of hash collisions, must be found.
    shared = np.where(np.arange(KEYS) % 6 == 0, first, second)
    assert _independence(first, shared) < ALPHA


def _independence(first: IdArray, second: IdArray) -> float:
    table = np.zeros((SIZE, SIZE))
    np.add.at(table, (first, second), 1)
    # Rare outputs together, so that every cell expects at least five.
    rare = (np.array([expected(w) for w in (*KNOWN, UNKNOWN)]) < 0.06).any(axis=0)
    group = np.where(rare, 0, np.arange(SIZE) + 1)
    _, group = np.unique(group, return_inverse=True)
    merged = np.zeros((group.max() + 1,) * 2)
    np.add.at(merged, (group[:, None], group[None, :]), table)
    return float(chi2_contingency(merged).pvalue)
