"""The noise of `mechanisms.grid` formed where a torch device is, from ChaCha20 there.

Every pair of coordinates has a block of the key stream of its own. The samplers
are those of `grid`, in doubles: CUDA's own bounds for log, log1p, sin and cos of
doubles are two units of the last place, and `grid` allows four. The very few numbers
that 16 words cannot settle are formed again with more bits.
"""

import math
from dataclasses import dataclass
from typing import NamedTuple

import torch

from publius.mechanisms.chacha_torch import (
    DeviceStream,
    block_words,
    fraction,
    unsigned,
)
from publius.mechanisms.grid import COIN, EDGE, LAST, LIMIT

_FIRST, _SECOND = (10, 11, 12), (13, 14, 15)
"""Words of a block that snap the coordinates of its pair: a share and two coins."""
_COINS = 32.0
"""Tails that a word without a set bit stands for, at least."""


class Pairs(NamedTuple):
    """What blocks are made into, one entry each.

    Args:
        one: Standard normal numbers.
        other: Normal numbers that are independent of them.
        mixing: Standard exponential numbers, independent of both.
        shares: Words that round the two coordinates, as doubles.
        coins: Whole steps that are added to them.
        is_open: Whether more bits are needed than a block has.
    """

    one: torch.Tensor
    other: torch.Tensor
    mixing: torch.Tensor
    shares: tuple[torch.Tensor, torch.Tensor]
    coins: tuple[torch.Tensor, torch.Tensor]
    is_open: torch.Tensor


@dataclass(frozen=True, slots=True)
class Rest:
    """Further bits for blocks that need them: uniform numbers, and tails of coins."""

    tails: torch.Tensor
    coins: torch.Tensor


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
    rows, dim = centre.shape
    made = drawn_pairs(rows, dim, bits)
    factor = scale * mixed(made, dim).sqrt()
    return _finished(centre, made, factor, step)


def laplace_steps(
    rows: int, dim: int, scale: float, bits: DeviceStream
) -> torch.Tensor:
    """Draw noise with density proportional to ``exp(-||v|| / scale)``."""
    made = drawn_pairs(rows, dim, bits)
    factor = scale * mixed(made, dim).sqrt()
    return _columns(made.one, made.other, dim) * factor[:, None]


def drawn_pairs(rows: int, dim: int, bits: DeviceStream) -> Pairs:
    """Draw pairs of coordinates of rows, and one pair more than an even row has."""
    count = dim // 2 + 1
    fixed, numbers = bits.blocks(rows * count)
    numbers = numbers.view(rows, count)
    made = _formed(fixed, numbers)
    again = torch.nonzero(made.is_open)
    if len(again):
        place = again[:, 0], again[:, 1]
        mended = _formed(fixed, numbers[place], _rest(len(again), bits))
        for whole, part in zip(_flat(made), _flat(mended), strict=True):
            whole[place] = part
    return made


def mixed(made: Pairs, dim: int) -> torch.Tensor:
    """Return twice a Gamma number of shape ``(dim + 1) / 2`` for each row."""
    if dim % 2:
        return 2 * made.mixing.sum(dim=1)
    # Half the square of a normal number is Gamma of shape 1/2.
    return 2 * made.mixing[:, :-1].sum(dim=1) + made.one[:, -1] ** 2


def _formed(
    fixed: torch.Tensor, numbers: torch.Tensor, rest: Rest | None = None
) -> Pairs:
    """Return what blocks are made into; `rest` has further bits for each of them."""
    words = block_words(fixed, numbers)
    tails = None if rest is None else rest.tails
    radial, first = _exponential(words[:4], None if tails is None else tails[:, 0])
    mixing, second = _exponential(words[6:10], None if tails is None else tails[:, 1])
    radius = (2 * radial).sqrt()
    angle = fraction(words[4], words[5]) * (2 * math.pi)
    coins, empty = [], torch.zeros_like(first)
    for turn, (_, head, tail) in enumerate((_FIRST, _SECOND)):
        made = []
        for side, word in enumerate((words[head], words[tail])):
            is_empty = word == 0
            more = 0.0 if rest is None else rest.coins[:, 2 * turn + side]
            made.append(torch.where(is_empty, _COINS + more, _tails(word)))
            empty = empty | is_empty
        coins.append(made[0] - made[1])
    return Pairs(
        radius * angle.cos(),
        radius * angle.sin(),
        mixing,
        (unsigned(words[_FIRST[0]]).double(), unsigned(words[_SECOND[0]]).double()),
        (coins[0], coins[1]),
        first | second | empty,
    )


