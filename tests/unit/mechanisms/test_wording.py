"""A bound in a sentence is never smaller than the bound itself."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from publius.mechanisms.wording import bound


@given(st.floats(min_value=0, max_value=1e12, allow_nan=False))
def test_rounding_goes_up_and_not_far(value: float) -> None:
    shown = float(bound(value))
    assert value <= shown <= value * (1 + 1e-3) + 1e-300


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (2.0, "2"),
        (1.000001, "1.0001"),
        (0.0, "0"),
        (120.0, "120"),
        (math.inf, "infinity"),
    ],
)
def test_words(value: float, text: str) -> None:
    assert bound(value) == text
