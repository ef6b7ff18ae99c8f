"""Running sums over balls: kept ones must be those of the weights."""

from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp

from publius.core.errors import DataError, RefutedError
from publius.core.space import Balls, HopSpace
from publius.mechanisms.ball_law import all_balls
from publius.mechanisms.ball_rows import STRIDE, Rows

SIZE = 40


def rows() -> Rows:
    matrix = np.zeros((SIZE, SIZE), np.float32)
    here = np.arange(SIZE)
    matrix[here, (here + 1) % SIZE] = matrix[here, (here * 7 + 3) % SIZE] = 1
    np.fill_diagonal(matrix, 0)
    space = HopSpace(sp.csr_array(np.maximum(matrix, matrix.T)), 3, 2, "f")
    share = np.random.default_rng(1).integers(1, 1 << 20, SIZE).astype(np.uint32)
    return Rows.over(all_balls(space), share)


def test_every_offset_of_every_ball_finds_its_member() -> None:
    made = rows()
    for row, bounds in enumerate(made.balls.bounds):
        for radius in range(len(bounds) - 1):
            members = made.balls.points[bounds[0] : bounds[radius + 1]].astype(int)
            ends = np.cumsum(made.weights[members], dtype=np.uint64)
            firsts = np.concatenate((np.zeros(1, np.uint64), ends[:-1]))
            for offsets in (firsts, ends - np.uint64(1)):
                here = np.full(len(members), row)
                drawn = made.find(here, np.full(len(members), radius), offsets)
                np.testing.assert_array_equal(drawn, members)


def test_words_at_distance_nought_are_told_apart() -> None:
    # Two centres that share their place: level 0 holds both.
    balls = Balls(np.array([[0, 2], [2, 4]]), np.array([0, 1, 0, 1], np.uint32))
    made = Rows.over(balls, np.array([3, 5], np.uint32))
    offsets = np.array([0, 2, 3, 7], np.uint64)
    drawn = made.find(np.array([0, 0, 1, 1]), np.zeros(4, np.int64), offsets)
    assert drawn.tolist() == [0, 0, 1, 1]


def test_true_sums_pass_both_checks() -> None:
    made = rows()
    made.checked().spot_check(np.arange(SIZE))


@pytest.mark.parametrize("array", ["edges", "marks"])
def test_changed_sums_are_refuted(array: str) -> None:
    made = rows()
    changed = getattr(made, array).copy()
    changed.flat[len(changed.ravel()) // 2] += 1
    with pytest.raises(RefutedError, match="running sums"):
        replace(made, **{array: changed}).spot_check(np.arange(SIZE))


def test_sums_of_other_weights_are_refuted() -> None:
    made = rows()
    other = made.weights[::-1].copy()
    with pytest.raises(RefutedError):
        replace(made, weights=other).spot_check(np.arange(8))


@pytest.mark.parametrize("fault", ["short", "falling", "late"])
def test_arrays_that_cannot_be_sums_are_damage(fault: str) -> None:
    made = rows()
    marks = made.marks.copy()
    if fault == "short":
        marks = marks[:-1]
    elif fault == "falling":
        marks[3], marks[4] = marks[4], marks[3]
    else:
        marks[0] = 1
    with pytest.raises(DataError, match="not of these balls"):
        replace(made, marks=marks).checked()
    assert len(made.marks) == len(made.balls.points) // STRIDE + 1
