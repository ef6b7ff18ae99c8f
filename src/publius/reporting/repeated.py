"""What a word loses that stands several times."""

from dataclasses import dataclass

from publius.core.config import WordSettings, counts_of
from publius.core.guarantee import Guarantee, JsonValue, Unit
from publius.core.stating import multiply_up

DRAWN_ONCE = (Unit.WORD, Unit.CORPUS_WORD)
"""Units of which a word is drawn once, however often it stands."""


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
    draws = [1 if guarantee.unit in DRAWN_ONCE else count for count in counts]
    return [
        Repeated(
            count,
            multiply_up(guarantee.near_level, drawn),
            multiply_up(guarantee.worst_loss, drawn),
        )
        for count, drawn in zip(counts, draws, strict=True)
    ]
