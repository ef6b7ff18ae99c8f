import math

import pytest

from publius.numerics.root import rising_root

BOUNDS = (-8.0, 8.0)


@pytest.mark.parametrize("zero", [-5.0, -0.3, 0.0, 0.01, 2.0, 7.0])
@pytest.mark.parametrize("shape", [math.sinh, math.atan, lambda x: x])
def test_a_zero_is_found_in_few_evaluations(shape: object, zero: float) -> None:
    asked = []

    def value(x: float) -> float:
        asked.append(x)
        return float(shape(x - zero))  # type: ignore[operator]

    assert rising_root(value, 0.0, 1e-3, BOUNDS) == pytest.approx(zero, abs=2e-3)
    assert len(asked) <= 20


@pytest.mark.parametrize("jump", [-1.234, 0.4, 3.3])
def test_before_a_jump(jump: float) -> None:
    found = rising_root(lambda x: -1.0 if x < jump else 5.0, 0.0, 0.1, BOUNDS)
    assert found is not None
    assert jump - 0.002 <= found < jump


def test_a_value_that_is_never_reached() -> None:
    assert rising_root(lambda x: math.atan(x) - 3.0, 0.0, 1e-3, BOUNDS) is None
