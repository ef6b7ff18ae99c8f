"""The content words of texts: all that a retelling is made from.

Nothing else of a text goes on: stop words, punctuation, capital letters and layout are
thrown away here, before anything is drawn.
"""

from collections.abc import Sequence

import numpy as np

from publius.core.arrays import UNKNOWN, IdArray
from publius.embeddings.like import CONTRACTION, NEGATIONS
from publius.embeddings.vocabulary import Vocabulary
from publius.language.stop_words import STOP_WORDS
from publius.language.tokenizer import Tokenizer, fold

DROPPED = frozenset(
    word
    for word in STOP_WORDS
    if word not in NEGATIONS and not CONTRACTION.fullmatch(word)
)
"""Stop words without negations, which are content here: a sense must not flip."""

_TOKENIZER = Tokenizer()


def content_words(text: str) -> list[str]:
    """Return the content words of a text in their order, in lower case.

    The text is lowered first: capital letters must not decide where a word ends or
    whether it is a stop word.
    """
    words = map(fold, _TOKENIZER.split(text.lower())[1::2])
    return [word for word in words if word not in DROPPED]


def content_ids(
    texts: Sequence[str], vocabulary: Vocabulary
) -> tuple[IdArray, IdArray]:
    """Return the ids of all content words, and how many each text has."""
    words = [content_words(text) for text in texts]
    counts = np.array([len(own) for own in words], dtype=np.int64)
    return vocabulary.encode([word for own in words for word in own]), counts


def without_common(
    ids: IdArray, counts: IdArray, vocabulary: Vocabulary, common: int
) -> tuple[IdArray, IdArray]:
    """Leave out the commonest words of a vocabulary; negations stay."""
    if not common:
        return ids, counts
    negations = vocabulary.encode(sorted(NEGATIONS))
    stays = (ids >= common) | (ids == UNKNOWN) | np.isin(ids, negations)
    kept = np.bincount(np.repeat(np.arange(len(counts)), counts)[stays],
                       minlength=len(counts))  # fmt: skip
    return ids[stays], kept.astype(np.int64)
