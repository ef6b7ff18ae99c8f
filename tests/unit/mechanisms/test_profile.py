from dataclasses import dataclass, field

import numpy as np
import pytest

from publius.core.arrays import FloatArray, IdArray, Rng
from publius.core.errors import ParameterError
from publius.core.guarantee import Guarantee, Linear, Unit
from publius.mechanisms.profile import DRAWS, WordProfile, profile, sample_words


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


@pytest.mark.parametrize("figure", ["outputs", "hartley", "min_entropy", "unchanged"])
def test_drawn_figures_have_intervals_that_cover(figure: str) -> None:
    """Of 60 profiles of one mechanism nearly all intervals hold the exact mean."""
    rng = np.random.default_rng(3)
    weights = rng.dirichlet(np.full(200, 0.05), size=6)
    matrix = np.zeros((200, 200))
    matrix[:6] = weights
    matrix[6:, 0] = 1.0
    table, ids = Table(matrix, size=200), np.arange(6)
    with np.errstate(divide="ignore"):
        exact = getattr(profile(table, ids, 200, rng), f"mean_{figure}")().value
    inside = 0
    for _ in range(60):
        drawn = Sampled(table).table.matrix[ids]
        counts = np.array([rng.multinomial(DRAWS, row) for row in drawn])
        found = WordProfile(
            ids,
            counts[ids, ids] / DRAWS,
            (counts > 0).sum(axis=1).astype(float),
            np.ones(6),
            n=DRAWS,
            likeliest=counts.max(axis=1) / DRAWS,
            singles=(counts == 1).sum(axis=1).astype(float),
        )
        share = getattr(found, f"mean_{figure}")()
        assert share.low < share.high
        inside += share.low <= exact <= share.high
    assert inside >= 52


def test_inputs_that_were_asked_stand_for_all(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each word is explained by itself and by its successor, whoever is asked."""
    size = 3000
    monkeypatch.setattr("publius.mechanisms.profile.ROW_BUDGET", size * 500)

    @dataclass(frozen=True)
    class Chain(Table):
        def channel(self, x: IdArray) -> FloatArray:
            rows = np.full((len(x), size), -30.0)
            rows[np.arange(len(x)), x] = np.log(0.5)
            for step in range(1, 31):
                rows[np.arange(len(x)), (x + step) % size] = np.log(1 / 60)
            return rows

    chain = Chain(np.zeros((0, 0)), size=size)
    ids = sample_words(size, 200)
    share = profile(chain, ids, size, np.random.default_rng(0)).mean_explanations()
    assert share.low <= 31 <= share.high
    assert share.value == pytest.approx(31, rel=0.2)


def test_sample_is_fixed_spread_and_inside() -> None:
    assert sample_words(10, 3).tolist() == [0, 4, 9]
    assert sample_words(2, 50).tolist() == [0, 1]
    with pytest.raises(ParameterError, match="count"):
        sample_words(10, 0)
