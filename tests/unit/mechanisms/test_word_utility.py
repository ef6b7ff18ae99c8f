"""Movement of words: exact from a channel, with intervals from draws."""

from dataclasses import dataclass

import numpy as np
import pytest

from publius.core.arrays import FloatArray, IdArray, Rng
from publius.core.errors import DataError, ParameterError
from publius.core.guarantee import Guarantee, Linear, Unit
from publius.core.metric import Euclidean
from publius.core.rng import seeded
from publius.core.space import PointSpace
from publius.mechanisms.word_utility import (
    DRAWS,
    Surroundings,
    typical_words,
    word_utility,
)

VECTORS = np.array([[1.0, 0.0], [0.9, 0.1], [0.0, 1.0], [-1.0, 0.0]])
MATRIX = np.array(
    [[0.4, 0.3, 0.2, 0.1], [0.1, 0.9, 0, 0], [0, 0, 1, 0], [0.25, 0.25, 0.25, 0.25]]
)
AROUND = Surroundings(PointSpace(VECTORS, Euclidean()), VECTORS, nearest=1)


@dataclass(frozen=True)
class Drawn:
    """A channel that can only be drawn from."""

    name: str = "drawn.v1"

    def guarantee(self) -> Guarantee:
        return Guarantee("discrete@table", Unit.TOKEN, (Linear(1.0),))

    def perturb(self, x: IdArray, rng: Rng) -> IdArray:
        edges = np.cumsum(MATRIX, axis=1)[x]
        return (rng.random(len(x))[:, None] >= edges).sum(axis=1)


@dataclass(frozen=True)
class Table(Drawn):
    """The same with its matrix."""

    size: int = 4

    def channel(self, x: IdArray) -> FloatArray:
        with np.errstate(divide="ignore"):
            return np.log(MATRIX[x])


def test_exact_figures_of_a_known_channel() -> None:
    found = word_utility(Table(), np.array([0, 3]), AROUND, seeded(0))
    distance = Euclidean().pairwise(VECTORS, VECTORS)
    np.testing.assert_allclose(found.moved, (MATRIX * distance).sum(axis=1)[[0, 3]])
    unit = VECTORS / np.linalg.norm(VECTORS, axis=1, keepdims=True)
    np.testing.assert_allclose(
        found.cosine, (MATRIX * (unit @ unit.T)).sum(axis=1)[[0, 3]]
    )
    np.testing.assert_allclose(found.near, [0.3, 0.25])
    share = found.near_share()
    assert share is not None
    assert share.value == pytest.approx((0.3 + 0.25) / (0.6 + 0.75))
    assert share.low == share.high
    assert found.mean_moved().n == 0


def test_drawn_figures_agree_within_their_intervals() -> None:
    ids = np.repeat(np.arange(4), 1)
    exact = word_utility(Table(), ids, AROUND, seeded(0))
    drawn = word_utility(Drawn(), ids, AROUND, seeded(1))
    assert drawn.n == DRAWS
    for name in ("mean_moved", "mean_cosine"):
        estimate, value = getattr(drawn, name)(), getattr(exact, name)().value
        width = estimate.high - estimate.low
        assert 0 < width < 0.2
        assert abs(estimate.value - value) < 3 * width
    share = drawn.near_share()
    assert share is not None
    assert share.low < share.value < share.high


def test_nothing_replaced_has_no_near_share() -> None:
    found = word_utility(Table(), np.array([2]), AROUND, seeded(0))
    assert found.near_share() is None
    assert word_utility(Drawn(), np.array([2]), AROUND, seeded(0)).near_share() is None


def test_a_word_listed_twice_counts_twice() -> None:
    twice = word_utility(Table(), np.array([0, 0, 1]), AROUND, seeded(0))
    once = word_utility(Table(), np.array([0, 1]), AROUND, seeded(0))
    assert twice.mean_moved().value == pytest.approx(
        (2 * once.moved[0] + once.moved[1]) / 3
    )


def test_typical_words_follow_the_prior() -> None:
    ids = typical_words(np.array([0.5, 0.25, 0.125, 0.125]), 8)
    assert ids.tolist() == [0, 0, 0, 0, 1, 1, 2, 3]


def test_bad_surroundings_are_refused() -> None:
    with pytest.raises(DataError, match="vectors"):
        Surroundings(PointSpace(VECTORS, Euclidean()), VECTORS[:2])
    with pytest.raises(ParameterError, match="nearest"):
        Surroundings(PointSpace(VECTORS, Euclidean()), VECTORS, nearest=0)
    with pytest.raises(ParameterError, match="count"):
        typical_words(np.ones(3), 0)


def test_a_vocabulary_of_one_word_has_nobody_near() -> None:
    space = PointSpace(np.ones((1, 2)), Euclidean())
    near = Surroundings(space, np.ones((1, 2))).look(np.array([0]))[2]
    assert near.tolist() == [[0.0]]
