"""The sparse integer law: every ticket of every row lands where it must."""

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

from publius.core.arrays import UNKNOWN
from publius.core.errors import DataError
from publius.core.rng import seeded
from publius.core.space import HopSpace
from publius.mechanisms import ball_law
from publius.mechanisms.ball_law import BallLaw, all_balls
from publius.mechanisms.ball_rows import STRIDE, Rows
from publius.mechanisms.law import Decay


def ring(size: int = 30, cap: int = 3) -> HopSpace:
    """A ring with a few chords and one lonely word."""
    matrix = np.zeros((size, size), np.float32)
    here = np.arange(size - 1)
    matrix[here, (here + 1) % (size - 1)] = 1
    matrix[0, size // 2] = 1
    return HopSpace(sp.csr_array(np.maximum(matrix, matrix.T)), cap, 2, "f")


def weights(size: int = 30) -> Any:
    return np.random.default_rng(0).integers(1, 1000, size).astype(np.uint32)


def law(*, beta: float = 1.0, prepared: bool = True, cap: int = 3) -> BallLaw:
    space = ring(cap=cap)
    balls = all_balls(space) if prepared else None
    return BallLaw(space, Decay(beta, weights()), 1e7, balls)


def integers(made: BallLaw, word: int) -> list[int]:
    """Return the exact row of a word, by the definition."""
    hops = made.space.rows(np.array([word]))[0].astype(int)
    shares = made.decay.weights.tolist()
    return [w * made.levels[d] for w, d in zip(shares, hops, strict=True)]


def segments(made: BallLaw, word: int) -> list[tuple[int, int]]:
    """Return (output, tickets) in ticket order, by the definition of the mixture."""
    shares = made.decay.weights.tolist()
    listed = [(z, w * made.levels[-1]) for z, w in enumerate(shares)]
    balls = made.space.balls(np.array([word]))
    for radius in range(made.space.cap):
        step = made.levels[radius] - made.levels[radius + 1]
        inside = balls.points[: balls.bounds[0, radius + 1]].tolist()
        listed += [(z, shares[z] * step) for z in inside]
    return [(z, count) for z, count in listed if count]


@pytest.mark.parametrize("beta", [0.01, 1.0, 12.0, 40.0])
@pytest.mark.parametrize("word", [0, 7, 29])
def test_every_ticket_lands_on_its_word(beta: float, word: int) -> None:
    made = law(beta=beta)
    parts = segments(made, word)
    counted = [0] * made.size
    for z, count in parts:
        counted[z] += count
    assert counted == integers(made, word)
    ends = np.cumsum([count for _, count in parts], dtype=np.uint64)
    outputs = np.array([z for z, _ in parts])
    rows, row_of = made._rows_for(np.array([word]))
    here = np.full(len(ends), row_of[0])
    starts = np.append(np.uint64(0), ends[:-1])
    np.testing.assert_array_equal(made._resolve(rows, here, starts), outputs)
    last = ends - np.uint64(1)
    np.testing.assert_array_equal(made._resolve(rows, here, last), outputs)


@pytest.mark.parametrize("cap", [1, 2, 5])
def test_row_sums_are_the_sums_of_the_integers(cap: int) -> None:
    made = law(cap=cap)
    tickets, _ = made._rows_for(np.arange(made.size))
    wanted = [sum(integers(made, word)) for word in range(made.size)]
    assert made.totals(tickets.rows.inside).tolist() == wanted


def test_unknown_words_follow_the_weights_alone() -> None:
    made = law()
    share = made.decay.weights / made.decay.weights.sum()
    np.testing.assert_allclose(np.exp(made.log_prob(np.array([UNKNOWN])))[0], share)
    edges = np.cumsum(made.decay.weights, dtype=np.uint64) * np.uint64(made.levels[-1])
    rows, _ = made._rows_for(np.array([0]))
    here = np.full(made.size, rows.rows.size)
    found = made._resolve(rows, here, edges - np.uint64(1))
    assert found.tolist() == list(range(made.size))


def test_channel_is_the_integers() -> None:
    made = law()
    row = np.array(integers(made, 4), dtype=np.float64)
    np.testing.assert_allclose(made.log_prob(np.array([4]))[0], np.log(row / row.sum()))


@pytest.mark.parametrize("beta", [0.001, 1.0, 5.0, 100.0])
def test_levels_fall_by_at_most_the_decay(beta: float) -> None:
    levels = law(beta=beta).levels
    assert min(levels) >= 1
    for high, low in pairwise(levels):
        assert low <= high <= low * np.exp(beta) * (1 + 1e-12)


@pytest.mark.parametrize("tokens", [1, 7, 1 << 15])
def test_prepared_balls_draw_the_same(
    tokens: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ball_law, "TOKENS", tokens)
    ids = np.random.default_rng(1).integers(-1, 30, 200)
    drawn = law(prepared=False).draw(ids, seeded(3))
    np.testing.assert_array_equal(drawn, law().draw(ids, seeded(3)))


def test_a_batch_may_be_cut_anywhere() -> None:
    ids = np.random.default_rng(1).integers(-1, 30, 100)
    rng = seeded(3)
    for made in (law(), law(prepared=False)):
        rng = seeded(3)
        parts = [made.draw(part, rng) for part in np.split(ids, [1, 1, 40])]
        np.testing.assert_array_equal(np.concatenate(parts), made.draw(ids, seeded(3)))


def test_only_unknown_words() -> None:
    ids = np.full(50, UNKNOWN)
    drawn = law(prepared=False).draw(ids, seeded(3))
    np.testing.assert_array_equal(drawn, law().draw(ids, seeded(3)))
    assert len(set(drawn.tolist())) > 5


def test_weights_must_fit_the_space() -> None:
    with pytest.raises(DataError, match="3 weights for 30 words"):
        BallLaw(ring(), Decay.plain(1.0, 3), 1e7)


def test_totals_beyond_the_integers_are_refused() -> None:
    with pytest.raises(DataError, match="too large for exact integer rows"):
        BallLaw(ring(), Decay.plain(1.0, 30), 2.0**60)


def test_totals_of_other_weights_are_refused() -> None:
    # 2**40 levels times 2**20 weights would wrap around in 64 bits.
    wrong = BallLaw(ring(), Decay.plain(0.01, 30), 1.0, all_balls(ring()))
    for word in (0, UNKNOWN):
        with pytest.raises(DataError, match="largest_total"):
            wrong.draw(np.array([word]), seeded(0))
    with pytest.raises(DataError, match="largest_total"):
        wrong.certify()


@pytest.mark.parametrize("centres", [1, 7, 2048])
def test_balls_are_joined_from_blocks(
    centres: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = ring().balls(np.arange(30))
    monkeypatch.setattr(ball_law, "CENTRES", centres)
    joined = all_balls(ring())
    np.testing.assert_array_equal(joined.bounds, whole.bounds)
    np.testing.assert_array_equal(joined.points, whole.points)
    assert joined.points.dtype == np.uint16
    made, other = law(), law(prepared=False)
    assert made.certify() == other.certify()
    ids = np.arange(30)
    np.testing.assert_array_equal(made.draw(ids, seeded(1)), other.draw(ids, seeded(1)))


def test_running_sums_continue_over_long_tables() -> None:
    # A star: each of the 1,500 words has all words in its ball, 2.25 million members.
    size = 1500
    matrix = np.zeros((size, size), np.float32)
    matrix[0, 1:] = matrix[1:, 0] = 1
    balls = all_balls(HopSpace(sp.csr_array(matrix), 3, 1, "f"))
    share = np.random.default_rng(0).integers(1, 99, size).astype(np.uint32)
    rows = Rows.over(balls, share)
    sums = np.concatenate(([0], np.cumsum(share[balls.points], dtype=np.uint64)))
    at_bounds = sums[balls.bounds]
    np.testing.assert_array_equal(rows.inside, at_bounds[:, 1:] - at_bounds[:, :1])
    np.testing.assert_array_equal(rows.edges, at_bounds)
    np.testing.assert_array_equal(rows.marks, sums[::STRIDE])
