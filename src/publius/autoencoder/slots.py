"""Which sentences of which texts are rewritten, and where the rewritten ones stand."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from publius.autoencoder import sentences
from publius.autoencoder.subwords import Subwords, Tokens, packed, pieces
from publius.core.arrays import IdArray, at_least
from publius.core.errors import DataError
from publius.language.length import refuse_long

_HALF = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Slots:
    """One place for each sentence that leaves, also for one that is not there.

    Args:
        tokens: Sub-words of the sentences that are there.
        places: The slot of each of them, rising.
        owners: The text of each slot, not falling.
    """

    tokens: Tokens
    places: IdArray
    owners: IdArray

    def __len__(self) -> int:
        return len(self.owners)

    def between(self, start: int, stop: int) -> IdArray:
        """Return which sentences have slots in ``[start, stop)``, short ones first."""
        first, end = np.searchsorted(self.places, (start, stop))
        order = np.argsort(self.tokens.lengths[first:end], kind="stable")
        return np.asarray(first + order, dtype=np.int64)

    def counts(self, texts: int) -> IdArray:
        """Return the number of slots of each text."""
        return np.bincount(self.owners, minlength=texts).astype(np.int64)


def slots(
    texts: Sequence[str], subwords: Subwords, most: int, count: int | None
) -> Slots:
    """Cut texts into sentences, and give each a slot.

    Args:
        texts: Secret texts.
        subwords: The code of their words.
        most: Sub-words of a sentence; a longer one is several.
        count: Slots of every text: of more sentences the first are taken, of fewer
            some slots hold none. None gives a text as many as it has sentences.
    """
    if count is not None:
        count = at_least("sentences", count, 1)
    sentence_texts, text_of = sentences_of(texts, count)
    rows, sentence_of = pieces_of(sentence_texts, subwords, most)
    owners = text_of[sentence_of]
    if count is None:
        return Slots(packed(rows), np.arange(len(rows)), owners)
    rank = np.arange(len(rows)) - np.searchsorted(owners, owners)
    is_taken = rank < count
    taken = [rows[i] for i in np.flatnonzero(is_taken).tolist()]
    return Slots(
        packed(taken),
        (owners * count + rank)[is_taken],
        np.repeat(np.arange(len(texts)), count),
    )


def sentences_of(
    texts: Sequence[str], most: int | None = None
) -> tuple[list[str], IdArray]:
    """Return the sentences of texts, of each its first, and the text of each."""
    refuse_long(texts)
    sentence_texts: list[str] = []
    owners: list[int] = []
    for number, text in enumerate(texts):
        if _HALF.search(text):
            raise DataError(
                f"text {number} holds half of a surrogate pair; that is no Unicode "
                "character"
            )
        parts = sentences.split(text)[:most]
        sentence_texts += parts
        owners += [number] * len(parts)
    return sentence_texts, np.array(owners, dtype=np.int64)


def pieces_of(
    sentence_texts: Sequence[str], subwords: Subwords, most: int
) -> tuple[list[Sequence[int]], IdArray]:
    """Return pieces of at most `most` sub-words, and the sentence of each."""
    rows: list[Sequence[int]] = []
    owners: list[int] = []
    for number, ids in enumerate(subwords.encode(sentence_texts)):
        parts = pieces(ids, most)
        rows += parts
        owners += [number] * len(parts)
    return rows, np.array(owners, dtype=np.int64)
