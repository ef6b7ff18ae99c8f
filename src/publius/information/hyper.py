"""Hyper-distributions: what the adversary may come to believe, and how likely."""

from dataclasses import dataclass
from typing import Self

import numpy as np

from publius.core.arrays import IdArray
from publius.information.matrix import Dense, Matrix, rows

MERGE = 1e-12
"""Posteriors whose probabilities all differ by at most this are one posterior."""


@dataclass(frozen=True, slots=True, eq=False)
class Hyper:
    """A distribution over posteriors; equal posteriors appear once.

    Args:
        outer: Probability of each posterior.
        inner: The posteriors, one per row, over the secrets.
    """

    outer: Dense
    inner: Dense

    @classmethod
    def of(cls, prior: Dense, matrix: Matrix) -> Self:
        """Return what `prior` becomes when the output of `matrix` is seen.

        Outputs that never occur have no posterior and are left out (paper, footnote 2).
        """
        joint = np.ascontiguousarray((rows(matrix, slice(None)) * prior[:, None]).T)
        outer = joint.sum(axis=1)
        seen = np.asarray(outer > 0, dtype=bool)
        joint, outer = joint[seen], outer[seen]
        inner = joint / outer[:, None]
        group = _exact_groups(inner) if inner.dtype == object else _close_groups(inner)
        first = np.unique(group, return_index=True)[1]
        weight = np.zeros(len(first), dtype=outer.dtype)
        np.add.at(weight, group, outer)
        return cls(weight, inner[first])


def _exact_groups(inner: Dense) -> IdArray:
    known: dict[tuple[object, ...], int] = {}
    return np.array([known.setdefault(tuple(row), len(known)) for row in inner])


def _close_groups(inner: Dense) -> IdArray:
    """Number the posteriors by first appearance, equal ones alike.

    Equal rows have equal projections, so only neighbours in the order of one generic
    projection need to be compared.
    """
    generic = np.sqrt(1.0 + np.arange(inner.shape[1])) % 1.0
    image = inner @ generic
    order = np.argsort(image, kind="stable")
    # Rows within MERGE in every entry project within MERGE times the sum of weights.
    reach = MERGE * (1.0 + generic.sum())
    runs = np.split(order, np.flatnonzero(np.diff(image[order]) > reach) + 1)
    leader = np.arange(len(inner))
    for run in runs:
        rest = np.sort(run)
        while len(rest) > 1:
            same = np.abs(inner[rest] - inner[rest[0]]).max(axis=1) <= MERGE
            leader[rest[same]] = rest[0]
            rest = rest[~same]
    return np.unique(leader, return_inverse=True)[1]
