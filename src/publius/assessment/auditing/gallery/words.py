"""Word mechanisms that violate their guarantee, as exact channels."""

import itertools
from math import factorial

import numpy as np
from scipy.integrate import quad
from scipy.optimize import linear_sum_assignment

from publius.assessment.auditing.exact import audit_channel
from publius.assessment.auditing.verdict import Verdict
from publius.core.arrays import FloatArray
from publius.information.channel import Channel


def line(size: int) -> FloatArray:
    """Return the distances of `size` words on a line, one unit apart."""
    place = np.arange(float(size))
    return np.abs(place[:, None] - place[None])


def exponential(distance: FloatArray, beta: float) -> FloatArray:
    """Return rows proportional to ``exp(-beta * distance)``."""
    weight = np.exp(-beta * distance)
    return np.asarray(weight / weight.sum(axis=1, keepdims=True))


def vickrey() -> Verdict:
    """The nearest word to the noisy point, unless it is the input; then the second."""
    distance = line(5)
    law = exponential(distance, 1.0)
    other = np.where(np.eye(5, dtype=bool), np.inf, distance)
    second = np.argmin(other, axis=1)
    stay = np.diagonal(law).copy()
    np.fill_diagonal(law, 0.0)
    law[np.arange(5), second] += stay
    return audit_channel(Channel(law), distance, 2.0)


def truncated_gumbel() -> Verdict:
    """The best of a random number of nearest words, by distance with Gumbel noise.

    The number follows a Poisson law cut at `most`; given it, the word of least noisy
    distance follows a softmax. Cutting the noise too, as published, allows still less.
    """
    size, most, epsilon = 8, 4, 1.0
    distance = line(size)
    order = np.argsort(distance, axis=1, kind="stable")
    count = np.arange(1, most + 1)
    share = np.log(size) ** count / np.array([factorial(k) for k in count.tolist()])
    law = np.zeros((size, size))
    for k, chance in zip(count.tolist(), share / share.sum(), strict=True):
        for x in range(size):
            near = order[x, :k]
            weight = np.exp(-epsilon / 2 * distance[x, near])
            law[x, near] += chance * weight / weight.sum()
    return audit_channel(Channel(law), distance, epsilon)


def pass_through() -> Verdict:
    """Known words are perturbed, and words outside the vocabulary are kept."""
    size, known = 6, 4
    law = np.zeros((size, size))
    law[:known, :known] = exponential(line(size)[:known, :known], 0.5)
    law[known:, known:] = np.eye(size - known)
    return audit_channel(Channel(law), line(size), 1.0)


def truncated_bottom() -> Verdict:
    """The truncated exponential mechanism without the logarithm in its bottom score.

    Words farther than ``gamma`` share one bottom element. Its score must count them:
    ``-gamma + ln(count) / beta``. Without the logarithm a far word is the rarer the
    more of them there are, and a secret with few of them is told from one with many.
    """
    size, gamma, epsilon = 201, 1.5, 1.0
    # A word at the hub has all others within gamma, a word at a rim only the hub.
    distance = np.full((size, size), 2.0)
    distance[0], distance[:, 0] = 1.0, 1.0
    np.fill_diagonal(distance, 0.0)
    beta = epsilon / 2
    near = distance <= gamma
    weight = np.where(near, np.exp(-beta * distance), 0.0)
    far = (~near).sum(axis=1, keepdims=True)
    share = np.exp(-beta * gamma) / np.maximum(far, 1)
    weight = np.where(near, weight, share)
    law = weight / weight.sum(axis=1, keepdims=True)
    return audit_channel(Channel(law), distance, epsilon)


def hyperbolic_addition() -> Verdict:
    """Noise drawn around the origin of the Poincaré disc, then added to the word."""
    words, epsilon = np.array([-0.9, -0.5, 0.0, 0.5, 0.9]), 1.0
    edges = np.concatenate([[-np.inf], (words[1:] + words[:-1]) / 2, [np.inf]])

    def density(noise: float) -> float:
        # exp(-epsilon * d(0, z)) with d(0, z) = 2 artanh |z|.
        return float(np.exp(-2 * epsilon * np.arctanh(abs(noise))))

    total = quad(density, -1, 1, points=[0.0])[0]
    law = np.zeros((5, 5))
    for row, x in enumerate(words):
        for column, (low, high) in enumerate(itertools.pairwise(edges)):
            a, b = np.clip([low - x, high - x], -1, 1)
            law[row, column] = quad(density, a, b)[0] / total if b > a else 0.0
    law /= law.sum(axis=1, keepdims=True)
    a, b = words[:, None], words[None]
    distance = np.arccosh(1 + 2 * (a - b) ** 2 / ((1 - a**2) * (1 - b**2)))
    return audit_channel(Channel(law), distance, epsilon)


def missing_count() -> Verdict:
    """A bag of N words, each at epsilon, under the Earth Mover's metric without N."""
    distance, epsilon, count = line(3), 1.0, 2
    word = exponential(distance, epsilon / 2)
    bags = list(itertools.combinations_with_replacement(range(3), count))
    place = {bag: i for i, bag in enumerate(bags)}
    law = np.zeros((len(bags), len(bags)))
    for bag, outputs in itertools.product(
        bags, itertools.product(range(3), repeat=count)
    ):
        chance = np.prod([word[x, z] for x, z in zip(bag, outputs, strict=True)])
        law[place[bag], place[tuple(sorted(outputs))]] += chance
    moved = np.zeros_like(law)
    for (i, a), (j, b) in itertools.product(enumerate(bags), repeat=2):
        cost = distance[np.ix_(a, b)]
        moved[i, j] = cost[linear_sum_assignment(cost)].mean()
    names = ["".join("abc"[i] for i in bag) for bag in bags]
    return audit_channel(Channel(law, names, names), moved, epsilon)
