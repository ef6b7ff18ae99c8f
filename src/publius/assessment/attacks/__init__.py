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
from publius.core.plugins import plugged, plugged_names, wrong
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
"""Authorship attacks of Publius by name."""

GROUP = "publius.attacks"
"""Entry points under this name point to a function from `Resources` to `Training`."""


def attack_names() -> list[str]:
    """Return the names of all authorship attacks, those of other packages included."""
    return sorted([*ATTACKS, *plugged_names(GROUP, ATTACKS)])


def training(name: str, resources: Resources) -> Training:
    """Look an authorship attack up.

    Raises:
        ParameterError: A package takes a name of Publius, or gives no attack.
    """
    if name in ATTACKS:
        return ATTACKS[name](resources)
    for one in plugged(GROUP, ATTACKS):
        if one.name == name:
            if not callable(one.value):
                raise wrong(one, "function that returns an attack")
            return one.value(resources)
    raise UnknownNameError("attack", name, attack_names())


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
    "attack_names",
    "training",
]
