"""The noise of `mechanisms.grid` formed where a torch device is, from ChaCha20 there.

The samplers are those of `grid`, operation by operation and in doubles, so that its
bounds on errors hold here too: CUDA's own bounds for log, log1p, sin and cos of doubles
are two units of the last place, and `grid` allows four. Only the source of the bits and
their order differ.
"""

import math

import torch

from publius.mechanisms.chacha_torch import DeviceStream
from publius.mechanisms.grid import COIN, EDGE, LAST, LIMIT


def on_grid(
    centre: torch.Tensor, scale: float, step: float, bits: DeviceStream
) -> torch.Tensor:
    """Return ``centre`` plus Laplace noise, on the grid of multiples of `step`.

    Args:
        centre: One row of doubles for each secret, on the device of the stream.
        scale: Of the noise, in grid steps.
        step: A power of two.
        bits: Source of the bits.
    """
    at = (centre / step).clamp(-LIMIT, LIMIT)
    whole = at.round()
    rows, dim = centre.shape
    away = laplace_steps(rows, dim, scale, bits) + (at - whole)
    return (whole + snapped(away, bits)) * step


def snapped(at: torch.Tensor, bits: DeviceStream) -> torch.Tensor:
    """Return an integer near each number, by the law that bounds what errors cost."""
    whole = at.floor()
    share = (at - whole) / COIN
    whole = whole + (bits.words(at.numel()).view(at.shape) < share)
    coins = _geometric(at.numel(), bits) - _geometric(at.numel(), bits)
    return whole + coins.view(at.shape)


def _geometric(count: int, bits: DeviceStream) -> torch.Tensor:
    """Draw how many fair coins show tails before the first head, exactly."""
    word = bits.words(count)
    # The lowest bit that is set; of a word without one more coins are thrown.
    lowest = word & -word
    tails = torch.frexp(lowest.double())[1].double() - 1
    empty = torch.nonzero(word == 0)[:, 0]
    if len(empty):
        tails[empty] = 32.0 + _geometric(len(empty), bits)
    return tails


def uniforms(count: int, bits: DeviceStream) -> torch.Tensor:
    """Draw uniform numbers with a relative error of 2^-49 at most, however small."""
    drawn = bits.doubles(count)
    low = torch.nonzero(drawn < EDGE)[:, 0]
    if len(low):
        drawn[low] += LAST * uniforms(len(low), bits)
    return drawn


def exponentials(count: int, bits: DeviceStream) -> torch.Tensor:
    """Draw standard exponential numbers with a relative error below 2^-48."""
    drawn = bits.doubles(count)
    low = torch.nonzero(drawn < EDGE)[:, 0]
    high = torch.nonzero(drawn >= 1 - EDGE)[:, 0]
    drawn[low] += LAST * uniforms(len(low), bits)
    # Near 1 the logarithm is the distance to 1, which needs bits of its own.
    rest = (1 - drawn[high]) - LAST + LAST * uniforms(len(high), bits)
    logs = drawn.log()
    logs[high] = torch.log1p(-rest)
    return logs.neg_()


def normals(rows: int, dim: int, bits: DeviceStream) -> torch.Tensor:
    """Draw rows of standard normal numbers by Box and Muller's method."""
    pairs = dim // 2
    radius = (2 * exponentials(rows * (dim - pairs), bits)).sqrt_()
    radius = radius.view(rows, dim - pairs)
    angle = bits.doubles(rows * pairs).view(rows, pairs) * (2 * math.pi)
    parts = [radius[:, :pairs] * angle.cos(), radius[:, :pairs] * angle.sin()]
    if dim % 2:
        tilt = (math.pi / 2 * uniforms(rows, bits)).sin_()
        sign = 1.0 - 2.0 * (bits.words(rows) & 1).double()
        parts.append((radius[:, pairs] * sign * tilt)[:, None])
    return torch.cat(parts, dim=1)


def laplace_steps(
    rows: int, dim: int, scale: float, bits: DeviceStream
) -> torch.Tensor:
    """Draw noise with density proportional to ``exp(-||v|| / scale)``."""
    noise = normals(rows, dim, bits)
    count = (dim + 1) // 2
    mixed = exponentials(rows * count, bits).view(rows, count).sum(dim=1)
    if dim % 2 == 0:
        mixed += normals(rows, 1, bits)[:, 0] ** 2 / 2
    return noise * (scale * (2 * mixed).sqrt_())[:, None]
