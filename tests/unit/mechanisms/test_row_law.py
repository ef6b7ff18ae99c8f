"""The dense integer law: tickets, their sums, and the rows that are kept."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from publius.core.arrays import UNKNOWN
from publius.core.errors import DataError, ParameterError
from publius.core.metric import Euclidean
from publius.core.rng import seeded
from publius.core.space import PointSpace
from publius.mechanisms.dense_certificate import BlockPasses
from publius.mechanisms.law import Decay
from publius.mechanisms.row_law import (
    FLOOR,
    MOST_WORDS,
    RESERVE,
    TICKETS,
    RowLaw,
    TicketSampler,
    deal,
)


def law(size: int = 20, *, beta: float = 1.0) -> RowLaw:
    rng = np.random.default_rng(0)
    weights = rng.integers(1, 1 << 20, size).astype(np.uint32)
    space = PointSpace(rng.normal(size=(size, 3)), Euclidean())
    return RowLaw(space, Decay(beta, weights))


@given(
    number=st.integers(0, 10_000),
    size=st.integers(1, 300),
    spread=st.sampled_from([0.0, 1e-9, 1.0, 100.0, 1e5]),
)
def test_tickets_sum_exactly_and_none_is_below_the_floor(
    number: int, size: int, spread: float
) -> None:
    scores = np.random.default_rng(number).normal(size=(3, size)) * spread
    tickets = deal(scores)
    assert [sum(row) for row in tickets.tolist()] == [TICKETS] * 3
    assert tickets.min() >= FLOOR


@given(number=st.integers(0, 10_000), size=st.integers(2, 3000))
def test_rounding_stays_within_its_bound(number: int, size: int) -> None:
    # Against the real mixture of the softmax and the floor, up to double precision.
    scores = np.random.default_rng(number).normal(size=(1, size)) * 1e-3
    share = np.exp(scores)
    share *= (TICKETS - size * FLOOR - RESERVE) / share.sum()
    wanted = (share + FLOOR) / TICKETS
    found = deal(scores) / float(TICKETS)
    assert np.abs(np.log(found / wanted)).max() <= 1 / FLOOR + 1e-12


def test_the_largest_vocabulary_is_within_the_bound() -> None:
    left = RESERVE + MOST_WORDS
    least = (TICKETS - MOST_WORDS * FLOOR - RESERVE) / MOST_WORDS
    assert left / least <= 1 / FLOOR


def test_too_many_words_are_refused() -> None:
    wide = np.broadcast_to(np.zeros((1, 1)), (1, MOST_WORDS + 1))
    with pytest.raises(ParameterError, match="too many"):
        deal(wide)


def test_every_ticket_lands_on_its_word() -> None:
    made = law()
    ids = np.array([3, UNKNOWN])
    ends = np.cumsum(made.tickets(ids), axis=1, dtype=np.uint64)

    class Fixed:
        """Hands out chosen tickets instead of random ones."""

        def __init__(self, tickets: Any) -> None:
            self.tickets = tickets

        def integers(self, low: int, high: int, *, size: int, dtype: Any) -> Any:
            assert (low, high, size, dtype) == (0, TICKETS, made.size, np.uint64)
            return self.tickets

    for word, row in zip(ids, ends, strict=True):
        first = np.append(np.uint64(0), row[:-1])
        for tickets in (first, row - np.uint64(1)):
            drawn = made.draw(np.full(made.size, word), Fixed(tickets))  # type: ignore[arg-type]
            assert drawn.tolist() == list(range(made.size))


def test_unknown_words_follow_the_weights_alone() -> None:
    made = law()
    share = made.decay.weights / made.decay.weights.sum()
    found = np.exp(made.log_prob(np.array([UNKNOWN])))[0]
    np.testing.assert_allclose(found, share, rtol=1e-5)


def test_channel_is_the_tickets() -> None:
    made = law()
    ids = np.array([2, 0])
    wanted = np.log(made.tickets(ids) / TICKETS)
    np.testing.assert_allclose(made.log_prob(ids), wanted, rtol=1e-12)


@pytest.mark.parametrize("cached_rows", [0, 1, 5, 100])
def test_kept_rows_do_not_change_the_draws(cached_rows: int) -> None:
    made = law()
    sampler = TicketSampler(made.size, made.tickets, cache_bytes=cached_rows * 20 * 8)
    ids = np.random.default_rng(1).integers(-1, 20, 300)
    rng, other = seeded(4), seeded(4)
    for part in np.split(ids, [100, 120]):
        np.testing.assert_array_equal(
            sampler.draw(part, rng), TicketSampler(20, made.tickets).draw(part, other)
        )
    assert len(sampler._rows) == min(cached_rows, 21)


def test_rows_used_last_are_kept_longest() -> None:
    made = law()
    sampler = TicketSampler(made.size, made.tickets, cache_bytes=2 * 20 * 8)
    for word in (1, 2, 1, 3):
        sampler.draw(np.array([word]), seeded(0))
    assert list(sampler._rows) == [1, 3]


def test_nothing_to_draw() -> None:
    assert law().draw(np.array([], dtype=np.int64), seeded(0)).shape == (0,)


def test_weights_must_fit_the_space() -> None:
    space = PointSpace(np.eye(4), Euclidean())
    with pytest.raises(DataError, match="3 weights for 4 words"):
        RowLaw(space, Decay.plain(1.0, 3))


def test_equal_points_certify_no_loss() -> None:
    space = PointSpace(np.ones((3, 2)), Euclidean())
    found = RowLaw(space, Decay.plain(1.5, 3)).certify()
    assert (found.epsilon, found.worst_loss, found.slack) == (1.5, 0.0, 0.0)


def test_totals_and_reach() -> None:
    made = law()
    rows = made.space.rows(np.arange(20))
    log_total, reach = BlockPasses(made.space, made.decay).log_totals()
    wanted = np.log(np.exp(-rows) @ made.decay.weights)
    np.testing.assert_allclose(log_total, wanted, rtol=1e-12)
    np.testing.assert_array_equal(reach, rows.max(axis=1))
