"""Two ways to replace the words of a text: as a release, and as the paper does.

A release protects every content word; one that the vocabulary lacks is replaced by a
draw that is the same for all. The paper replaces chosen words and lets the others pass,
which guarantees nothing about them: it is here only to compare numbers.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from publius.core.arrays import IdArray, Rng
from publius.core.guarantee import Guarantee, Linear, Unit
from publius.core.mechanism import Mechanism
from publius.embeddings.embedding import Embedding
from publius.language.stop_words import STOP_WORDS
from publius.language.tokenizer import Tokenizer, fold
from publius.materials.words.oov import OovPolicy
from publius.materials.words.sanitizer import Sanitizer

Replace: TypeAlias = Callable[[Sequence[str], Rng], list[str]]

RELEASE, PASSING = "all content words", "known nouns, others pass"


def releasing(embedding: Embedding, mechanism: Mechanism[IdArray, IdArray]) -> Replace:
    """Return a release of every content word."""
    cleaner = Sanitizer(Tokenizer(), embedding, mechanism, OovPolicy.UNIFORM)
    return lambda texts, rng: list(cleaner.release(texts, rng).texts)


def passing(embedding: Embedding, mechanism: Mechanism[IdArray, IdArray]) -> Replace:
    """Return a replacement of the words that the vocabulary has, and of no others."""
    return replacing(
        embedding,
        mechanism,
        lambda folded: [(i, j) for i, ws in enumerate(folded) for j in range(len(ws))],
    )


def replacing(
    embedding: Embedding,
    mechanism: Mechanism[IdArray, IdArray],
    chosen: Callable[[list[list[str]]], list[tuple[int, int]]],
) -> Replace:
    """Return a replacement of known words at the places that are chosen."""
    names = embedding.vocabulary.words
    places = {name: place for place, name in enumerate(names)}

    def replace(texts: Sequence[str], rng: Rng) -> list[str]:
        split = [text.split() for text in texts]
        folded = [[fold(word) for word in words] for words in split]
        spots = [
            (i, j)
            for i, j in chosen(folded)
            if folded[i][j] in places and folded[i][j] not in STOP_WORDS
        ]
        ids = np.array([places[folded[i][j]] for i, j in spots], dtype=np.int64)
        drawn = mechanism.perturb(ids, rng).tolist()
        for (i, j), new in zip(spots, drawn, strict=True):
            split[i][j] = names[new]
        return [" ".join(words) for words in split]

    return replace


@dataclass(frozen=True, slots=True)
class Uniform:
    """Replace every word by any word: nothing of it is left, and nothing is lost.

    Args:
        size: Number of words.
    """

    name: ClassVar[str] = "uniform"
    size: int

    def guarantee(self) -> Guarantee:
        """Return a guarantee of no loss at all."""
        return Guarantee("discrete", Unit.TOKEN, (Linear(0.0),))

    def perturb(self, x: ArrayLike, rng: Rng) -> IdArray:
        """Draw a word for each id."""
        return rng.integers(self.size, size=np.shape(x))


WAYS: dict[str, Callable[[Embedding, Mechanism[IdArray, IdArray]], Replace]] = {
    RELEASE: releasing,
    PASSING: passing,
}
