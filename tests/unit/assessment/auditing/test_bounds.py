import math

import numpy as np
import pytest
from scipy.stats import binom

from publius.assessment.auditing.bounds import clopper_pearson, loss_estimate, loss_low
from publius.core.errors import ParameterError


@pytest.mark.parametrize("hits", [1, 7, 50, 99])
def test_clopper_pearson_inverts_the_binomial(hits: int) -> None:
    low, high = clopper_pearson(np.array([hits]), 100, 0.01)
    assert binom.sf(hits - 1, 100, low[0]) == pytest.approx(0.01)
    assert binom.cdf(hits, 100, high[0]) == pytest.approx(0.01)


def test_bounds_at_the_ends_are_the_ends() -> None:
    low, high = clopper_pearson(np.array([0, 100]), 100, 0.01)
    assert low[0] == 0.0
    assert high[1] == 1.0
    assert high[0] == pytest.approx(1 - 0.01 ** (1 / 100))


def test_the_interval_holds_the_ratio_and_widens_with_the_search() -> None:
    one = loss_estimate(500, 100, 1000, 0.99)
    many = loss_estimate(500, 100, 1000, 0.99, searched=100)
    assert one.value == pytest.approx(math.log(5))
    assert many.low < one.low < one.value < one.high < many.high


def test_counts_of_zero_leave_one_side_open() -> None:
    unseen = loss_estimate(500, 0, 1000, 0.99)
    assert math.isinf(unseen.high)
    assert 3 < unseen.low < math.inf
    nothing = loss_estimate(0, 0, 1000, 0.99)
    assert nothing.value == 0.0
    assert loss_estimate(0, 10, 1000, 0.99).low == -math.inf
    assert loss_low(np.array([0]), np.array([5]), 10, 0.1)[0] == -np.inf


@pytest.mark.parametrize("confidence", [0.0, 1.0, math.nan])
def test_confidence_lies_between_0_and_1(confidence: float) -> None:
    with pytest.raises(ParameterError, match="confidence"):
        loss_estimate(1, 1, 10, confidence)
