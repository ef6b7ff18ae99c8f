"""Randomized response (Warner 1965) on a vocabulary: keep a word, or draw any word."""

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from publius.core.arrays import (
    UNKNOWN,
    FloatArray,
    IdArray,
    Rng,
    at_least,
    positive,
    word_ids,
)
from publius.core.config import WordSettings, own_settings
from publius.core.guarantee import Flat, Guarantee, Landmarks, Scope, Unit
from publius.embeddings.embedding import Embedding
from publius.mechanisms.balance import Progress
from publius.mechanisms.registry import About, Kind
from publius.mechanisms.words.entry import WordEntry

BITS = 53
"""The coin has this many bits; its probability is rounded to them, downwards."""


@dataclass(frozen=True)
class Settings:
    """Parameters of this mechanism alone.

    Args:
        most: Largest share of words that are kept, whatever epsilon allows.
    """

    most: float = 1.0


@dataclass(frozen=True, slots=True)
class RandomizedResponse:
    """Keep a word with probability (e^ε - 1) / (e^ε + size - 1), else draw any word.

    Guarantee:
        Pure and local: `epsilon` between any two words, unknown ones included.

    Args:
        epsilon: Loss between any two words; finite, > 0.
        size: Number of words.
        words: Fingerprint of the vocabulary.
        most: Largest share of words that are kept.
    """

    name: ClassVar[str] = "randomized-response.v1"

    epsilon: float
    size: int
    words: str = ""
    most: float = 1.0

    def __post_init__(self) -> None:
        positive("epsilon", self.epsilon)
        at_least("size", self.size, 1)

    @property
    def kept(self) -> int:
        """Coins, of 2^BITS, that keep the word."""
        odds = -math.expm1(-self.epsilon)
        share = odds / (odds + self.size * math.exp(-self.epsilon))
        return math.floor(min(share, self.most) * 2**BITS)

    def guarantee(self) -> Guarantee:
        """Return the guarantee for one word."""
        return Guarantee(
            metric=f"discrete@{self.words}",
            unit=Unit.TOKEN,
            terms=(Flat(self.epsilon),),
            scope=Scope(covered=("Which word stood at a protected position.",)),
            landmarks=Landmarks(1.0, 1.0, self.epsilon),
        )

    def channel(self, x: ArrayLike) -> FloatArray:
        """Return log P(z | x) for every word z, one row per id."""
        ids = word_ids(x, self.size)
        kept = self.kept / 2**BITS
        prob = np.full((len(ids), self.size), (1 - kept) / self.size)
        prob[ids == UNKNOWN] = 1 / self.size
        known = np.flatnonzero(ids != UNKNOWN)
        prob[known, ids[known]] += kept
        return np.log(prob)

    def perturb(self, x: ArrayLike, rng: Rng) -> IdArray:
        """Draw for each id; an unknown word draws any word alike."""
        ids = word_ids(x, self.size)
        anywhere = rng.integers(0, self.size, size=ids.shape)
        is_kept = rng.integers(0, 2**BITS, size=ids.shape) < self.kept
        return np.where(is_kept & (ids != UNKNOWN), ids, anywhere)


def build(words: Embedding, settings: WordSettings, _: Progress) -> RandomizedResponse:
    """Build the mechanism for a public vocabulary."""
    own = own_settings(settings, Settings)
    return RandomizedResponse(settings.epsilon, words.size, words.fingerprint, own.most)


ENTRY = WordEntry(
    "discrete",
    build,
    about=About(RandomizedResponse.name, Kind.LOCAL, settings=Settings),
)
