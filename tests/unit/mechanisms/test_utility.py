"""Utility bounds of the exponential mechanism hold and meet the reference values."""

import json
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from publius.core.errors import DataError, ParameterError
from publius.core.rng import seeded
from publius.mechanisms.utility import Split

# |T| / (|T| + |T̄| e^(-εc/2Δ)) at ε = 4, L = 30,000, |T| = 5, c = 0.4 and Δ̄ = 1, Δ = 1.
LOWER, UPPER = 0.000370847739901496, 0.001230199381012082


def test_bounds_meet_the_reference_values() -> None:
    lower, upper = Split(5, 29_995, 0.4, 1.0).bounds(4.0)
    assert lower == pytest.approx(LOWER, rel=1e-12)
    assert upper == pytest.approx(UPPER, rel=1e-12)


@pytest.mark.shared
def test_bounds_meet_the_shared_constants(shared: Path) -> None:
    entries = json.loads((shared / "golden" / "constants.json").read_text())["entries"]
    found = {e["quantity"]: float(e["value"]) for e in entries}
    lower, upper = Split(5, 29_995, 0.4, 1.0).bounds(4.0)
    assert lower == pytest.approx(found["exponential.utility_lower_thm56"], rel=1e-14)
    assert upper == pytest.approx(found["exponential.utility_upper_thm56"], rel=1e-14)


@given(st.integers(0, 10_000), st.floats(0.1, 40), st.floats(0, 1), st.floats(0.5, 2))
def test_probability_lies_between_the_bounds(
    number: int, epsilon: float, quantile: float, sensitivity: float
) -> None:
    ratings = seeded(number).random(30)
    threshold = float(np.quantile(ratings, quantile, method="lower"))
    weight = np.exp(epsilon / (2 * sensitivity) * ratings)
    exact = weight[ratings >= threshold].sum() / weight.sum()
    lower, upper = Split.of(ratings, threshold, sensitivity).bounds(epsilon)
    assert lower - 1e-12 <= exact <= upper + 1e-12


@given(st.floats(0.01, 0.99), st.integers(1, 50), st.integers(1, 5000))
def test_needed_epsilon_inverts_the_bounds(p: float, good: int, others: int) -> None:
    split = Split(good, others, 0.2, 0.9)
    necessary, sufficient = split.needed(p)
    assert necessary <= sufficient
    if sufficient > 0:
        assert split.bounds(sufficient)[0] == pytest.approx(p, rel=1e-9)
        assert split.bounds(necessary)[1] == pytest.approx(p, rel=1e-9)
    else:
        assert split.bounds(1e-9)[0] >= p - 1e-6


def test_edges() -> None:
    assert Split(3, 0, 0.0, 0.5).needed(0.9) == (0.0, 0.0)
    assert Split(3, 0, 0.0, 0.5).bounds(1.0) == (1.0, 1.0)
    assert math.isinf(Split(1, 9, 0.0, 0.5).needed(0.9)[1])
    all_good = Split.of(np.array([0.2, 0.8]), 0.1, 1.0)
    assert (all_good.good, all_good.others) == (2, 0)


def test_bad_asks_are_refused() -> None:
    with pytest.raises(DataError, match="threshold"):
        Split.of(np.array([0.2, 0.8]), 0.9, 1.0)
    with pytest.raises(ParameterError, match="gap"):
        Split(1, 1, 0.5, 0.2)
    with pytest.raises(ParameterError, match="probability"):
        Split(1, 1, 0.1, 0.2).needed(1.0)
    with pytest.raises(ParameterError, match="epsilon"):
        Split(1, 1, 0.1, 0.2).bounds(math.nan)
