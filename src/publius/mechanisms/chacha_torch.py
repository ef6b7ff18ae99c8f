"""ChaCha20 (RFC 8439) in torch: random words where the points are.

The generators of torch are not cryptographic. Here the key stream is computed on the
device: 32-bit words of ChaCha20 under a key of the run, block by block from a counter.
"""

from dataclasses import dataclass, field

import numpy as np
import torch

from publius.core.errors import ParameterError, RandomnessError

KEY_BYTES = 32
NONCE_BYTES = 12
BLOCK_WORDS = 16
_CONSTANTS = (0x61707865, 0x3320646E, 0x79622D32, 0x6B206574)
_DOUBLE_ROUNDS = 10
_ALL = (1 << 32) - 1


def keystream(
    key: bytes, nonce: bytes, first: int, blocks: int, device: str
) -> torch.Tensor:
    """Return ``(blocks, 16)`` words of the key stream as int32, first block `first`."""
    if len(key) != KEY_BYTES or len(nonce) != NONCE_BYTES:
        raise ParameterError("ChaCha20 takes a key of 32 bytes and a nonce of 12")
    if not (first >= 0 and first + blocks <= 1 << 32):
        raise RandomnessError("a stream of ChaCha20 ends after 2^32 blocks")
    count = torch.arange(first, first + blocks, dtype=torch.int64, device=device)
    # The counter has 32 bits: what exceeds 31 becomes negative, as in two's complement.
    counter = torch.where(count >= 1 << 31, count - (1 << 32), count).to(torch.int32)
    fixed = np.frombuffer(key, "<i4").tolist(), np.frombuffer(nonce, "<i4").tolist()
    words = [*np.array(_CONSTANTS, "<u4").view("<i4").tolist(), *fixed[0], 0, *fixed[1]]
    rows = [torch.full_like(counter, word) for word in words]
    rows[12] = counter
    start = torch.stack(rows).view(4, 4, blocks)
    a, b, c, d = (start[row].clone() for row in range(4))
    for _ in range(_DOUBLE_ROUNDS):
        a, b, c, d = _quarter(a, b, c, d)
        b, c, d = (x.roll(-n, 0) for x, n in ((b, 1), (c, 2), (d, 3)))
        a, b, c, d = _quarter(a, b, c, d)
        b, c, d = (x.roll(n, 0) for x, n in ((b, 1), (c, 2), (d, 3)))
    mixed = torch.stack((a, b, c, d)) + start
    return mixed.view(BLOCK_WORDS, blocks).T.contiguous()


def _quarter(
    a: torch.Tensor, b: torch.Tensor, c: torch.Tensor, d: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor]:
    """Mix four rows of the state; additions of int32 wrap around."""
    for first, second in ((16, 12), (8, 7)):
        a = a + b
        d = _rotated(d ^ a, first)
        c = c + d
        b = _rotated(b ^ c, second)
    return a, b, c, d


def _rotated(x: torch.Tensor, bits: int) -> torch.Tensor:
    # The shift to the right copies the sign: the mask takes the copies away.
    return (x << bits) | ((x >> (32 - bits)) & ((1 << bits) - 1))


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

    def words(self, count: int) -> torch.Tensor:
        """Return the next words of 32 bits, as numbers from 0 on."""
        blocks = -(-count // BLOCK_WORDS)
        words = keystream(self.key, bytes(NONCE_BYTES), self._next, blocks, self.device)
        self._next += blocks
        return words.view(-1)[:count].to(torch.int64) & _ALL

    def doubles(self, count: int) -> torch.Tensor:
        """Return doubles in [0, 1): multiples of 2^-53, all equally likely."""
        words = self.words(2 * count).view(2, count)
        high, low = words[0] >> 5, words[1] >> 6
        return ((high << 26) | low).double() * 2.0**-53
