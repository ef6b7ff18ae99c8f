"""What a word loses that stands several times, and what equal draws promise."""

import math
from dataclasses import dataclass

from publius.config import WordSettings, counts_of
from publius.core.guarantee import Guarantee, JsonValue, Unit
from publius.core.stating import multiply_up, state_bound, state_odds

PLACES = {Unit.WORD: ("texts", "text"), Unit.CORPUS_WORD: ("corpora", "corpus")}
"""Where the words of a guarantee are drawn once."""


@dataclass(frozen=True, slots=True)
class Repeated:
    """Bounds for a word that stands `times` times.

    Args:
        times: Number of its places, from the settings.
        near: Loss between it and the tenth nearest word (median word).
        worst: Loss between it and any other word of the vocabulary.
    """

    times: int
    near: float
    worst: float

    def to_json(self) -> dict[str, JsonValue]:
        """Return plain values; null says that there is no bound."""
        bounds = {"near_level": self.near, "worst_pair": self.worst}
        return {
            "times": self.times,
            **{k: v if abs(v) < float("inf") else None for k, v in bounds.items()},
        }


def repeated_losses(guarantee: Guarantee, settings: WordSettings) -> list[Repeated]:
    """Return the loss for every number of places that the settings ask for.

    Where a word is drawn once the loss is the same however often it stands; where
    texts are covered as a whole the list is empty.
    """
    if guarantee.unit is Unit.DOCUMENT:
        return []
    counts = counts_of("repeats", settings.repeats)
    draws = [1 if guarantee.unit in PLACES else count for count in counts]
    return [
        Repeated(
            count,
            multiply_up(guarantee.near_level, drawn),
            multiply_up(guarantee.worst_loss, drawn),
        )
        for count, drawn in zip(counts, draws, strict=True)
    ]


def equal_draws(guarantee: Guarantee) -> str | None:
    """Return the promise of one draw per distinct word; None if places draw alone."""
    if guarantee.unit not in PLACES:
        return None
    several, one = PLACES[guarantee.unit]
    worst = guarantee.worst_loss
    if math.isinf(worst):
        return (
            f"Equal words of a {one} are replaced alike. No bound holds between two "
            "words in general; the report says which words are protected."
        )
    return (
        f"Between two {several} with the same pattern of repetitions, where one "
        f"protected word is replaced everywhere by another of the vocabulary that "
        f"stands nowhere in the {one}, odds change by at most a factor of "
        f"{state_odds(worst)} (e^{state_bound(worst)}), however often the word stands. "
        f"Which words of a {one} are equal is not hidden, and for a single place no "
        "bound holds."
    )
