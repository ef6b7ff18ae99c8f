"""The samplers' errors, the kernel's smoothness and the bounds built on them."""

import math
from typing import Any

import numpy as np
import pytest
from scipy.stats import chisquare, gamma, kstest, norm

from publius.core.rng import seeded
from publius.mechanisms import grid

ALPHA = 1e-9
DRAWS = 100_000


class Tape:
    """Returns uniform numbers that are written down."""

    def __init__(self, *numbers: float) -> None:
        self.numbers = list(numbers)

    def random(self, size: Any) -> Any:
        count = math.prod(size) if isinstance(size, tuple) else size
        taken, self.numbers = self.numbers[:count], self.numbers[count:]
        return np.array(taken, dtype=np.float64).reshape(size)


LAST = 2.0**-53
Wide = np.longdouble
EDGES = [0.0, LAST, 2.0**-30, 1 / 16 - LAST, 1 / 16, 0.3, 15 / 16 - LAST]
EDGES += [15 / 16, 1 - 2.0**-30, 1 - 2 * LAST, 1 - LAST]


@pytest.mark.parametrize("first", EDGES)
@pytest.mark.parametrize("second", [1 / 16, 0.5, 1 - LAST])
@pytest.mark.parametrize("third", [0, 0.5, 1])
def test_an_exponential_number_is_that_of_its_bits(
    first: float, second: float, third: float
) -> None:
    # What further bits would say lies between 0 and 1 in the last place drawn.
    found = grid.exponentials((1,), Tape(first, second))[0]  # type: ignore[arg-type]
    is_edge = first < 1 / 16 or first >= 15 / 16
    share = Wide(second) + Wide(third) * LAST if is_edge else Wide(third)
    if first >= 15 / 16:
        real = -np.log1p(-((1 - Wide(first)) - LAST + LAST * share))
    else:
        real = -np.log(Wide(first) + LAST * share)
    assert abs(found - real) <= real * 2.0**-48


@pytest.mark.parametrize("angle", [0.0, LAST, 0.1, 0.25, 0.3, 0.5, 0.9, 1 - LAST])
@pytest.mark.parametrize("first", [0.3, 1 - LAST])
def test_two_normal_numbers_err_by_a_share_of_their_length(
    angle: float, first: float
) -> None:
    bits = (first, 0.5, angle) if first > 15 / 16 else (first, angle)
    x, y = grid.normals(1, 2, Tape(*bits))[0]  # type: ignore[arg-type]
    half = LAST / 2 if first > 15 / 16 else 0.0
    length = np.sqrt(-2 * np.log1p(-(1 - Wide(first) - half)))
    for more in (0.0, LAST):
        turn = 8 * np.arctan(Wide(1)) * (Wide(angle) + more)
        away = np.hypot(x - length * np.cos(turn), y - length * np.sin(turn))
        assert away <= length * 2.0**-46


def chance(k: int, at: float) -> float:
    """Return the probability that ``snapped(at)`` is `k`."""
    low = math.floor(at)
    up = at - low
    return ((1 - up) * 2.0 ** -abs(k - low) + up * 2.0 ** -abs(k - low - 1)) / 3


def test_the_kernel_changes_by_a_factor_of_e_per_step_at_most() -> None:
    places = np.linspace(-3, 3, 6001)
    for k in range(-20, 21):
        logs = np.log([chance(k, float(at)) for at in places])
        assert (np.abs(np.diff(logs)) <= np.diff(places) * (1 + 1e-9)).all()


@pytest.mark.statistical
@pytest.mark.parametrize("at", [0.0, 0.25, -7.9, 1e9 + 0.5])
def test_snapped_numbers_follow_the_kernel(at: float, seed: int) -> None:
    drawn = grid.snapped(np.full((DRAWS, 1), at), seeded(seed))[:, 0] - math.floor(at)
    bins = np.arange(-8, 10)
    counts = [int((drawn == k).sum()) for k in bins]
    wanted = np.array([chance(int(k), at - math.floor(at)) for k in bins]) * DRAWS
    rest = DRAWS - sum(counts), DRAWS - wanted.sum()
    found = chisquare([*counts, rest[0]], [*wanted, rest[1]])
    assert found.pvalue > ALPHA
    moved = np.array([chance(int(k), at - math.floor(at) + 0.1) for k in bins]) * DRAWS
    other = chisquare([*counts, rest[0]], [*moved, DRAWS - moved.sum()])
    assert other.pvalue < ALPHA


@pytest.mark.statistical
@pytest.mark.parametrize("dim", [1, 2, 3, 8])
def test_normal_numbers_are_normal(dim: int, seed: int) -> None:
    drawn = grid.normals(DRAWS, dim, seeded(seed))
    axis = np.arange(1.0, dim + 1)
    along = drawn @ (axis / np.linalg.norm(axis))
    assert kstest(along, norm.cdf).pvalue > ALPHA
    assert kstest(along * 1.06, norm.cdf).pvalue < ALPHA


@pytest.mark.statistical
def test_exponential_numbers_are_exponential(seed: int) -> None:
    drawn = grid.exponentials((DRAWS,), seeded(seed))
    assert kstest(drawn, gamma(1).cdf).pvalue > ALPHA
    assert kstest(drawn * 1.03, gamma(1).cdf).pvalue < ALPHA


@pytest.mark.parametrize("shape", [0.5, 1.0, 3.0, 50.0, 1000.0])
def test_longer_noise_is_rarer_than_2_to_the_minus_129(shape: float) -> None:
    assert gamma(shape).logsf(grid.longest(shape)) < -129 * math.log(2)


@pytest.mark.parametrize("scale", [1e-300, 0.1, 1.0, 3.0, 1e300])
def test_the_grid_is_a_power_of_two(scale: float) -> None:
    mantissa, _ = math.frexp(grid.spacing(scale))
    assert mantissa == 0.5


def test_the_smallest_uniform_number_is_above_zero() -> None:
    drawn = grid.uniforms(1, Tape(0.0, 0.0, LAST, 0.7))  # type: ignore[arg-type]
    assert drawn[0] == LAST * LAST * (LAST + LAST * 0.7)
