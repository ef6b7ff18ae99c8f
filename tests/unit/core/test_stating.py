"""A bound that is told or added up is never smaller than the bound itself."""

import math
import re
from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from publius.core.stating import (
    add_up,
    multiply_up,
    state_bound,
    state_floor,
    state_odds,
)
from publius.mechanisms.prepared import LOG_ERROR, SHIPPED, shipped, unpack
from publius.mechanisms.wording import bound

LOSSES = st.floats(min_value=0, max_value=1e300, allow_nan=False)
SOURCE = Path(__file__).parents[3] / "src" / "publius"


def _read(text: str) -> float:
    return float(text.replace(",", ""))


def _exact(value: float) -> Decimal:
    return Decimal(repr(value))


@given(LOSSES, st.integers(1, 12))
def test_what_is_stated_is_a_bound_and_not_far(value: float, digits: int) -> None:
    share = 10.0 ** (1 - digits) * 1.01
    assert value <= _read(state_bound(value, digits)) <= value * (1 + share) + 1e-300
    assert value * (1 - share) <= _read(state_floor(value, digits)) <= value


@given(st.floats(min_value=0, max_value=700))
def test_stated_odds_are_not_below_the_factor(level: float) -> None:
    shown = state_odds(level)
    if shown.startswith("e^"):
        assert int(shown.removeprefix("e^").partition(" ")[0]) >= level
    else:
        assert math.log(_read(shown)) >= level * (1 - 1e-15)


@given(st.lists(LOSSES, max_size=5))
def test_sums_are_not_below_the_exact_sum(values: list[float]) -> None:
    assert _exact(add_up(*values)) >= sum(map(_exact, values))


@given(st.floats(0, 1e150), st.integers(0, 10**9))
def test_products_are_not_below_the_exact_product(value: float, count: int) -> None:
    assert _exact(multiply_up(value, count)) >= _exact(value) * count


def test_decimals_that_add_up_stay_as_short_as_they_were() -> None:
    assert multiply_up(0.1, 10) == 1.0
    assert state_bound(add_up(0.1, 0.2)) == "0.3"
    assert add_up() == 0.0


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (13.134, "13.2"),
        (54.425, "54.5"),
        (0.1, "0.1"),
        (0.0, "0"),
        (120.0, "120"),
        (1234.2, "1,235"),
        (999.5, "1,000"),
        (1e-6, "1e-06"),
        (1.2301e-7, "1.24e-07"),
        (1e22, "1e+22"),
        (math.inf, "no bound"),
        (math.nan, "–"),
        (None, "–"),
    ],
)
def test_bounds_in_writing(value: float | None, text: str) -> None:
    assert state_bound(value) == text


def test_floors_and_odds_in_writing() -> None:
    assert state_floor(13.19) == "13.1"
    assert state_floor(math.inf) == "infinity"
    assert state_odds(0.0) == "1"
    assert state_odds(1.0) == "2.72"
    assert state_odds(54.425) == "e^55 (beyond any use)"
    assert state_odds(math.inf) == "no bound"


@pytest.mark.parametrize(
    ("value", "text"), [(2.0, "2"), (1.000001, "1.0001"), (math.inf, "infinity")]
)
def test_bounds_in_sentences(value: float, text: str) -> None:
    assert bound(value) == text


def test_unbounded_sums_and_products_are_unbounded() -> None:
    assert add_up(1.0, math.inf) == math.inf
    assert multiply_up(math.inf, 2) == math.inf
    assert multiply_up(1e308, 100) == math.inf


def test_the_shipped_loss_against_an_unknown_word_covers_its_logarithms() -> None:
    path = next(SHIPPED.glob("exponential.v1_hop*_balanced_4.npz"))
    _, kept = unpack(path.name, path.read_bytes(), 50_000)
    used = shipped(path.name, 50_000)
    assert used is not None
    # The file holds a double below the exact value, short by 2e-15.
    assert used[1].unknown_loss >= kept.unknown_loss + 0.9 * LOG_ERROR


NO_BOUNDS = (
    "estimate",
    "progress",
    "tell_stage",
    "confidence",
    "sigma",
    "epoch",
    "got {",
    "raise",
)
"""Stages of a computation, settings in errors, and figures that are no bounds."""


def test_bounds_are_stated_by_one_function_only() -> None:
    """No format specification rounds an ε, a loss or a level to the nearest."""
    pattern = re.compile(r"\{[^{}]*(epsilon|loss|level|delta)[^{}]*:[,.0-9]*[gfe]\}")
    found = [
        f"{path.relative_to(SOURCE)}: {line.strip()}"
        for folder in ("cli", "reporting", "accounting", "auditing", "mechanisms")
        for path in SOURCE.joinpath(folder).rglob("*.py")
        for line in path.read_text("utf-8").splitlines()
        if pattern.search(line) and not any(word in line for word in NO_BOUNDS)
    ]
    assert found == []
