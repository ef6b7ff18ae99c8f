"""What a mechanism does to public words: nothing here comes from a protected text."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from publius.core.arrays import FloatArray, IdArray
from publius.core.mechanism import Finite, Mechanism
from publius.core.rng import seeded
from publius.mechanisms.profile import WordProfile, profile, sample_words

SHOWN = (
    "john",
    "london",
    "doctor",
    "happy",
    "money",
    "river",
    "computer",
    "winter",
    "justice",
)
EXACT_SAMPLE = 200
DRAWN_SAMPLE = 24
DRAWS = 2000
BEST = 6


@dataclass(frozen=True, slots=True)
class Replacement:
    """A word that may stand in for another, and how often it does."""

    word: str
    share: float


@dataclass(frozen=True, slots=True, eq=False)
class WordExamples:
    """Public examples and the deniability of a public sample of words.

    Args:
        examples: A few words with their most likely replacements.
        profile: Deniability of evenly spread words of the vocabulary.
        is_exact: True when computed from the channel, False when drawn.
    """

    examples: dict[str, list[Replacement]]
    profile: WordProfile
    is_exact: bool


def tell(mechanism: Mechanism[IdArray, IdArray], words: Sequence[str]) -> WordExamples:
    """Describe a mechanism by what it does to public words.

    Draws, where there is no channel, use a fixed public stream: they are not a release.
    """
    rank = {word: number for number, word in enumerate(words)}
    shown = [word for word in SHOWN if word in rank] or list(words[: len(SHOWN)])
    size, is_exact = len(words), isinstance(mechanism, Finite)
    sample = sample_words(size, EXACT_SAMPLE if is_exact else DRAWN_SAMPLE)
    deniability = profile(mechanism, sample, size, seeded(0))
    replaced = _replaced(mechanism, [rank[word] for word in shown], words)
    examples = dict(zip(shown, replaced, strict=True))
    return WordExamples(examples, deniability, is_exact)


def _replaced(
    mechanism: Mechanism[IdArray, IdArray],
    asked: list[int],
    words: Sequence[str],
) -> list[list[Replacement]]:
    shares: Iterable[FloatArray]
    if isinstance(mechanism, Finite):
        shares = np.exp(mechanism.channel(np.array(asked)))
    else:
        drawn = (mechanism.perturb(np.full(DRAWS, w), seeded(0)) for w in asked)
        shares = (np.bincount(ids, minlength=len(words)) / DRAWS for ids in drawn)
    return [_likeliest(share, words) for share in shares]


def _likeliest(share: FloatArray, words: Sequence[str]) -> list[Replacement]:
    # The words from the share of the last one on, found without sorting all.
    least = np.partition(share, -BEST)[-BEST] if len(share) > BEST else 0.0
    among = np.flatnonzero(share >= least)
    order = among[np.argsort(-share[among], kind="stable")[:BEST]]
    return [Replacement(words[i], float(share[i])) for i in order if share[i] > 0]
