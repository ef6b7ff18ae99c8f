"""Noise that may be published: drawn to within a proven error, then put on a grid.

A sum of a secret and noise in floating point can only reach some doubles, and which
ones tells the secret. Two steps close that, and leave a bound that is proved for the
bits that are released, not for real numbers (docs/explanation/grid.md):

1. Samplers without rejection, which are continuous functions of uniform numbers. What
   they return is *surely* within a known distance of what the same random bits give in
   real arithmetic. A uniform number near 0 or 1 gets more bits, so that this holds in
   the tails too.
2. `on_grid` rounds up or down at random, and adds an integer with probabilities
   ``2^-|k| / 3``. All its probabilities change by a factor of at most ``exp(t)`` when
   its input moves by t grid steps, so the error of step 1 costs a little pure loss, the
   `offset` of the guarantee, and no probability of failure.
"""

import math
from collections.abc import Callable

import numpy as np

from publius.core.arrays import FloatArray, Rng
from publius.core.errors import ParameterError
from publius.core.guarantee import Guarantee, Linear, Scope, Unit
from publius.core.stating import state_bound

STEPS = 2.0**-10
"""Largest grid step, as a share of the noise's scale in one coordinate."""

RELATIVE = 2.0**-45
"""Error of a drawn vector as a share of its length; see docs/explanation/grid.md."""

RARE = 90.0
"""Tails of probability ``exp(-90) < 2^-129`` are left out of account."""

BLOCK_ITEMS = 1 << 15
"""Coordinates per block: small enough to stay in the cache of one core."""

COIN = 2.0**-32
LAST = 2.0**-53
EDGE = 1 / 16
LIMIT = 2.0**51
VECTOR, POINT = "The position of the vector.", "The position of the point."
_SMALLEST, _LARGEST = 2.0**-1000, 2.0**1000

_TRAILING = np.array([8.0] + [(i & -i).bit_length() - 1.0 for i in range(1, 256)])
"""Zeros at the end of each byte."""


def spacing(scale: float) -> float:
    """Return the public grid of noise of a scale: a power of two, far below it."""
    if not _SMALLEST <= scale <= _LARGEST:
        raise ParameterError(
            f"noise of scale {scale:.3g} does not fit into doubles; measure "
            "the vectors in another unit"
        )
    return 2.0 ** math.floor(math.log2(scale * STEPS))


