"""Certificates as values: what they accept, and JSON."""

import json
import math
from dataclasses import replace
from typing import Any

import pytest

from publius.core.errors import DataError, ParameterError
from publius.mechanisms.certificate import Certificate, Extreme

GOOD = Certificate(
    epsilon=2.0,
    beta=1.5,
    worst_pair=(3, 4),
    worst_loss=6.0,
    farthest_pair=(0, 9),
    slack=0.1,
    unknown_loss=4.0,
    near=0.7,
    diameter=4.0,
    largest_total=1e9,
)


def test_json_round_trip() -> None:
    assert Certificate.from_json(json.loads(json.dumps(GOOD.to_json()))) == GOOD


@pytest.mark.parametrize(
    "name", ["epsilon", "beta", "worst_loss", "slack", "unknown_loss"]
)
@pytest.mark.parametrize("bad", [-1.0, math.nan, math.inf])
def test_bad_numbers_are_refused(name: str, bad: float) -> None:
    with pytest.raises(ParameterError, match=name):
        replace(GOOD, **{name: bad})  # type: ignore[arg-type]


@pytest.mark.parametrize(("epsilon", "slack"), [(1.0, 1.1), (0.0, 0.0)])
def test_slack_is_a_part_of_epsilon(epsilon: float, slack: float) -> None:
    with pytest.raises(ParameterError, match="slack is a part"):
        replace(GOOD, epsilon=epsilon, slack=slack)


def test_level_at_the_tenth_neighbour_is_bounded_by_the_worst_loss() -> None:
    assert GOOD.level_at_10th_neighbour == pytest.approx(1.4)
    assert replace(GOOD, near=50.0).level_at_10th_neighbour == 6.0


@pytest.mark.parametrize(
    "change",
    [
        {"epsilon": "much"},
        {"epsilon": None},
        {"worst_pair": [1]},
        {"worst_pair": 3},
        {"farthest_pair": ["a", "b"]},
    ],
)
def test_other_json_is_not_a_certificate(change: dict[str, Any]) -> None:
    with pytest.raises(DataError, match="not a certificate"):
        Certificate.from_json({**GOOD.to_json(), **change})
    with pytest.raises(DataError, match="not a certificate"):
        Certificate.from_json({})


def test_extremes_keep_the_first_of_equal_values() -> None:
    seen = Extreme().larger(1.0, (1, 2)).larger(1.0, (3, 4)).larger(0.5, (5, 6))
    assert seen == Extreme(1.0, (1, 2))
    assert seen.larger(2.0, (7, 8)) == Extreme(2.0, (7, 8))
