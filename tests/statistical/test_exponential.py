"""Draws of the exponential mechanism follow its integers, and no other decay.

Bins are fixed beforehand: outputs in order of their expected count, joined until every
bin expects at least five.
"""

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.stats import chisquare

from publius.core.arrays import UNKNOWN
from publius.core.metric import Euclidean, Manhattan
from publius.core.rng import seeded
from publius.core.space import HopSpace, PointSpace, Space
from publius.mechanisms.exponential import Exponential

ALPHA = 1e-9
DRAWS = 400_000
SIZE = 120

pytestmark = pytest.mark.statistical


def vectors() -> Any:
    return np.random.default_rng(0).normal(size=(SIZE, 4))


def hop_space() -> HopSpace:
    distance = np.linalg.norm(vectors()[:, None] - vectors()[None], axis=2)
    near = np.argsort(distance, axis=1)[:, 1:5]
    matrix = np.zeros((SIZE, SIZE), np.float32)
    matrix[np.arange(SIZE)[:, None], near] = 1
    return HopSpace(sp.csr_array(np.maximum(matrix, matrix.T)), 4, 4, "f")


SPACES: dict[str, Space] = {
    "hop": hop_space(),
    "euclidean": PointSpace(vectors(), Euclidean()),
    "manhattan": PointSpace(vectors(), Manhattan()),
}
every_space = pytest.mark.parametrize("name", SPACES)


def p_value(drawn: Any, log_prob: Any) -> float:
    """Test draws against a law with chi-squared."""
    expected = np.exp(log_prob) * len(drawn)
    counts = np.bincount(drawn, minlength=len(expected))
    order = np.argsort(-expected)
    expected, counts = expected[order], counts[order]
    cut = int(np.searchsorted(-expected, -5.0))
    tail = expected[cut:].sum()
    if tail < 5:  # the last few join the smallest bin
        cut -= 1
    bins = np.append(expected[:cut], expected[cut:].sum())
    seen = np.append(counts[:cut], counts[cut:].sum())
    return float(chisquare(seen, bins * (seen.sum() / bins.sum())).pvalue)


@every_space
@pytest.mark.parametrize("word", [0, 57, UNKNOWN])
@pytest.mark.parametrize("prepared", [True, False])
def test_draws_follow_the_channel(
    name: str, word: int, seed: int, *, prepared: bool
) -> None:
    made = Exponential.calibrated(SPACES[name], 2.0)
    if not prepared:
        made = Exponential(made.space, made.decay, made.certificate)
    drawn = made.perturb(np.full(DRAWS, word), seeded(1000 + seed))
    assert p_value(drawn, made.channel([word])[0]) > ALPHA
    steeper = Exponential.with_beta(
        made.space, 1.05 * made.decay.beta, made.decay.weights
    )
    if word != UNKNOWN:  # 5 % off is rejected
        assert p_value(drawn, steeper.channel([word])[0]) < ALPHA


@every_space
def test_unknown_words_do_not_draw_all_words_alike(name: str, seed: int) -> None:
    # Power for the law of unknown words: they follow the public weights.
    made = Exponential.calibrated(SPACES[name], 2.0)
    drawn = made.perturb(np.full(DRAWS, UNKNOWN), seeded(2000 + seed))
    assert p_value(drawn, made.channel([UNKNOWN])[0]) > ALPHA
    assert p_value(drawn, np.full(SIZE, -np.log(SIZE))) < ALPHA


@every_space
def test_neighbours_in_a_batch_are_independent(name: str, seed: int) -> None:
    # Pairs of successive draws of one word, against the product of its law.
    made = Exponential.with_beta(SPACES[name], 2.0)
    drawn = made.perturb(np.full(DRAWS, 3), seeded(3000 + seed))
    likely = made.channel([3])[0]
    kept = (drawn == 3).astype(int)
    share = np.exp(likely[3])
    pair = np.log(
        [(1 - share) ** 2, share * (1 - share), share * (1 - share), share**2]
    )
    assert p_value(2 * kept[::2] + kept[1::2], pair) > ALPHA
    stuck = np.repeat(kept[::2], 2)  # a sampler that repeats its ticket is rejected
    assert p_value(2 * stuck[::2] + stuck[1::2], pair) < ALPHA


@every_space
def test_a_mixed_batch_follows_every_row(name: str, seed: int) -> None:
    made = Exponential.with_beta(SPACES[name], 1.5)
    ids = np.tile([3, UNKNOWN, 80, 3], DRAWS // 4)
    drawn = made.perturb(ids, seeded(4000 + seed))
    for word in (3, UNKNOWN, 80):
        assert p_value(drawn[ids == word], made.channel([word])[0]) > ALPHA
    assert p_value(drawn[ids == 3], made.channel([80])[0]) < ALPHA
