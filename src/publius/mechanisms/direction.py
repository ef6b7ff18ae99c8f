"""What the mechanisms on directions share: the grid, the guarantee and the draw."""

import math
from collections.abc import Callable
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike

from publius.core.arrays import FloatArray, Rng, not_negative, rows_of
from publius.core.errors import ParameterError
from publius.core.guarantee import Guarantee, Landmarks, Scope, Term, Unit
from publius.numerics.geometry.axial import AngleLaw
from publius.numerics.geometry.sphere import move

KAPPA_LIMIT = 2.0**41
"""Beyond it the noise would drown in the spacing of float64 near 1."""
COARSEST, FINEST = 2.0**-30, 2.0**-46
BLOCK_ROWS = 1 << 15


def concentration(kappa: float) -> float:
    """Return `kappa`, or raise unless it is finite, >= 0 and can be computed with."""
    value = not_negative("kappa", kappa)
    if value <= KAPPA_LIMIT:
        return value
    raise ParameterError(
        f"kappa must be at most {KAPPA_LIMIT:.3g}, got {kappa}; "
        "more concentrated noise would vanish in the rounding of float64"
    )


def protection_radius(radius: float) -> float:
    """Return an angle in (0, pi]; beyond pi there is nothing left to protect."""
    if math.isfinite(radius) and radius > 0:
        return min(float(radius), math.pi)
    raise ParameterError(f"radius must be a finite angle > 0, got {radius}")


def grid_spacing(mean_angle: float, dim: int) -> float:
    """Return the public grid: a power of two far below the noise and above rounding."""
    fine = mean_angle / math.sqrt(dim) / 4096
    return min(COARSEST, max(FINEST, 2.0 ** math.floor(math.log2(fine))))


def directional_guarantee(
    terms: tuple[Term, ...], spacing: float, *, uncovered: tuple[str, ...] = ()
) -> Guarantee:
    """Return the guarantee of one row under the angular metric."""
    exponent = round(-math.log2(spacing))
    grain = round(spacing * 2**53)
    is_bounded = all(math.isfinite(term.at(math.pi).pure) for term in terms)
    return Guarantee(
        metric="angular",
        unit=Unit.RECORD,
        terms=terms,
        scope=Scope(
            covered=("The direction of each row.",) if is_bounded else (),
            uncovered=("How many rows there are.", *uncovered),
            assumptions=(
                "Idealized: the law is proved over the real numbers.",
                f"Each coordinate is rounded to a multiple of 2^-{exponent}, {grain} "
                "times the rounding of float64 near 1, so that its last digits do not "
                "tell which secret it was computed from.",
            ),
        ),
        landmarks=Landmarks(diameter=math.pi),
    )


class Axial(Protocol):
    """A law of directions that depends on the angle to the input alone.

    Who implements it gives the law of that angle; the rest follows.
    """

    __slots__ = ()
    dim: int

    @property
    def angle_law(self) -> AngleLaw:
        """The law of the angle between input and output."""
        ...

    def angles(self, count: int, rng: Rng) -> FloatArray:
        """Draw `count` angles between input and output."""
        ...

    def mean_angle(self) -> float:
        """Return the expected angle between input and output."""
        ...

    @property
    def spacing(self) -> float:
        """Step of the public grid of output coordinates."""
        return grid_spacing(self.mean_angle(), self.dim)

    def perturb(self, x: ArrayLike, rng: Rng) -> FloatArray:
        """Draw one direction around each row."""
        rows = rows_of(x, self.dim)
        return move(rows, self.angles(len(rows), rng), self.spacing, rng)

    def angle_cdf(self, angle: FloatArray) -> FloatArray:
        """Return the probability of an angle of at most `angle`."""
        return self.angle_law.cdf(angle)

    def angle_sf(self, angle: FloatArray) -> FloatArray:
        """Return the probability of a larger angle, exact in the far tail."""
        return self.angle_law.sf(angle)

    def angle_ppf(self, probability: FloatArray) -> FloatArray:
        """Return the angle not exceeded with `probability`."""
        return self.angle_law.ppf(probability)


def rejection(count: int, propose: Callable[[int], FloatArray]) -> FloatArray:
    """Return exactly `count` accepted draws of `propose`, which returns some of k."""
    out = np.empty(count)
    done = 0
    while done < count:
        missing = min(count - done, BLOCK_ROWS)
        accepted = propose(missing + missing // 2 + 8)[:missing]
        out[done : done + len(accepted)] = accepted
        done += len(accepted)
    return out
