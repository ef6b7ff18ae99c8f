"""ChaCha20 (RFC 8439) in torch: random words where the points are.

The generators of torch are not cryptographic. Here the key stream is computed on the
device: 32-bit words of ChaCha20 under a key of the run, block by block from a counter.
"""

from dataclasses import dataclass, field
from importlib import import_module
from importlib.util import find_spec

import numpy as np
import torch

from publius.core.errors import ParameterError, RandomnessError

KEY_BYTES = 32
NONCE_BYTES = 12
BLOCK_WORDS = 16
_CONSTANTS = (0x61707865, 0x3320646E, 0x79622D32, 0x6B206574)
_DOUBLE_ROUNDS = 10
_COLUMNS = [(i, i + 4, i + 8, i + 12) for i in range(4)]
_DIAGONALS = [(0, 5, 10, 15), (1, 6, 11, 12), (2, 7, 8, 13), (3, 4, 9, 14)]
_ALL = (1 << 32) - 1


def fixed_words(key: bytes, nonce: bytes, device: str) -> torch.Tensor:
    """Return the words of a key and a nonce, which all blocks of a stream share."""
    if len(key) != KEY_BYTES or len(nonce) != NONCE_BYTES:
        raise ParameterError("ChaCha20 takes a key of 32 bytes and a nonce of 12")
    words = np.frombuffer(key + nonce, "<i4").astype(np.int32)
    return torch.from_numpy(words).to(device)


def counters(first: int, blocks: int, device: str) -> torch.Tensor:
    """Return the numbers of blocks, as int32 in two's complement."""
    if not (first >= 0 and first + blocks <= 1 << 32):
        raise RandomnessError("a stream of ChaCha20 ends after 2^32 blocks")
    count = torch.arange(first, first + blocks, dtype=torch.int64, device=device)
    return torch.where(count >= 1 << 31, count - (1 << 32), count).to(torch.int32)


def block_words(fixed: torch.Tensor, counter: torch.Tensor) -> list[torch.Tensor]:
    """Return the 16 words of each block, every step of which is one per counter.

    Args:
        fixed: Words of key and nonce.
        counter: Numbers of the blocks.
    """
    if counter.is_cuda and find_spec("triton") is not None:
        fused = import_module("publius.mechanisms.chacha_fused")
        return list(fused.block_words(fixed, counter))
    still = torch.zeros_like(counter)
    start = [still + word for word in _CONSTANTS]
    start += [still + word for word in fixed[:8]]
    start += [counter, *(still + word for word in fixed[8:])]
    x = list(start)
    for _ in range(_DOUBLE_ROUNDS):
        for a, b, c, d in _COLUMNS + _DIAGONALS:
            x[a], x[b], x[c], x[d] = _quarter(x[a], x[b], x[c], x[d])
    return [mixed + first for mixed, first in zip(x, start, strict=True)]


def _quarter(
    a: torch.Tensor, b: torch.Tensor, c: torch.Tensor, d: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor]:
    """Mix four words of the state; additions of int32 wrap around."""
    for first, second in ((16, 12), (8, 7)):
        a = a + b
        d = _rotated(d ^ a, first)
        c = c + d
        b = _rotated(b ^ c, second)
    return a, b, c, d


def _rotated(x: torch.Tensor, bits: int) -> torch.Tensor:
    # The shift to the right copies the sign: the mask takes the copies away.
    return (x << bits) | ((x >> (32 - bits)) & ((1 << bits) - 1))


def unsigned(word: torch.Tensor) -> torch.Tensor:
    """Return words of 32 bits as numbers from 0 on."""
    return word.to(torch.int64) & _ALL


def fraction(one: torch.Tensor, other: torch.Tensor) -> torch.Tensor:
    """Return doubles in [0, 1) of two words each: multiples of 2^-53, all as likely."""
    high, low = unsigned(one) >> 5, unsigned(other) >> 6
    return ((high << 26) | low).double() * 2.0**-53


@dataclass(slots=True)
class DeviceStream:
    """Numbers from one key stream; no word of it is used twice.

    Args:
        key: 32 bytes that serve this stream alone.
        device: Name of a torch device.
    """

    key: bytes = field(repr=False)
    device: str
    _next: int = field(default=0, init=False)

    def blocks(self, count: int) -> tuple[torch.Tensor, torch.Tensor]:
        """Take so many blocks: the words that they share, and their numbers."""
        taken = counters(self._next, count, self.device)
        self._next += count
        return fixed_words(self.key, bytes(NONCE_BYTES), self.device), taken

    def words(self, count: int) -> torch.Tensor:
        """Return the next words of 32 bits, as numbers from 0 on."""
        made = block_words(*self.blocks(-(-count // BLOCK_WORDS)))
        return unsigned(torch.stack(made, dim=1).view(-1)[:count])

    def doubles(self, count: int) -> torch.Tensor:
        """Return doubles in [0, 1): multiples of 2^-53, all equally likely."""
        words = block_words(*self.blocks(-(-2 * count // BLOCK_WORDS)))
        flat = torch.stack(words, dim=1).view(-1)
        return fraction(flat[:count], flat[count : 2 * count])
