"""The lattice attack: which numbers an output could be tells the secret.

Noise that is added to a secret in floating point reaches some doubles and not others.
An output is reduced to what shows that: how fine its last bits are, and from which
secrets a sum could have reached it. The reduced outputs are then audited like any
others: a refutation has the same confidence, and what noise alone explains refutes
nothing.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from publius.assessment.auditing.sampled import Plan, audit_sampled
from publius.assessment.auditing.verdict import Verdict
from publius.core.arrays import FloatArray, IdArray, Rng
from publius.core.errors import DataError

DrawRows = Callable[[int, int, Rng], FloatArray]
"""``draw(position, count, rng)`` returns `count` rows released for one secret."""

ROUGHEST = 1 << 12
"""Code of a row of zeros, which has no last bit."""

MOST_SECRETS = 16


def last_bits(rows: FloatArray) -> IdArray:
    """Return the exponent of the finest bit that is set in each row."""
    mantissa, exponent = np.frexp(rows)
    whole = np.abs(np.ldexp(mantissa, 53)).astype(np.int64)
    # frexp of a power of two is exact: its exponent counts the zeros at the end.
    zeros = np.frexp((whole & -whole).astype(np.float64))[1] - 1
    depth = np.where(whole > 0, zeros + exponent - 53, ROUGHEST)
    return np.asarray(depth.min(axis=1), dtype=np.int64)


def reachable(rows: FloatArray, centre: FloatArray) -> IdArray:
    """Tell for each row whether adding a double to `centre` could have given it."""
    return np.asarray((centre + (rows - centre) == rows).all(axis=1), dtype=np.int64)


def lattice_codes(rows: ArrayLike, centres: ArrayLike) -> IdArray:
    """Reduce outputs to what shows of the lattice they come from.

    Args:
        rows: Released rows of doubles.
        centres: Where the noise of each secret is added, one row each.
    """
    z = np.asarray(rows, dtype=np.float64)
    c = np.asarray(centres, dtype=np.float64)
    if z.ndim != 2 or c.ndim != 2 or c.shape[1] != z.shape[1]:
        raise DataError(f"rows and centres must agree, got {z.shape} and {c.shape}")
    if len(c) > MOST_SECRETS:
        raise DataError(f"at most {MOST_SECRETS} secrets at once, got {len(c)}")
    code = last_bits(z) << MOST_SECRETS
    for place, centre in enumerate(c):
        code |= reachable(z, centre) << place
    return code


def audit_lattice(
    draw: DrawRows,
    centres: ArrayLike,
    distance: ArrayLike,
    claim: float,
    rng: Rng,
    *,
    plan: Plan | None = None,
) -> Verdict:
    """Search for an event of the float lattice that refutes a claim.

    Args:
        draw: Gives released rows of the secret at a position.
        centres: Where the noise of each secret is added, one row each; what an attacker
            who knows the mechanism computes for every secret that comes into question.
        distance: Distances between the secrets.
        claim: The claimed epsilon per unit of distance.
        rng: Passed on to `draw`.
        plan: Draws and confidence.
    """

    def codes(place: int, count: int, rng: Rng) -> list[int]:
        drawn_codes: list[int] = lattice_codes(
            draw(place, count, rng), centres
        ).tolist()
        return drawn_codes

    return audit_sampled(codes, distance, claim, plan or Plan(draws=100_000), rng)
