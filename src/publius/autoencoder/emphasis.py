"""Which sub-words a network should rather write again, and which it may lose.

A label survives rewriting by a few words that tell it, an author by many. Where labels
and authors are known in training, sub-words count in the reconstruction by what they
tell of both; the decoder then says the former more readily.
"""

import numpy as np

from publius.autoencoder.settings import Weights
from publius.autoencoder.subwords import Tokens
from publius.core.arrays import FloatArray, IdArray

PRIOR = 50.0
"""Occurrences that a sub-word is thought to have had before it was counted."""


def emphasis(
    tokens: Tokens,
    vocabulary: int,
    weights: Weights,
    *,
    labels: IdArray | None,
    authors: IdArray | None,
) -> FloatArray:
    """Return the weight of each sub-word in the reconstruction; their mean is 1."""
    owner = np.repeat(np.arange(len(tokens)), tokens.lengths)
    nobody = np.zeros(len(tokens), np.int64)
    who = nobody if authors is None else authors
    what = nobody if labels is None else labels
    counts = np.zeros((vocabulary, int(who.max()) + 1, int(what.max()) + 1))
    np.add.at(counts, (tokens.ids, who[owner], what[owner]), 1.0)
    kept = 1.0 + weights.label_words * _tells_label(counts)
    kept *= np.exp(-weights.author_words * _tells_author(counts))
    return kept * counts.sum() / (kept * counts.sum(axis=(1, 2))).sum()


def _tells_label(counts: FloatArray) -> FloatArray:
    """Return the squared log-ratio of the label it tells most of, at most 1.

    The ratio is to the labels of the authors who use the sub-word: the favourite words
    of an author who blames much tell the author, not the label.
    """
    shares = _shares(counts.sum(axis=0))
    expected = counts.sum(axis=2) @ shares
    expected = (expected + shares.mean(axis=0)) / (counts.sum(axis=(1, 2)) + 1)[:, None]
    found = _smoothed(counts.sum(axis=1), expected)
    ratio = np.log(found / expected)
    return np.minimum(1.0, (ratio**2).max(axis=1))


def _tells_author(counts: FloatArray) -> FloatArray:
    """Return the divergence of the authors of a sub-word from all authors, in nats."""
    by_author = counts.sum(axis=2)
    expected = _shares(by_author.sum(axis=0))[None]
    found = _smoothed(by_author, expected)
    divergence: FloatArray = (found * np.log(found / expected)).sum(axis=1)
    return divergence


def _shares(counts: FloatArray) -> FloatArray:
    shares: FloatArray = (counts + 1) / (counts + 1).sum(axis=-1, keepdims=True)
    return shares


def _smoothed(counts: FloatArray, expected: FloatArray) -> FloatArray:
    total = counts.sum(axis=1, keepdims=True) + PRIOR
    smoothed: FloatArray = (counts + PRIOR * expected) / total
    return smoothed
