"""A retelling whose writer spells out the released words."""

from collections.abc import Sequence

import pytest

from publius.core.arrays import Rng
from publius.core.config import WordSettings
from publius.embeddings.like import like_table
from publius.materials.words.assemble import resolved, word_embedding, word_mechanism
from publius.retelling.retelling import Cut, Retelling


class Speller:
    """Writes the released words themselves."""

    name = "speller"

    def write(self, passages: Sequence[Sequence[str]], rng: Rng) -> list[str]:
        del rng
        return [" ".join(own) for own in passages]


@pytest.fixture(scope="module")
def retelling() -> Retelling:
    """Return a retelling at ε = 3 on the shipped words."""
    words = resolved(WordSettings(metric="like", epsilon=3.0))
    embedding = word_embedding(words)
    mechanism = word_mechanism(words)
    return Retelling(embedding, like_table(embedding), mechanism, Speller(), Cut())
