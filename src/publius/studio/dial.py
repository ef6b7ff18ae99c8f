"""What the slider means: for two words that are named, and for any two."""

from dataclasses import dataclass

from publius.core.config import WordSettings
from publius.materials.words.assemble import word_embedding, word_space
from publius.services.prepared import PREPARED

PAIR = ("doctor", "nurse")
"""Two words that every reader knows, and that the shipped vocabulary has."""


@dataclass(frozen=True, slots=True)
class Dial:
    """Losses of one protected word.

    Args:
        epsilon: Per unit of the metric.
        metric: Its name.
        pair: Bound on the loss between the words of ``PAIR``, by their distance.
        worst: Bound on the loss between any two words, unknown ones included.
    """

    epsilon: float
    metric: str
    pair: float
    worst: float

    @classmethod
    def of(cls, settings: WordSettings) -> "Dial":
        """Return what resolved settings mean; a function of public words."""
        guarantee = PREPARED(settings).guarantee()
        ids = word_embedding(settings).vocabulary.encode(PAIR)
        distance = float(word_space(settings).rows(ids[:1])[0][ids[1]])
        return cls(
            settings.rate,
            settings.metric,
            guarantee.at(distance).pure,
            max(guarantee.worst_loss, guarantee.landmarks.unknown_loss),
        )