def _exponential(
    words: list[torch.Tensor], tails: torch.Tensor | None
) -> tuple[torch.Tensor, torch.Tensor]:
    """Draw standard exponential numbers with a relative error below 2^-48.

    Also says where the further bits are too few for that: where the number lies within
    2^-53 of 0 or 1.
    """
    drawn = fraction(words[0], words[1])
    more = fraction(words[2], words[3])
    if tails is not None:
        more = more + LAST * tails
    # Near 1 the logarithm is the distance to 1, which needs bits of its own.
    rest = (1 - drawn) - LAST + LAST * more
    below = torch.where(drawn < EDGE, drawn + LAST * more, drawn)
    is_high = drawn >= 1 - EDGE
    made = -torch.where(is_high, torch.log1p(-rest), below.log())
    is_open = (drawn == 0) | (1 - drawn <= LAST)
    return made, is_open


def _tails(word: torch.Tensor) -> torch.Tensor:
    """Return tails of fair coins before the first head: the place of the lowest bit."""
    lowest = unsigned(word & -word).double()
    return torch.log2(lowest).round()


def _rest(count: int, bits: DeviceStream) -> Rest:
    """Draw further bits for so many blocks."""
    tails = uniforms(2 * count, bits).view(count, 2)
    return Rest(tails, geometric(4 * count, bits).view(count, 4))


def _finished(
    centre: torch.Tensor, made: Pairs, factor: torch.Tensor, step: float
) -> torch.Tensor:
    """Add the noise to its centre and round it to the grid at random."""
    dim = centre.shape[1]
    at = (centre / step).clamp(-LIMIT, LIMIT)
    whole = at.round()
    noise = _columns(made.one, made.other, dim) * factor[:, None]
    away = noise + (at - whole)
    shares, coins = _columns(*made.shares, dim), _columns(*made.coins, dim)
    return (whole + snapped(away, shares, coins)) * step


def snapped(
    at: torch.Tensor, shares: torch.Tensor, coins: torch.Tensor
) -> torch.Tensor:
    """Return an integer near each number, by the law that bounds what errors cost.

    Args:
        at: In grid steps.
        shares: Words of 32 bits.
        coins: Differences of two numbers of tails.
    """
    whole = at.floor()
    return whole + (shares < (at - whole) / COIN) + coins


def _columns(one: torch.Tensor, other: torch.Tensor, dim: int) -> torch.Tensor:
    """Return the first numbers of all pairs, then the second ones, for each row."""
    return torch.cat((one[:, : (dim + 1) // 2], other[:, : dim // 2]), dim=1)


def geometric(count: int, bits: DeviceStream) -> torch.Tensor:
    """Draw how many fair coins show tails before the first head, exactly."""
    word = bits.words(count)
    tails = torch.where(word == 0, _COINS, _tails(word.clamp(min=1)))
    empty = torch.nonzero(word == 0)[:, 0]
    if len(empty):
        tails[empty] += geometric(len(empty), bits)
    return tails


def uniforms(count: int, bits: DeviceStream) -> torch.Tensor:
    """Draw uniform numbers with a relative error of 2^-49 at most, however small."""
    drawn = bits.doubles(count)
    low = torch.nonzero(drawn < EDGE)[:, 0]
    if len(low):
        drawn[low] += LAST * uniforms(len(low), bits)
    return drawn


def _flat(made: Pairs) -> list[torch.Tensor]:
    return [made.one, made.other, made.mixing, *made.shares, *made.coins]
