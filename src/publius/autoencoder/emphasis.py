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
"""Pseudo-count of every sub-word."""


def emphasis(
    tokens: Tokens,
    vocabulary: int,
    weights: Weights,
    *,
    labels: IdArray | None,
    authors: IdArray | None,
) -> FloatArray:
    """Return the weight of each sub-word in the reconstruction; their mean is 1."""
    nobody = np.zeros(len(tokens), np.int64)
    who = np.repeat(nobody if authors is None else authors, tokens.lengths)
    what = np.repeat(nobody if labels is None else labels, tokens.lengths)
    # Never all three at once: words × authors × labels may be more than memory holds.
    by_author = _table(tokens.ids, who, vocabulary)
    by_label = _table(tokens.ids, what, vocabulary)
    kept: FloatArray = 1.0 + weights.label_words * _tells_label(
        by_author, by_label, _shares(_table(who, what, by_author.shape[1]))
    )
    kept *= np.exp(-weights.author_words * _tells_author(by_author))
    return kept * (len(tokens.ids) / float(kept @ by_label.sum(axis=1)))


def _table(rows: IdArray, columns: IdArray, height: int) -> FloatArray:
    """Count pairs of numbers."""
    width = int(columns.max(initial=0)) + 1
    flat = np.bincount(rows * width + columns, minlength=height * width)
    return flat.reshape(height, width).astype(np.float64)


def _tells_label(
    by_author: FloatArray, by_label: FloatArray, shares: FloatArray
) -> FloatArray:
    """Return the squared log-ratio of the label it tells most of, at most 1.

    The ratio is to the labels of the authors who use the sub-word, whose `shares` are
    given: the favourite words of an author who blames much tell the author, not the
    label.
    """
    expected = by_author @ shares + shares.mean(axis=0)
    expected /= by_label.sum(axis=1, keepdims=True) + 1
    smoothed = _smoothed(by_label, expected)
    squares: FloatArray = (np.log(smoothed / expected) ** 2).max(axis=1)
    return np.minimum(squares, 1.0)


def _tells_author(by_author: FloatArray) -> FloatArray:
    """Return the divergence of the authors of a sub-word from all authors, in nats."""
    expected = _shares(by_author.sum(axis=0))[None]
    smoothed = _smoothed(by_author, expected)
    divergence: FloatArray = (smoothed * np.log(smoothed / expected)).sum(axis=1)
    return divergence


def _shares(counts: FloatArray) -> FloatArray:
    shares: FloatArray = (counts + 1) / (counts + 1).sum(axis=-1, keepdims=True)
    return shares


def _smoothed(counts: FloatArray, expected: FloatArray) -> FloatArray:
    total = counts.sum(axis=1, keepdims=True) + PRIOR
    smoothed: FloatArray = (counts + PRIOR * expected) / total
    return smoothed
