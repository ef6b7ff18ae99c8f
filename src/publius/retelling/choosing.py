"""Which content words of a text are drawn, and in which order.

All choices are made without a look at the words, so that two texts that differ in one
word are treated alike: what is said of one drawn word stays true of each that is drawn.
"""

import numpy as np

from publius.core.arrays import UNKNOWN, IdArray, Rng


def mixed(ids: IdArray, counts: IdArray, reach: int | None, rng: Rng) -> IdArray:
    """Put the words of each text, or of each passage of `reach` words, in any order."""
    owner = np.repeat(np.arange(len(counts)), counts)
    if reach is not None:
        first = np.repeat(np.cumsum(counts) - counts, counts)
        owner = owner * (len(ids) + 1) + (np.arange(len(ids)) - first) // reach
    return ids[np.lexsort((rng.random(len(ids)), owner))]


def at_most(
    ids: IdArray, counts: IdArray, words: int, rng: Rng
) -> tuple[IdArray, IdArray]:
    """Keep so many words of each text, chosen at random, in their order."""
    owner = np.repeat(np.arange(len(counts)), counts)
    first = np.repeat(np.cumsum(counts) - counts, counts)
    lot = np.lexsort((rng.random(len(ids)), owner))
    kept = np.zeros(len(ids), dtype=bool)
    kept[lot[np.arange(len(ids)) - first < words]] = True
    return ids[kept], np.minimum(counts, words)


def exactly(
    ids: IdArray, counts: IdArray, words: int, rng: Rng
) -> tuple[IdArray, IdArray]:
    """Choose so many words of each text without replacement; ⊥ fills a short one."""
    rows = np.full((len(counts), words), UNKNOWN, dtype=np.int64)
    stop = np.cumsum(counts)
    for row, (end, count) in enumerate(
        zip(stop.tolist(), counts.tolist(), strict=True)
    ):
        own = rng.permutation(ids[end - count : end])[:words]
        rows[row, : len(own)] = own
    # Where the ⊥ stand would tell how many there are.
    rows = rng.permuted(rows, axis=1)
    return rows.ravel(), np.full(len(counts), words, dtype=np.int64)
