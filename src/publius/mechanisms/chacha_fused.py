"""Blocks of ChaCha20 in one kernel, all in registers. Needs CUDA and triton."""

import torch
import triton
import triton.language as tl

BLOCKS = 256
"""Blocks of the key stream that a program computes."""


@triton.jit
def _quarter(a, b, c, d):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202
    a += b
    d ^= a
    d = (d << 16) | (d >> 16)
    c += d
    b ^= c
    b = (b << 12) | (b >> 20)
    a += b
    d ^= a
    d = (d << 8) | (d >> 24)
    c += d
    b ^= c
    b = (b << 7) | (b >> 25)
    return a, b, c, d


@triton.jit
def _word(fixed, number, zero):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202
    return zero + tl.load(fixed + number).to(tl.uint32, bitcast=True)


@triton.jit
def _put(out, place, word, inside):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202
    tl.store(out + place, word.to(tl.int32, bitcast=True), mask=inside)


@triton.jit  # type: ignore[untyped-decorator]
def _kernel(fixed, numbers, words, count, size: tl.constexpr):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202
    place = tl.program_id(0).to(tl.int64) * size + tl.arange(0, size)
    inside = place < count
    counter = tl.load(numbers + place, mask=inside, other=0).to(tl.uint32, bitcast=True)
    zero = counter ^ counter
    # "expand 32-byte k", the words of the key, the counter, the words of the nonce.
    c0, c1 = zero + 0x61707865, zero + 0x3320646E
    c2, c3 = zero + 0x79622D32, zero + 0x6B206574
    k0, k1 = _word(fixed, 0, zero), _word(fixed, 1, zero)
    k2, k3 = _word(fixed, 2, zero), _word(fixed, 3, zero)
    k4, k5 = _word(fixed, 4, zero), _word(fixed, 5, zero)
    k6, k7 = _word(fixed, 6, zero), _word(fixed, 7, zero)
    n0, n1, n2 = _word(fixed, 8, zero), _word(fixed, 9, zero), _word(fixed, 10, zero)
    x0, x1, x2, x3 = c0, c1, c2, c3
    x4, x5, x6, x7 = k0, k1, k2, k3
    x8, x9, x10, x11 = k4, k5, k6, k7
    x12, x13, x14, x15 = counter, n0, n1, n2
    for _ in range(10):
        x0, x4, x8, x12 = _quarter(x0, x4, x8, x12)
        x1, x5, x9, x13 = _quarter(x1, x5, x9, x13)
        x2, x6, x10, x14 = _quarter(x2, x6, x10, x14)
        x3, x7, x11, x15 = _quarter(x3, x7, x11, x15)
        x0, x5, x10, x15 = _quarter(x0, x5, x10, x15)
        x1, x6, x11, x12 = _quarter(x1, x6, x11, x12)
        x2, x7, x8, x13 = _quarter(x2, x7, x8, x13)
        x3, x4, x9, x14 = _quarter(x3, x4, x9, x14)
    _put(words + 0 * count, place, x0 + c0, inside)
    _put(words + 1 * count, place, x1 + c1, inside)
    _put(words + 2 * count, place, x2 + c2, inside)
    _put(words + 3 * count, place, x3 + c3, inside)
    _put(words + 4 * count, place, x4 + k0, inside)
    _put(words + 5 * count, place, x5 + k1, inside)
    _put(words + 6 * count, place, x6 + k2, inside)
    _put(words + 7 * count, place, x7 + k3, inside)
    _put(words + 8 * count, place, x8 + k4, inside)
    _put(words + 9 * count, place, x9 + k5, inside)
    _put(words + 10 * count, place, x10 + k6, inside)
    _put(words + 11 * count, place, x11 + k7, inside)
    _put(words + 12 * count, place, x12 + counter, inside)
    _put(words + 13 * count, place, x13 + n0, inside)
    _put(words + 14 * count, place, x14 + n1, inside)
    _put(words + 15 * count, place, x15 + n2, inside)


def block_words(fixed: torch.Tensor, counter: torch.Tensor) -> torch.Tensor:
    """Return the 16 words of each block; the first axis is the word.

    Args:
        fixed: Words of key and nonce, int32.
        counter: Numbers of the blocks, int32.
    """
    numbers = counter.reshape(-1)
    shape = (16, len(numbers))
    words = torch.empty(shape, dtype=torch.int32, device=counter.device)
    programs = triton.cdiv(len(numbers), BLOCKS)
    _kernel[(programs,)](fixed, numbers, words, len(numbers), size=BLOCKS)
    return words.view(16, *counter.shape)
