"""What the shared checks accept and refuse."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from publius.core.arrays import (
    UNKNOWN,
    at_least,
    not_negative,
    points,
    positive,
    shortest,
    word_ids,
)
from publius.core.errors import DataError, ParameterError

NOT_FINITE = [math.nan, math.inf, -math.inf]


@pytest.mark.parametrize("check", [positive, not_negative])
@pytest.mark.parametrize("value", [*NOT_FINITE, -1.0, "3", b"3", None])
def test_bad_number_is_refused(
    check: Callable[[str, float], float], value: float
) -> None:
    with pytest.raises(ParameterError, match="epsilon must be a finite number"):
        check("epsilon", value)


def test_zero_is_not_positive_but_not_negative() -> None:
    with pytest.raises(ParameterError):
        positive("epsilon", 0.0)
    assert not_negative("epsilon", 0) == 0.0


@pytest.mark.parametrize("value", [*NOT_FINITE, 0.5, 1, -3])
def test_whole_number_below_the_least_is_refused(value: float) -> None:
    with pytest.raises(ParameterError, match="k must be a whole number >= 2"):
        at_least("k", value, 2)  # type: ignore[arg-type]


def test_whole_floats_count_as_whole() -> None:
    assert at_least("k", 3.0, 2) == 3  # type: ignore[arg-type]


@pytest.mark.parametrize("value", [4.0, 0.1, 1e-7, 1 / 3, 123456.789012345, 2.5])
def test_shortest_reads_back_exactly(value: float) -> None:
    assert float(shortest(value)) == value
    assert len(shortest(value)) <= len(repr(value))


@pytest.mark.parametrize("x", ["SECRET", [["SECRET", 1.0]], [[1.0], [1.0, 2.0]]])
def test_points_that_are_no_numbers_are_refused_and_not_quoted(x: Any) -> None:
    with pytest.raises(DataError, match="x must hold numbers") as told:
        points(x, 2)
    assert "SECRET" not in str(told.value)
    assert told.value.__suppress_context__


def test_points_keep_strided_and_read_only_rows() -> None:
    table = np.arange(12.0).reshape(3, 4)
    table.setflags(write=False)
    np.testing.assert_array_equal(points(table[:, ::2], 2), table[:, ::2])
    assert points(np.empty((0, 2)), 2).shape == (0, 2)


@pytest.mark.parametrize("shape", [(3,), (3, 3), (1, 3, 2)])
def test_points_of_another_shape_are_refused(shape: tuple[int, ...]) -> None:
    with pytest.raises(DataError, match=r"shape \(rows, 2\)"):
        points(np.zeros(shape), 2)


@pytest.mark.parametrize("value", NOT_FINITE)
def test_points_name_the_row_and_not_the_value(value: float) -> None:
    rows = np.ones((5, 2))
    rows[3, 1] = value
    with pytest.raises(DataError, match=r"x must be finite; row 3 is not$"):
        points(rows, 2)


@pytest.mark.parametrize("dtype", [np.int8, np.int64, np.uint16, np.uint64])
def test_ids_of_any_integer_type_become_int64(dtype: type[np.integer]) -> None:
    ids = word_ids(np.array([[0, 4], [2, 1]], dtype=dtype), 5)
    assert ids.dtype == np.int64
    assert ids.shape == (2, 2)


def test_ids_may_be_unknown_or_none_at_all() -> None:
    assert word_ids([UNKNOWN, 0], 1).tolist() == [-1, 0]
    assert word_ids([], 5).dtype == np.int64


@pytest.mark.parametrize("ids", [[0, 5], [-2, 0], np.array([0, 2**64 - 1], np.uint64)])
def test_ids_outside_are_refused_by_position(ids: Any) -> None:
    with pytest.raises(DataError, match=r"\[-1, 5\); position [01] does not"):
        word_ids(ids, 5)


@pytest.mark.parametrize("ids", [[0.0, 1.0], [True, False], ["a"]])
def test_ids_that_are_no_integers_are_refused(ids: Any) -> None:
    with pytest.raises(DataError, match="ids must be integers"):
        word_ids(ids, 5)
