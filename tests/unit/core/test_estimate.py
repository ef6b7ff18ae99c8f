"""Estimates lie inside their interval."""

import math

import pytest
from scipy.stats import binom

from publius.core.errors import ParameterError
from publius.core.estimate import Estimate


def test_exact_value_has_no_width() -> None:
    found = Estimate.exact(2.0)
    assert (found.low, found.value, found.high, found.n) == (2.0, 2.0, 2.0, 0)


@pytest.mark.parametrize("value", [-0.1, 1.1, math.nan])
def test_value_outside_its_interval_is_refused(value: float) -> None:
    with pytest.raises(ParameterError, match="inside its interval"):
        Estimate(value, 0.0, 1.0, 0.95, 10)


@pytest.mark.parametrize("confidence", [0.0, 1.1, math.nan])
def test_confidence_is_a_probability(confidence: float) -> None:
    with pytest.raises(ParameterError, match="confidence"):
        Estimate(0.5, 0.0, 1.0, confidence, 10)


@pytest.mark.parametrize(("hits", "n"), [(-1, 5), (6, 5), (0, 0)])
def test_impossible_shares_are_refused(hits: int, n: int) -> None:
    with pytest.raises(ParameterError, match="hits"):
        Estimate.share(hits, n)


@pytest.mark.parametrize("hits", [0, 3, 20])
def test_share_includes_its_ends(hits: int) -> None:
    found = Estimate.share(hits, 20)
    assert 0 <= found.low <= hits / 20 <= found.high <= 1
    assert found.high - found.low > 0.1


def test_interval_covers_as_often_as_it_says() -> None:
    # Exact coverage of the Wilson interval at p = 0.3, n = 100, by summing the law.
    covered = sum(
        binom.pmf(hits, 100, 0.3)
        for hits in range(101)
        if Estimate.share(hits, 100).low <= 0.3 <= Estimate.share(hits, 100).high
    )
    assert 0.93 < covered < 0.97
