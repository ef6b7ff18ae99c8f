"""The words of a batch of texts, each distinct form looked up once."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from publius.core.arrays import UNKNOWN, BoolArray, IdArray
from publius.core.errors import DataError
from publius.embeddings.vocabulary import Vocabulary
from publius.sanitize.oov import OovPolicy
from publius.text.morphology import LOWER, Morphology
from publius.text.tokenizer import Tokenizer


@dataclass(frozen=True, slots=True, eq=False)
class Words:
    """The words of a batch of texts: distinct forms, and where each one stands.

    Args:
        parts: For each text its gaps and words in turn.
        counts: Number of words of each text.
        forms: Distinct words of the batch.
        codes: For every word of every text the index of its form.
        ids: Vocabulary id of each form.
        passing: Whether each form is released as it is.
    """

    parts: list[list[str]]
    counts: IdArray
    forms: list[str]
    codes: IdArray
    ids: IdArray
    passing: BoolArray

    @property
    def protected(self) -> BoolArray:
        """Whether each word is protected."""
        return ~self.passing[self.codes]

    @property
    def owner(self) -> IdArray:
        """Number of the text that each word belongs to."""
        return np.repeat(np.arange(len(self.counts)), self.counts)


def find_words(
    texts: Sequence[str],
    tokenizer: Tokenizer,
    vocabulary: Vocabulary,
    morphology: Morphology = LOWER,
) -> Words:
    """Split texts and look up every distinct word once."""
    parts = [tokenizer.split(text) for text in texts]
    words: list[str] = []
    for pieces in parts:
        words.extend(pieces[1::2])
    index = {form: code for code, form in enumerate(dict.fromkeys(words))}
    forms = list(index)
    codes = np.fromiter(map(index.__getitem__, words), dtype=np.int64, count=len(words))
    ids = morphology.encode(forms, vocabulary.encode)
    passing = np.fromiter(map(tokenizer.passes, forms), dtype=bool, count=len(forms))
    counts = np.fromiter((len(p) // 2 for p in parts), dtype=np.int64, count=len(parts))
    return Words(parts, counts, forms, codes, ids, passing)


def refuse_unknown(ids: IdArray, oov: OovPolicy) -> None:
    """Raise if the policy refuses unknown words and there are some."""
    unknown = int((ids == UNKNOWN).sum())
    if oov is OovPolicy.REFUSE and unknown:
        raise DataError(
            f"{unknown} of {len(ids)} protected words are not in the vocabulary; "
            "choose --oov uniform or mask, or a larger vocabulary"
        )


def count_terms(
    texts: Sequence[str],
    tokenizer: Tokenizer,
    vocabulary: Vocabulary,
    oov: OovPolicy,
    morphology: Morphology = LOWER,
) -> "sp.csr_array[np.int64]":
    """Return how often each vocabulary word stands at a protected place of a text.

    Unknown words are left out, unless the policy refuses them.
    """
    words = find_words(texts, tokenizer, vocabulary, morphology)
    where = np.flatnonzero(words.protected)
    owner, ids = words.owner[where], words.ids[words.codes[where]]
    refuse_unknown(ids, oov)
    owner, ids = owner[ids != UNKNOWN], ids[ids != UNKNOWN]
    ones = np.ones(len(ids), dtype=np.int64)
    shape = (len(texts), vocabulary.size)
    return sp.csr_array(sp.coo_array((ones, (owner, ids)), shape=shape).tocsr())
