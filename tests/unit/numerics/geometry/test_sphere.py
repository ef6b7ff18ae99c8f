import math

import numpy as np
import pytest

from publius.core.errors import DataError
from publius.core.guarantee import Chordal, Guarantee, Unit
from publius.numerics.geometry.circle import angles, vectors, wrap
from publius.numerics.geometry.sphere import angle_between, log_area, unit_rows


@pytest.mark.parametrize(
    ("dim", "area"), [(1, 2.0), (2, 2 * math.pi), (3, 4 * math.pi), (4, 2 * math.pi**2)]
)
def test_area(dim: int, area: float) -> None:
    assert math.exp(log_area(dim)) == pytest.approx(area, rel=1e-14)


@pytest.mark.parametrize("angle", [0.0, 1e-12, 1e-8, 0.5, math.pi - 1e-8, math.pi])
def test_angle_keeps_its_digits_everywhere(angle: float) -> None:
    a, b = np.array([[1.0, 0.0]]), vectors(np.array([angle]))
    assert angle_between(a, b)[0] == pytest.approx(angle, rel=1e-7, abs=1e-15)


def test_angle_of_zero_is_refused() -> None:
    with pytest.raises(DataError, match="not zero"):
        angle_between([[0.0, 0.0]], [[1.0, 0.0]])


def test_unit_rows_are_exact() -> None:
    rows = unit_rows([[0.6000001, 0.8]], 2)
    assert np.linalg.norm(rows) == pytest.approx(1, abs=1e-15)


@pytest.mark.parametrize(
    ("angle", "expected"),
    [(0.0, 0.0), (math.pi, -math.pi), (-math.pi, -math.pi), (7.0, 7.0 - 2 * math.pi)],
)
def test_wrap(angle: float, expected: float) -> None:
    assert float(wrap(np.array(angle))) == pytest.approx(expected, abs=1e-15)


def test_wrap_of_a_tiny_negative_angle_stays_inside() -> None:
    turned = wrap(np.array([-math.pi - 1e-18, np.nextafter(-math.pi, -4)]))
    assert ((turned >= -math.pi) & (turned < math.pi)).all()


def test_angles_invert_vectors() -> None:
    at = np.linspace(-3.1, 3.1, 50)
    assert angles(vectors(at)) == pytest.approx(at, abs=1e-15)


def test_chordal_term_is_concave_and_flat_beyond_half_a_turn() -> None:
    term = Chordal(2.0)
    assert term.at(math.pi).pure == 4.0
    assert term.at(9.0).pure == 4.0
    assert term.at(1e-9).pure == pytest.approx(2e-9)
    assert term.lift(3).at(0.5).pure == pytest.approx(3 * term.at(0.5).pure)
    guarantee = Guarantee("angular", Unit.RECORD, (term,))
    assert Guarantee.from_json(guarantee.to_json()) is not None
    assert Guarantee.from_json(guarantee.to_json()).terms == (term,)
