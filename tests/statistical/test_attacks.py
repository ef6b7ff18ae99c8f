"""Attacks catch planted faults and clear what hides the author; scores cover."""

import numpy as np
import pytest
from scipy.stats import binom

from publius.assessment.attacks import (
    Documents,
    Knowledge,
    Koppel,
    NgramSvm,
    WordSvm,
    attack,
)
from publius.assessment.attacks.inversion import from_channel, guess_words
from publius.core.estimate import Estimate
from publius.numerics.scores import score_ranking

ALPHA = 1e-9
"""Chance that one assertion fails on a correct program."""

LETTERS = np.array(list("abcdefghijklmnopqrstuvwxyz"))


def _words(rng: np.random.Generator, count: int) -> list[str]:
    return ["".join(rng.choice(LETTERS, 6)) for _ in range(count)]


def _documents(rng: np.random.Generator, leak: float) -> Documents:
    """Draw words of a common list; a leaking release keeps words of the author."""
    common, own = _words(rng, 200), [_words(rng, 20) for _ in range(4)]
    authors = np.arange(400) % 4
    originals, released = [], []
    for author in authors:
        is_own = rng.random(40) < 0.3
        words = np.where(is_own, rng.choice(own[author], 40), rng.choice(common, 40))
        passed = rng.random(40) < leak
        noise = rng.choice(common, 40)
        originals.append(" ".join(words))
        released.append(" ".join(np.where(passed, words, noise)))
    return Documents(originals, released, authors, np.arange(400) < 200)


@pytest.mark.statistical
@pytest.mark.parametrize("training", [Koppel(repeats=20), NgramSvm(), WordSvm()])
@pytest.mark.parametrize("knowledge", list(Knowledge))
def test_a_leak_is_caught_and_noise_is_cleared(
    training: Koppel, knowledge: Knowledge, seed: int
) -> None:
    rng = np.random.default_rng([seed, 1])
    leaking = attack(training, _documents(rng, 0.5), knowledge, rng).accuracy
    hits = round(leaking.value * leaking.n)
    assert binom.sf(hits - 1, leaking.n, 0.25) < ALPHA
    # Every released word is drawn without the original: guessing is all that is left.
    silent = attack(training, _documents(rng, 0.0), knowledge, rng).accuracy
    hits = round(silent.value * silent.n)
    assert binom.sf(hits - 1, silent.n, 0.25) > ALPHA


@pytest.mark.statistical
def test_static_and_adaptive_differ_where_the_release_moves_words(seed: int) -> None:
    """A fixed renaming of all words fools a static attacker only."""
    rng = np.random.default_rng([seed, 2])
    plain = _documents(rng, 1.0)
    index = {
        w: i
        for i, w in enumerate(sorted({w for t in plain.originals for w in t.split()}))
    }
    renamed = [" ".join(f"w{index[w]:05}x" for w in t.split()) for t in plain.originals]
    moved = Documents(plain.originals, renamed, plain.authors, plain.is_known)
    static = attack(WordSvm(), moved, Knowledge.STATIC, rng).accuracy
    adaptive = attack(WordSvm(), moved, Knowledge.ADAPTIVE, rng).accuracy
    assert binom.sf(round(static.value * static.n) - 1, static.n, 0.25) > ALPHA
    assert binom.sf(round(adaptive.value * adaptive.n) - 1, adaptive.n, 0.25) < ALPHA


class _Table:
    """A finite channel given by a matrix."""

    name = "table.v1"

    def __init__(self, channel: np.ndarray) -> None:
        self.matrix = channel
        self.size = len(channel)

    def channel(self, x: np.ndarray) -> np.ndarray:
        return np.log(self.matrix[x])


@pytest.mark.statistical
def test_inversion_succeeds_as_often_as_bayes_vulnerability_says(seed: int) -> None:
    rng = np.random.default_rng([seed, 3])
    channel = rng.dirichlet(np.full(30, 0.3), size=30) + 1e-6
    channel /= channel.sum(axis=1, keepdims=True)
    prior = rng.dirichlet(np.ones(30))
    n = 50_000
    x = rng.choice(30, n, p=prior)
    z = (rng.random(n)[:, None] > channel[x].cumsum(axis=1)).sum(axis=1).clip(max=29)
    hits = int((guess_words(from_channel(_Table(channel), prior, z), z) == x).sum())  # type: ignore[arg-type]
    vulnerability = float((prior[:, None] * channel).max(axis=0).sum())
    two_sided = 2 * min(
        binom.cdf(hits, n, vulnerability), binom.sf(hits - 1, n, vulnerability)
    )
    assert two_sided > ALPHA
    assert binom.cdf(hits, n, vulnerability * 1.05) < ALPHA  # 5 % more is rejected


@pytest.mark.statistical
def test_intervals_cover_the_truth(seed: int) -> None:
    """Wilson and bootstrap intervals at 95 % cover in 95 % of repeats, not in 85 %."""
    rng = np.random.default_rng([seed, 4])
    repeats, n, right = 400, 200, 0.7
    wilson = sum(
        e.low <= right <= e.high
        for e in (Estimate.share(int(k), n) for k in rng.binomial(n, right, repeats))
    )
    mcc = 0
    for _ in range(repeats):
        truth = rng.integers(0, 2, n)
        answer = np.where(rng.random(n) < right, truth, 1 - truth)
        found = score_ranking(np.eye(2)[answer], truth, rng).mcc
        mcc += found.low <= 2 * right - 1 <= found.high
    for covered in (wilson, mcc):
        assert binom.cdf(covered, repeats, 0.94) > ALPHA
        assert binom.sf(covered - 1, repeats, 0.80) < ALPHA
