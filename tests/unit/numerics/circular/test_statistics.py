import math
from typing import Any

import numpy as np
import pytest

from publius.core.errors import DataError
from publius.numerics.circular.statistics import (
    circular_difference,
    circular_distance,
    circular_mean,
    circular_variance,
    mean_direction,
    rank_agreement,
    resultant_length,
)


def test_mean_crosses_midnight() -> None:
    assert circular_mean([23.0, 1.0], period=24) == pytest.approx(0.0, abs=1e-12)
    assert circular_mean([23.0, 0.0], period=24) == pytest.approx(23.5)


def test_mean_does_not_depend_on_whole_periods() -> None:
    times = np.array([1.0, 5.0, 9.5])
    assert circular_mean(times + 48, period=24) == pytest.approx(
        circular_mean(times, period=24)
    )


def test_balanced_values_have_no_mean() -> None:
    with pytest.raises(DataError, match="balance"):
        circular_mean([0.0, 12.0], period=24)


@pytest.mark.parametrize("values", [[], [1.0, math.nan]])
def test_impossible_values_are_refused(values: list[Any]) -> None:
    with pytest.raises(DataError):
        circular_mean(values)


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [(1, 23, 2), (23, 1, -2), (18, 3, -9), (3, 18, 9), (5, 5, 0), (12, 0, -12)],
)
def test_difference_has_the_right_sign(a: Any, b: Any, expected: Any) -> None:
    """The thesis gives +9 for (18, 3): going from 3 to 18 is 9 hours backwards."""
    assert float(circular_difference(a, b, period=24)) == expected
    assert float(circular_distance(a, b, period=24)) == abs(expected)


def test_adding_the_difference_leads_back() -> None:
    rng = np.random.default_rng(0)
    a, b = rng.uniform(0, 7, (2, 500))
    back = np.mod(b + circular_difference(a, b, period=7), 7)
    assert circular_distance(back, a, period=7).max() < 1e-12


def test_resultant_and_variance() -> None:
    assert resultant_length([2.0] * 5) == pytest.approx(1)
    assert circular_variance([0.0, math.pi]) == pytest.approx(1)
    assert resultant_length([0.0, math.pi / 2]) == pytest.approx(math.sqrt(0.5))


def test_mean_direction() -> None:
    mean = mean_direction([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
    assert mean == pytest.approx([math.sqrt(0.5), math.sqrt(0.5), 0])
    with pytest.raises(DataError, match="balance"):
        mean_direction([[1.0, 0.0], [-1.0, 0.0]])
    with pytest.raises(DataError, match="at least one"):
        mean_direction(np.empty((0, 3)))


def test_rank_agreement() -> None:
    truth = {"x": 1.0, "y": 2.0, "z": 3.0}
    assert rank_agreement(truth, {"x": 10.0, "y": 11.0, "z": 99.0}) == pytest.approx(1)
    assert rank_agreement(truth, {"x": 3.0, "y": 2.0, "z": 1.0}) == pytest.approx(-1)
    assert rank_agreement(truth, dict.fromkeys(truth, 1.0)) == 0
    with pytest.raises(DataError, match="same groups"):
        rank_agreement(truth, {"x": 1.0})
    with pytest.raises(DataError, match="two groups"):
        rank_agreement({"x": 1.0}, {"x": 1.0})
