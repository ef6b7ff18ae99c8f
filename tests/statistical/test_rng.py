"""The streams look random, singly and against each other."""

from typing import Any

import numpy as np
import pytest
from scipy.stats import chisquare, kstest, norm

from publius.core.arrays import Rng
from publius.core.rng import RunKey, secure, seeded

ALPHA = 1e-9
DRAWS = 200_000

pytestmark = pytest.mark.statistical


def streams(seed: int) -> list[Rng]:
    return [seeded(seed), RunKey.from_seed(seed).stream(5), secure()]


def bits_in_common(a: Any, b: Any) -> float:
    """Return how far the share of equal bits is from one half, in deviations."""
    same = np.unpackbits(~(a ^ b)).sum(dtype=np.int64)
    total = 8 * len(a)
    return float((same - total / 2) / np.sqrt(total / 4))


def octets(rng: Rng) -> Any:
    return np.frombuffer(rng.bytes(DRAWS), dtype=np.uint8)


def test_octets_are_uniform(seed: int) -> None:
    for rng in streams(seed):
        counts = np.bincount(octets(rng), minlength=256)
        assert chisquare(counts).pvalue > ALPHA
        biased = counts * np.where(np.arange(256) < 32, 1.2, 1.0)
        assert chisquare(biased).pvalue < ALPHA


def test_uniforms_are_uniform(seed: int) -> None:
    for rng in streams(seed):
        drawn = rng.random(DRAWS)
        assert kstest(drawn, "uniform").pvalue > ALPHA
        assert kstest(drawn**1.05, "uniform").pvalue < ALPHA


def test_streams_of_a_run_are_independent(seed: int) -> None:
    for key in (RunKey.from_seed(seed), RunKey.fresh()):
        first, second = octets(key.stream(0)), octets(key.stream(1))
        assert 2 * norm.sf(abs(bits_in_common(first, second))) > ALPHA
        again = octets(key.stream(0))  # the same batch shares every bit
        assert 2 * norm.sf(abs(bits_in_common(first, again))) < ALPHA


def test_two_secure_generators_share_nothing() -> None:
    first, second = octets(secure()), octets(secure())
    assert 2 * norm.sf(abs(bits_in_common(first, second))) > ALPHA
    part = np.where(np.arange(DRAWS) < DRAWS // 50, first, second)
    assert 2 * norm.sf(abs(bits_in_common(first, part))) < ALPHA  # 2 % are too many
