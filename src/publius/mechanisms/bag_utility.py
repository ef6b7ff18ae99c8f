"""How far a bag of words moves under Euclidean Laplace noise on each of its words.

Fernandes, Dras and McIver (2019), Theorem 3, corrected. The lengths of N independent
noises are Gamma(n, 1/ε) each and Gamma(Nn, 1/ε) together. The Earth Mover's distance of
input and output bag, with mass 1/N per word, is at most their sum over N, because
moving every word to its own noisy copy is one way to carry the mass. So

    Pr[E(b, z) <= Δ] >= P(N n, ε N Δ),

P the regularised lower incomplete gamma function. The published bound has P(n, ε N Δ),
which for N > 1 is larger than what it bounds: it counts the noise of one word.
"""

from typing import TypeAlias

import numpy as np
import scipy
from numpy.typing import ArrayLike

from publius.core.arrays import FloatArray, at_least, positive
from publius.core.errors import DataError

Shape: TypeAlias = tuple[float, int, int]


def bag_within(
    distance: ArrayLike, *, epsilon: float, dim: int, size: int
) -> FloatArray:
    """Return a lower bound on the probability that a bag moves by at most `distance`.

    It is over the noisy vectors. The nearest word to each may move the bag further, by
    at most as much again: the nearest word is no farther from the noisy vector than
    the true word is, so that `distance` / 2 bounds bags of words.

    Args:
        distance: Earth Mover's distance with mass 1 / `size` per word; each >= 0.
        epsilon: Of the Laplace mechanism, per unit of Euclidean distance.
        dim: Dimension of the vectors.
        size: Words of the bag.
    """
    scale, shape, count = _checked(epsilon, dim, size)
    return scipy.special.gammainc(count * shape, scale * count * _distances(distance))


def bag_distance(
    probability: ArrayLike, *, epsilon: float, dim: int, size: int
) -> FloatArray:
    """Return the distance within which a bag stays with at least `probability`.

    For one word it is exact. With many words it approaches `dim` / `epsilon`, the mean
    length of the noise, whatever the probability.
    """
    scale, shape, count = _checked(epsilon, dim, size)
    asked = np.asarray(probability, dtype=np.float64)
    if not ((asked >= 0) & (asked < 1)).all():
        raise DataError("probabilities must lie in [0, 1)")
    return scipy.special.gammaincinv(count * shape, asked) / (scale * count)


def published_bag_within(
    distance: ArrayLike, *, epsilon: float, dim: int, size: int
) -> FloatArray:
    """Return what Theorem 3 of the paper states; no bound if `size` is above 1.

    It is ``1 - exp(-x) e_(dim-1)(x) = P(dim, x)`` at ``x = epsilon * size * distance``,
    which the paper states for ``x <= dim / e``.
    """
    scale, shape, count = _checked(epsilon, dim, size)
    return scipy.special.gammainc(shape, scale * count * _distances(distance))


def _checked(epsilon: float, dim: int, size: int) -> Shape:
    at_least("dim", dim, 1)
    return positive("epsilon", epsilon), dim, at_least("size", size, 1)


def _distances(distance: ArrayLike) -> FloatArray:
    asked = np.asarray(distance, dtype=np.float64)
    if not (asked >= 0).all():
        raise DataError("a distance must be a number >= 0")
    return asked
