"""Put released words that belong together side by side, so that passages hold together.

It sees released words and public vectors only: post-processing of words whose order was
drawn at random, which changes no guarantee.
"""

import numpy as np

from publius.core.arrays import FloatArray, IdArray

MOST = 512
"""Words that are ordered at a time: the work grows with the square."""


def grouped(ids: IdArray, counts: IdArray, vectors: FloatArray) -> IdArray:
    """Return the words of each text as a chain of neighbours.

    Args:
        ids: Released words, text after text.
        counts: Words of each text.
        vectors: Public; a word without one stands where it stood.
    """
    made, stop = ids.copy(), np.cumsum(counts)
    for end, count in zip(stop.tolist(), counts.tolist(), strict=True):
        for start in range(end - count, end, MOST):
            part = slice(start, min(start + MOST, end))
            made[part] = ids[part][_chain(ids[part], vectors)]
    return made


def _chain(ids: IdArray, vectors: FloatArray) -> IdArray:
    """Go from word to nearest word that was not visited yet."""
    if len(ids) < 3:
        return np.arange(len(ids))
    rows = np.zeros((len(ids), vectors.shape[1]), dtype=np.float32)
    known = ids < len(vectors)
    rows[known] = vectors[ids[known]]
    rows /= np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9)
    likeness = rows @ rows.T
    np.fill_diagonal(likeness, -np.inf)
    order = [0]
    for _ in range(len(ids) - 1):
        here = order[-1]
        likeness[:, here] = -np.inf
        order.append(int(likeness[here].argmax()))
    return np.array(order)
