from dataclasses import dataclass, field

import numpy as np
import pytest

from publius.accounting.profile import DRAWS, profile, sample_words
from publius.core.arrays import FloatArray, IdArray, Rng
from publius.core.errors import ParameterError
from publius.core.guarantee import Guarantee, Linear, Unit


@dataclass(frozen=True)
class Table:
    """A channel given by its matrix."""

    matrix: FloatArray
    name: str = "table.v1"
    size: int = field(default=4)

    def guarantee(self) -> Guarantee:
        return Guarantee("discrete@table", Unit.TOKEN, (Linear(1.0),))

    def channel(self, x: IdArray) -> FloatArray:
        return np.log(self.matrix[x])

    def perturb(self, x: IdArray, rng: Rng) -> IdArray:
        return np.array([rng.choice(self.size, p=self.matrix[i]) for i in x])


@dataclass(frozen=True)
class Sampled:
    """The same without a channel."""

    table: Table
    name: str = "sampled.v1"

    def guarantee(self) -> Guarantee:
        return self.table.guarantee()

    def perturb(self, x: IdArray, rng: Rng) -> IdArray:
        return self.table.perturb(x, rng)


MATRIX = np.full((4, 4), 0.1) + 0.6 * np.eye(4)


def test_exact_profile_of_a_known_channel() -> None:
    found = profile(Table(MATRIX), np.arange(4), 4, np.random.default_rng(0))
    assert np.allclose(found.unchanged, 0.7)
    expected = (1 - 0.3**DRAWS) + 3 * (1 - 0.9**DRAWS)
    assert np.allclose(found.outputs, expected)
    assert np.allclose(found.explanations, 4)
    share = found.mean_unchanged()
    assert (share.value, share.low, share.high) == pytest.approx((0.7, 0.7, 0.7))
    assert np.allclose(found.min_entropy, -np.log2(0.7))
    assert np.allclose(found.hartley, np.log2(expected))


def test_a_word_that_nothing_explains() -> None:
    matrix = np.full((4, 4), 1e-5)
    np.fill_diagonal(matrix, 1 - 3e-5)
    found = profile(Table(matrix), np.array([2]), 4, np.random.default_rng(0))
    assert found.explanations.tolist() == [1.0]


def test_drawn_profile_agrees_and_has_an_interval() -> None:
    rng = np.random.default_rng(1)
    found = profile(Sampled(Table(MATRIX)), np.arange(4), 4, rng)
    share = found.mean_unchanged()
    assert found.n == DRAWS
    assert share.low < 0.7 < share.high
    assert share.high - share.low < 0.1
    assert np.array_equal(found.outputs, [4.0] * 4)
    assert np.array_equal(found.hartley, [2.0] * 4)
    assert np.allclose(found.min_entropy, -np.log2(0.7), atol=0.15)


def test_sample_is_fixed_spread_and_inside() -> None:
    assert sample_words(10, 3).tolist() == [0, 4, 9]
    assert sample_words(2, 50).tolist() == [0, 1]
    with pytest.raises(ParameterError, match="count"):
        sample_words(10, 0)
