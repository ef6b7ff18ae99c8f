"""How a like space is built: fold rare words, match like words, join near vectors.

Everything here sees public vectors and public lists only. Similarity is the cosine of
``[sqrt(1 - share) * vector, sqrt(share) * sqrt(tag shares)]``, so that words of the
same grammar are preferred; no word gets more than `most` edges, so that none is a hub.
"""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from publius.core.arrays import BoolArray, FloatArray, IdArray
from publius.embeddings.preprocess import unit

TAG_SHARE = 0.3
CANDIDATES = 40
"""Nearest words that an edge of length 1 is chosen among."""
HUBNESS = 10
"""Nearest words whose mean similarity is subtracted (CSLS)."""
LEAST, EXTRA = 3, 2
"""A word with fewer edges than LEAST may add to words that have EXTRA too many."""
ROOM_CANDIDATES = 24
OTHER_TAG = 0.5
"""Subtracted from a similarity across tags when a rare word is folded."""
BLOCK = 1024


@dataclass(frozen=True, slots=True, eq=False)
class Features:
    """What is compared of every word.

    Args:
        rows: Unit vectors and tag shares side by side.
        tags: The commonest tag of each word.
    """

    rows: FloatArray
    tags: IdArray

    @classmethod
    def of(cls, vectors: FloatArray, tags: FloatArray) -> "Features":
        """Join vectors with tag shares that sum to 1 in every row."""
        parts = [
            np.sqrt(1 - TAG_SHARE) * unit(vectors),
            np.sqrt(TAG_SHARE) * np.sqrt(tags),
        ]
        return cls(np.hstack(parts).astype(np.float32), tags.argmax(axis=1))


def most_similar(rows: FloatArray, k: int) -> tuple[IdArray, FloatArray]:
    """Return the `k` other rows of largest product with each row, best first."""
    ids, values = [], []
    for start in range(0, len(rows), BLOCK):
        score = rows[start : start + BLOCK] @ rows.T
        own = np.arange(len(score))
        score[own, start + own] = -np.inf
        best = np.argsort(-score, axis=1, kind="stable")[:, :k]
        ids.append(best)
        values.append(np.take_along_axis(score, best, axis=1))
    return np.concatenate(ids), np.concatenate(values)


def matched(rows: FloatArray, most: int) -> IdArray:
    """Return edges ``(2, count)`` of a greedy matching: best first while there is room.

    The order is CSLS: twice the similarity less the mean similarity of each end to its
    nearest words, which removes what makes hubs.
    """
    size = len(rows)
    near, value = most_similar(rows, min(CANDIDATES, size - 1))
    source = np.repeat(np.arange(size), near.shape[1])
    low, high = np.minimum(source, near.ravel()), np.maximum(source, near.ravel())
    _, first = np.unique(low * size + high, return_index=True)
    low, high, score = low[first], high[first], value.ravel()[first]
    density = value[:, :HUBNESS].mean(axis=1)
    order = np.argsort(-(2 * score - density[low] - density[high]), kind="stable")
    degree = [0] * size
    edges = []
    for a, b in zip(low[order].tolist(), high[order].tolist(), strict=True):
        if degree[a] < most and degree[b] < most:
            degree[a], degree[b] = degree[a] + 1, degree[b] + 1
            edges.append((a, b))
    return np.array(edges + _lonely(near, degree, set(edges), most)).T


def _lonely(
    near: IdArray, degree: list[int], taken: set[tuple[int, int]], most: int
) -> list[tuple[int, int]]:
    """Return edges for words that found no room, to near words with a little left."""
    added = []
    for word, row in enumerate(near.tolist()):
        for other in row:
            edge = min(word, other), max(word, other)
            if degree[word] >= LEAST:
                break
            if edge in taken or degree[other] >= most + EXTRA:
                continue
            taken.add(edge)
            added.append(edge)
            degree[word], degree[other] = degree[word] + 1, degree[other] + 1
    return added


def folded(
    features: Features, targets: IdArray, rest: IdArray, barred: BoolArray, room: int
) -> IdArray:
    """Return for each of `rest` the place in `targets` of the word it is taken for.

    Most similar first, and at most `room` words to a target.

    Args:
        features: Of all words.
        targets: Words that others may be folded onto.
        rest: Words to fold.
        barred: Targets that only take words for which nothing better is left.
        room: Words that a target takes.
    """
    wanted, value = [], []
    for start in range(0, len(rest), BLOCK):
        part = rest[start : start + BLOCK]
        score = features.rows[part] @ features.rows[targets].T
        score -= OTHER_TAG * (features.tags[part][:, None] != features.tags[targets])
        score[:, barred] -= OTHER_TAG
        best = np.argsort(-score, axis=1, kind="stable")[:, :ROOM_CANDIDATES]
        wanted.append(best)
        value.append(np.take_along_axis(score, best, axis=1))
    choices, values = np.concatenate(wanted), np.concatenate(value)
    place = choices[:, 0].copy()
    left, done = [room] * len(targets), [False] * len(rest)
    for entry in np.argsort(-values.ravel(), kind="stable").tolist():
        word, column = divmod(entry, choices.shape[1])
        target = int(choices[word, column])
        if not done[word] and left[target]:
            left[target], done[word], place[word] = left[target] - 1, True, target
    return place


def crossed(fold: IdArray, neighbours: IdArray, symbols: int) -> IdArray:
    """Return edges between the symbols of words and of their nearest words by vector.

    Args:
        fold: Symbol of every word.
        neighbours: Nearest words by vector, one row per word.
        symbols: Edges to later symbols, classes of words, are left out.
    """
    source = np.repeat(fold, neighbours.shape[1])
    target = fold[neighbours.ravel()]
    kept = (source != target) & (source < symbols) & (target < symbols)
    edges = np.sort(np.stack([source[kept], target[kept]]), axis=0)
    return np.unique(edges, axis=1)


def chained(*chains: tuple[int, ...]) -> IdArray:
    """Return edges between each symbol of a chain and the next one."""
    return np.array([sorted(pair) for chain in chains for pair in pairwise(chain)]).T