def on_grid(
    centre: FloatArray, noise: Callable[[int], FloatArray], step: float, rng: Rng
) -> FloatArray:
    """Return ``centre + noise * step`` on the grid of multiples of `step`.

    The part of `centre` beyond a whole number of steps joins the noise; all else is a
    sum of integers below 2^53 and exact. Coordinates beyond 2^51 steps are clipped
    first, which brings no two secrets further apart.

    Args:
        centre: One row for each secret.
        noise: Draws the noise of so many rows, in grid steps.
        step: A power of two.
        rng: Source of the bits.
    """
    out = np.empty(centre.shape)
    block = max(1, BLOCK_ITEMS // max(1, centre.shape[1]))
    for start in range(0, len(centre), block):
        part = slice(start, min(start + block, len(centre)))
        with np.errstate(over="ignore"):
            at = np.clip(centre[part] / step, -LIMIT, LIMIT)
        whole = np.rint(at)
        away = noise(len(at))
        away += at - whole
        np.multiply(whole + snapped(away, rng), step, out=out[part])
    return out


def snapped(at: FloatArray, rng: Rng) -> FloatArray:
    """Return an integer near each number, by the law that bounds what errors cost."""
    whole = np.floor(at)
    share = (at - whole) / COIN
    # Exact: a fraction of a double, and 32 bits, compared as doubles.
    whole += rng.integers(0, 1 << 32, size=at.shape, dtype=np.uint32) < share
    size = at.size
    return whole + (_geometric(size, rng) - _geometric(size, rng)).reshape(at.shape)


def rounding_loss(length: float, dim: int) -> float:
    """Return the loss that all errors of one released row can add.

    Args:
        length: Largest length of the noise in grid steps.
        dim: Coordinates of the row.
    """
    return kernel_loss((RELATIVE + 2 * LAST) * length + LAST * dim, dim)


def kernel_loss(error: float, dim: int) -> float:
    """Return the loss that an `error` in grid steps of the unsnapped row can add."""
    return 2 * (math.sqrt(dim) * error + COIN * dim)


def _geometric(count: int, rng: Rng) -> FloatArray:
    """Draw how many fair coins show tails before the first head, exactly."""
    coins = np.frombuffer(rng.bytes(count), dtype=np.uint8)
    tails = _TRAILING[coins]
    again = np.flatnonzero(coins == 0)
    if len(again):
        tails[again] += _geometric(len(again), rng)
    return tails


def longest(shape: float) -> float:
    """Return what a Gamma variable of a shape exceeds with probability exp(-90) only.

    Boucheron, Lugosi and Massart 2013, section 2.4.
    """
    return shape + math.sqrt(2 * shape * RARE) + RARE


def uniforms(count: int, rng: Rng) -> FloatArray:
    """Draw uniform numbers with a relative error of 2^-49 at most, however small."""
    drawn = rng.random(count)
    low = np.flatnonzero(drawn < EDGE)
    if len(low):
        drawn[low] += LAST * uniforms(len(low), rng)
    return drawn


def exponentials(shape: tuple[int, ...], rng: Rng) -> FloatArray:
    """Draw standard exponential numbers with a relative error below 2^-48."""
    drawn = rng.random(math.prod(shape))
    low, high = np.flatnonzero(drawn < EDGE), np.flatnonzero(drawn >= 1 - EDGE)
    drawn[low] += LAST * uniforms(len(low), rng)
    # Near 1 the logarithm is the distance to 1, which needs bits of its own.
    rest = (1 - drawn[high]) - LAST + LAST * uniforms(len(high), rng)
    np.log(drawn, out=drawn)
    drawn[high] = np.log1p(-rest)
    return np.negative(drawn, out=drawn).reshape(shape)


def normals(rows: int, dim: int, rng: Rng) -> FloatArray:
    """Draw rows of standard normal numbers by Box and Muller's method.

    The error of a row is below 2^-46 times its length.
    """
    pairs = dim // 2
    out = np.empty((rows, dim))
    radius = np.sqrt(2 * exponentials((rows, dim - pairs), rng))
    angle = rng.random((rows, pairs))
    angle *= 2 * math.pi
    np.multiply(radius[:, :pairs], np.cos(angle), out=out[:, :pairs])
    np.multiply(radius[:, :pairs], np.sin(angle), out=out[:, pairs : 2 * pairs])
    if dim % 2:
        # Alone, a coordinate near 0 must keep its digits: its angle is drawn from 0 on.
        tilt = np.sin(math.pi / 2 * uniforms(rows, rng))
        sign = 1.0 - 2.0 * rng.integers(0, 2, size=rows)
        np.multiply(radius[:, pairs], sign * tilt, out=out[:, -1])
    return out


def laplace_steps(rows: int, dim: int, scale: float, rng: Rng) -> FloatArray:
    """Draw noise with density proportional to ``exp(-||v|| / scale)``.

    Normal noise whose variance is ``2 * Gamma((dim + 1) / 2)`` has this law: nothing is
    divided, and the Gamma variable is a sum of exponential ones and of half a squared
    normal one.
    """
    noise = normals(rows, dim, rng)
    mixed = exponentials((rows, (dim + 1) // 2), rng).sum(axis=1)
    if dim % 2 == 0:
        mixed += normals(rows, 1, rng)[:, 0] ** 2 / 2
    noise *= (scale * np.sqrt(2 * mixed))[:, None]
    return noise


def laplace_length(dim: int, scale: float) -> float:
    """Return the length that `laplace_steps` exceeds with probability 2^-129 only."""
    return scale * longest(dim)


def normal_length(dim: int, scale: float) -> float:
    """Return the length that normal noise exceeds with probability 2^-129 only."""
    return scale * math.sqrt(2 * longest(dim / 2))


def position(
    metric: str, term: Linear, step: float, *rests_on: str, covered: str = VECTOR
) -> Guarantee:
    """Return the guarantee for one vector, or point, that is released on a grid."""
    scope = Scope((covered,), (), (told(step, term.offset), *rests_on))
    return Guarantee(metric, Unit.TOKEN, (term,), scope)


def told(step: float, offset: float) -> str:
    """Say what a release on a grid rests on."""
    exponent = round(math.log2(step))
    return (
        f"Noise is drawn on a grid of multiples of 2^{exponent}, the same for all "
        "secrets. The bound holds for the doubles that are drawn, not only for real "
        f"numbers: rounding adds at most {state_bound(offset)} to the loss, which is "
        "part of it. It rests on the random bits of AES-128 or "
        "ChaCha20, on logarithms, sines and cosines within four units of the last "
        "place, and leaves out events of probability below 2^-127."
    )
