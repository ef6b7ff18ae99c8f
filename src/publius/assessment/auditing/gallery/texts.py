"""Releases of whole texts that violate their guarantee, audited by many releases."""

from collections.abc import Sequence

import numpy as np

from publius.assessment.auditing.gallery.words import exponential, line
from publius.assessment.auditing.sampled import Plan
from publius.assessment.auditing.text_events import audit_releases
from publius.assessment.auditing.verdict import Verdict
from publius.core.arrays import FloatArray, IdArray, Rng

PLAN = Plan(draws=20_000)
WORDS = ("ant", "bee", "cat", "dog", "elk", "fox")
"""A vocabulary on a line: neighbours are at distance 1."""

EPSILON = 1.5
END_TO_END = 1.0
"""Exact loss of ``honest_law(0.4)`` between the first word and the last."""

Text = Sequence[int]


def audit_pair(
    texts: tuple[Text, Text], law: FloatArray, claim: float, rng: Rng
) -> Verdict:
    """Audit the release of two texts, every word drawn by its row of a law."""

    def draw(which: int, count: int, rng: Rng) -> list[str]:
        columns = [draw_words(law, word, count, rng) for word in texts[which]]
        return written(np.stack(columns, axis=1))

    return audit_releases(draw, claim, PLAN, rng).verdict


def draw_words(law: FloatArray, word: int, count: int, rng: Rng) -> IdArray:
    """Draw `count` replacements of a word."""
    return np.searchsorted(np.cumsum(law[word])[:-1], rng.random(count), side="right")


def written(ids: IdArray) -> list[str]:
    """Write rows of ids as texts."""
    return [" ".join(WORDS[i] for i in row) for row in ids.tolist()]


def honest_law(epsilon: float = EPSILON) -> FloatArray:
    """Return a law that loses at most `epsilon` per unit of distance."""
    return exponential(line(len(WORDS)), epsilon / 2)


def layout_leak(rng: Rng, *, is_fixed: bool = False) -> Verdict:
    """Hours with noise, written as the secret is: with a leading zero or without."""
    hours, step = (9, 10), 1.0
    away = np.abs(np.arange(24)[:, None] - np.arange(24)[None])
    law = exponential(np.minimum(away, 24 - away).astype(np.float64), step / 2)

    def draw(which: int, count: int, rng: Rng) -> list[str]:
        width = 2 if is_fixed or hours[which] >= 10 else 1
        drawn = draw_words(law, hours[which], count, rng)
        return [f"{hour:0{width}d}:00" for hour in drawn.tolist()]

    return audit_releases(draw, step, PLAN, rng).verdict


def lying_cache(rng: Rng) -> Verdict:
    """A stored table of a ten times larger ε than report and manifest say."""
    return audit_pair(((1, 2), (1, 3)), honest_law(10 * EPSILON), EPSILON, rng)


def half_noise(rng: Rng) -> Verdict:
    """Words that stray half as far as the certificate was computed for."""
    return audit_pair(((1, 0), (1, 5)), honest_law(0.8), END_TO_END, rng)


def kept_name(rng: Rng, *, is_kept: bool = True) -> Verdict:
    """A sentence in which a name that the vocabulary lacks stays."""
    names, law = ("Quorble", "Zyxwins"), honest_law()
    uniform = np.full((1, len(WORDS)), 1 / len(WORDS))

    def draw(which: int, count: int, rng: Rng) -> list[str]:
        first = draw_words(law, 2, count, rng)
        second = draw_words(uniform, 0, count, rng)
        drawn = zip(first.tolist(), second.tolist(), strict=True)
        if is_kept:
            return [f"{WORDS[a]} {names[which]}" for a, _ in drawn]
        return [f"{WORDS[a]} {WORDS[b].title()}" for a, b in drawn]

    return audit_releases(draw, 0.0, PLAN, rng).verdict


def shared_noise(rng: Rng, *, is_shared: bool = True) -> Verdict:
    """One draw of noise for all words of a text: equal words stay equal."""
    law = honest_law()
    texts = ((2, 2), (2, 3))

    def draw(which: int, count: int, rng: Rng) -> list[str]:
        shape = (count, 1 if is_shared else 2, len(WORDS))
        noisy = np.log(law[list(texts[which])])[None] + rng.gumbel(size=shape)
        return written(np.argmax(noisy, axis=2))

    return audit_releases(draw, EPSILON, PLAN, rng).verdict


def repeated_word(rng: Rng, *, claim: float = EPSILON) -> Verdict:
    """The loss of one word, stated for a word that stands five times."""
    return audit_pair(((2,) * 5, (3,) * 5), honest_law(), claim, rng)
