"""Decays: whole weights and a positive rate."""

import math
from typing import Any

import numpy as np
import pytest

from publius.core.errors import DataError, ParameterError
from publius.mechanisms.law import WEIGHT_LIMIT, Decay


@pytest.mark.parametrize("beta", [0.0, -1.0, math.nan, math.inf])
def test_bad_beta_is_refused(beta: float) -> None:
    with pytest.raises(ParameterError, match="beta"):
        Decay.plain(beta, 3)


@pytest.mark.parametrize(
    "weights",
    [
        np.array([0, 1], np.uint32),
        np.array([-1, 1]),
        np.array([1, WEIGHT_LIMIT + 1], np.uint32),
        np.array([1.5, 2.0]),
        np.array([1.0, np.nan]),
        np.array([], np.uint32),
        np.ones((2, 2), np.uint32),
    ],
)
def test_bad_weights_are_refused(weights: Any) -> None:
    with pytest.raises(ParameterError, match="weights must be whole numbers"):
        Decay(1.0, weights)


def test_weights_of_any_integer_type_are_kept_apart() -> None:
    given = np.array([1, 2, 3])
    decay = Decay(1.0, given)
    given[0] = 7
    assert decay.weights.dtype == np.uint32
    assert decay.weights.tolist() == [1, 2, 3]
    with pytest.raises(ValueError, match="read-only"):
        decay.weights[0] = 9


def test_rounded_weights_fill_the_range_and_never_vanish() -> None:
    decay = Decay.rounded(1.0, np.array([1e-30, 0.25, 0.5]))
    assert decay.weights.tolist() == [1, WEIGHT_LIMIT // 2, WEIGHT_LIMIT]


def test_steeper_keeps_the_weights() -> None:
    decay = Decay.plain(1.0, 3)
    assert decay.steeper(2.0).beta == 2.0
    np.testing.assert_array_equal(decay.steeper(2.0).weights, decay.weights)


def test_weights_must_fit_the_vocabulary() -> None:
    decay = Decay.plain(1.0, 3)
    assert decay.checked(3) is decay
    with pytest.raises(DataError, match="3 weights for 4 words"):
        decay.checked(4)
