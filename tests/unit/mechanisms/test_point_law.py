"""The exact law on points: its weights, its proposals, and what is kept."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chisquare

from publius.core.arrays import UNKNOWN
from publius.core.errors import DataError
from publius.core.metric import Angular, Euclidean, Manhattan
from publius.core.rng import seeded
from publius.core.space import PointSpace
from publius.mechanisms import point_law
from publius.mechanisms.law import Decay
from publius.mechanisms.point_law import (
    TICKETS,
    PointLaw,
    _is_below,
    deal,
    dense_law,
    proposals,
)
from publius.mechanisms.row_law import RowLaw

ALPHA = 1e-9


def law(size: int = 150, *, beta: float = 1.5, cache_bytes: int = 1 << 20) -> PointLaw:
    rng = np.random.default_rng(0)
    weights = rng.integers(1, 1 << 20, size).astype(np.uint32)
    points = rng.normal(size=(size, 3)).astype(np.float32)
    points[size // 2] = points[0]
    space = PointSpace(points, Euclidean())
    return PointLaw(space, Decay(beta, weights), cache_bytes=cache_bytes)


def p_value(drawn: Any, log_prob: Any) -> float:
    counts = np.bincount(drawn, minlength=len(log_prob))
    return float(chisquare(counts, np.exp(log_prob) * len(drawn)).pvalue)


def test_the_channel_is_the_weights() -> None:
    made = law()
    every = np.broadcast_to(np.arange(150), (150, 150))
    weights = made.weights(np.arange(150), every)
    wanted = np.log(weights / weights.sum(axis=1, keepdims=True))
    np.testing.assert_allclose(made.log_prob(np.arange(150)), wanted, atol=1e-11)


def test_weights_do_not_depend_on_the_batch() -> None:
    made = law()
    ids, others = np.arange(40), np.arange(150)[None, :].repeat(40, axis=0)
    whole = made.weights(ids, others)
    for row in (0, 7, 39):
        alone = made.weights(ids[row : row + 1], others[:1, 20:31])
        np.testing.assert_array_equal(alone[0], whole[row, 20:31])


def test_copies_of_a_word_have_one_row() -> None:
    made = law()
    both = made.weights(np.array([0, 75]), np.arange(150)[None, :].repeat(2, axis=0))
    np.testing.assert_array_equal(both[0], both[1])


@pytest.mark.parametrize("batch", [1, 7, 128, 1000])
def test_draws_do_not_depend_on_how_many_words_are_screened(
    batch: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    ids = np.random.default_rng(3).integers(-1, 150, 1000)
    wanted = law().draw(ids, seeded(5))
    made = law()
    monkeypatch.setattr(made._screen(is_close=False), "batch", min(batch, 128))
    np.testing.assert_array_equal(made.draw(ids, seeded(5)), wanted)


@pytest.mark.parametrize("cached_rows", [0, 1, 30, 1000])
def test_kept_proposals_do_not_change_the_draws(cached_rows: int) -> None:
    made, other = law(cache_bytes=cached_rows * 3 * 8), law()
    ids = np.random.default_rng(1).integers(-1, 150, 900)
    rng, same = seeded(4), seeded(4)
    for part in np.split(ids, [100, 500]):
        wanted = other.draw(part, same)
        np.testing.assert_array_equal(made.draw(part, rng), wanted)
    assert len(made._cached) == min(cached_rows, len(np.unique(ids[ids >= 0])))


def test_rows_used_last_are_kept_longest() -> None:
    made = law(cache_bytes=2 * 3 * 8)
    for word in (1, 2, 1, 3):
        made.draw(np.array([word]), seeded(0))
    assert list(made._cached) == [1, 3]


@pytest.mark.statistical
@pytest.mark.parametrize("word", [0, 149, UNKNOWN])
def test_every_comparison_with_fractions_gives_the_same_law(
    word: int, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(point_law, "UNSURE", 2.0)
    made = law()
    drawn = made.draw(np.full(20_000, word), seeded(seed))
    assert p_value(drawn, made.log_prob(np.array([word]))[0]) > ALPHA
    off = law(beta=1.5 * 1.2)
    if word != UNKNOWN:
        assert p_value(drawn, off.log_prob(np.array([word]))[0]) < ALPHA


@pytest.mark.statistical
def test_a_loose_screen_costs_time_and_no_law(seed: int) -> None:
    # Bounds of one for every chunk: most proposals are thrown back.
    made = law()

    class Loose:
        """Bounds every chunk by the sum of its weights."""

        batch = 64

        def sums(self, ids: Any) -> Any:
            ends = np.arange(0, 150, 64)
            sums = np.add.reduceat(made.decay.weights.astype(np.float64), ends)
            return np.tile(sums, (len(ids), 1))

    made._screens[False] = Loose()
    drawn = made.draw(np.full(50_000, 9), seeded(100 + seed))
    assert p_value(drawn, made.log_prob(np.array([9]))[0]) > ALPHA
    assert p_value(drawn, law(beta=1.7).log_prob(np.array([9]))[0]) < ALPHA


def test_far_coordinates_end_with_the_close_screen() -> None:
    # float32 cannot tell these points apart: its bounds are useless, not wrong.
    points = np.random.default_rng(2).normal(size=(80, 3)) + 1e6
    space = PointSpace(points, Euclidean())
    made = PointLaw(space, Decay.plain(40.0, 80))
    drawn = made.draw(np.arange(80), seeded(0))
    likely = np.exp(made.log_prob(np.arange(80))[np.arange(80), drawn])
    assert likely.min() > 1e-6
    assert True in made._screens


def test_a_screen_below_the_weights_is_refused() -> None:
    made = law()

    class Low:
        """Forgets the chunk that matters."""

        batch = 64

        def sums(self, ids: Any) -> Any:
            return np.tile([1e-9, 1.0, 1.0], (len(ids), 1))

    made._screens[False] = Low()
    with pytest.raises(DataError, match="below the weights"):
        made.draw(np.full(100, 3), seeded(0))


@given(number=st.integers(0, 10_000), size=st.integers(1, 400))
def test_dealt_tickets_sum_up_and_bound_their_share(number: int, size: int) -> None:
    rng = np.random.default_rng(number)
    weights = rng.random((3, size)) ** rng.choice([1, 50])
    weights[:, rng.integers(size)] = 1.0
    tickets = deal(weights)
    assert [sum(row) for row in tickets.tolist()] == [TICKETS] * 3
    share = weights / weights.sum(axis=1, keepdims=True) * (TICKETS - 4 * size)
    assert (tickets.astype(np.float64) >= share * (1 - 1e-14)).all()
    assert (tickets[weights > 0] >= 2).all()


def test_a_word_of_weight_zero_is_never_dealt_a_ticket() -> None:
    assert deal(np.array([[1.0, 0.0, 3.0]]))[0, 1] == 0


def test_a_chunk_that_underflows_keeps_tickets() -> None:
    found = proposals(np.array([[1.0, 0.0, 1.0]]))[0]
    assert np.diff(found.ends.astype(np.int64)).tolist()[0] == 2


@pytest.mark.parametrize(
    ("coin", "bound", "below"),
    [
        (0, Fraction(1, 2), True),
        ((1 << 63) - 1, Fraction(1, 2), True),
        (1 << 63, Fraction(1, 2), False),
        ((1 << 64) - 1, Fraction(1), True),
        (0, Fraction(0), False),
    ],
)
def test_a_coin_is_compared_exactly(coin: int, bound: Fraction, *, below: bool) -> None:
    assert _is_below(coin, bound, seeded(0)) is below


def test_a_coin_gets_more_bits_where_it_needs_them() -> None:
    coin = 12345
    bound = Fraction(2 * coin + 1, 1 << 65)  # in the middle of what 64 bits leave open
    found = [_is_below(coin, bound, seeded(number)) for number in range(200)]
    assert 60 < sum(found) < 140


def test_nothing_to_draw() -> None:
    assert law().draw(np.array([], dtype=np.int64), seeded(0)).shape == (0,)


def test_what_does_not_fit_is_refused() -> None:
    space = PointSpace(np.eye(4), Euclidean())
    with pytest.raises(DataError, match="3 weights for 4 words"):
        PointLaw(space, Decay.plain(1.0, 3))
    with pytest.raises(DataError, match="manhattan"):
        PointLaw(PointSpace(np.eye(4), Manhattan()), Decay.plain(1.0, 4))


def test_each_space_gets_its_law() -> None:
    decay = Decay.plain(1.0, 4)
    assert isinstance(dense_law(PointSpace(np.eye(4), Angular()), decay), PointLaw)
    assert isinstance(dense_law(PointSpace(np.eye(4), Manhattan()), decay), RowLaw)


def test_equal_points_certify_no_loss() -> None:
    space = PointSpace(np.ones((3, 2)), Euclidean())
    found = PointLaw(space, Decay.plain(1.5, 3)).certify()
    assert (found.epsilon, found.worst_loss, found.slack) == (1.5, 0.0, 0.0)


def test_rounding_is_far_below_that_of_tickets() -> None:
    made = law()
    assert made.rounding < 1e-10
    assert PointLaw(made.space, made.decay.steeper(1e6)).rounding > 1e-8
