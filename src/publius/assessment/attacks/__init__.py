"""Attacks on releases: who wrote this, which word stood here.

Every authorship attack is trained on known documents and guesses the authors of
released ones; the truth reaches only the scorer.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from publius.assessment.attacks.attack import (
    Attack,
    Guesses,
    Knowledge,
    Known,
    Training,
)
from publius.assessment.attacks.delta import Delta
from publius.assessment.attacks.koppel import Koppel
from publius.assessment.attacks.nearest import NearestBag, NearestMean
from publius.assessment.attacks.neural import Neural
from publius.assessment.attacks.ngram_svm import NgramSvm
from publius.assessment.attacks.protocol import Documents, attack
from publius.assessment.attacks.word_svm import WordSvm
from publius.assessment.attacks.writeprints import Writeprints
from publius.core.arrays import FloatArray
from publius.core.errors import UnknownNameError
from publius.embeddings.embedding import Embedding


@dataclass(frozen=True, slots=True)
class Resources:
    """What some attacks need beside texts, obtained when they ask for it.

    Args:
        embedding: Loads the public word vectors.
        encoder: Loads the public sentence encoder.
        threshold: Share of votes that Koppel's attack needs for an answer.
    """

    embedding: Callable[[], Embedding]
    encoder: Callable[[], Callable[[Sequence[str]], FloatArray]]
    threshold: float = 0.0


ATTACKS: dict[str, Callable[[Resources], Training]] = {
    "delta": lambda _: Delta(),
    "koppel": lambda given: Koppel(threshold=given.threshold),
    "nearest": lambda given: NearestMean(given.embedding()),
    "nearest_emd": lambda given: NearestBag(given.embedding()),
    "neural": lambda given: Neural(given.encoder()),
    "ngram_svm": lambda _: NgramSvm(),
    "word_svm": lambda _: WordSvm(),
    "writeprints": lambda _: Writeprints("svm"),
    "writeprints_nb": lambda _: Writeprints("naive_bayes"),
}
"""Authorship attacks by name."""


def training(name: str, resources: Resources) -> Training:
    """Look an authorship attack up."""
    if name not in ATTACKS:
        raise UnknownNameError("attack", name, ATTACKS)
    return ATTACKS[name](resources)


__all__ = [
    "ATTACKS",
    "Attack",
    "Delta",
    "Documents",
    "Guesses",
    "Knowledge",
    "Known",
    "Koppel",
    "NearestBag",
    "NearestMean",
    "Neural",
    "NgramSvm",
    "Resources",
    "Training",
    "WordSvm",
    "Writeprints",
    "attack",
    "training",
]
