"""The units of a batch of texts, each distinct form looked up once.

A unit is a word, or a collocation that the vocabulary has as one entry.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby

import numpy as np
import scipy

from publius.core.arrays import UNKNOWN, BoolArray, IdArray
from publius.core.errors import DataError
from publius.embeddings.vocabulary import Vocabulary
from publius.language.collocations import Collocations, Units
from publius.language.length import refuse_long
from publius.language.morphology import LOWER, Morphology
from publius.language.passing import passing
from publius.language.tokenizer import Tokenizer
from publius.materials.words.oov import OovPolicy

TEXT_BREAK = "\n\n"
"""Stands before the first word of each text, where no collocation has it."""


@dataclass(frozen=True, slots=True, eq=False)
class Words:
    """The units of a batch of texts: distinct forms, and where each one stands.

    Args:
        parts: For each text its gaps and units in turn.
        counts: Number of units of each text.
        forms: Distinct units of the batch.
        codes: For every unit of every text the index of its form.
        ids: Vocabulary id of each form.
        protected: Whether each unit is protected; the others pass.
    """

    parts: list[list[str]]
    counts: IdArray
    forms: list[str]
    codes: IdArray
    ids: IdArray
    protected: BoolArray

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
    """Split texts and look up every distinct unit once."""
    refuse_long(texts)
    parts = [tokenizer.split(text) for text in texts]
    forms, codes = _coded(parts)
    joined: dict[str, int] = {}
    if has_collocations(vocabulary, tokenizer):
        joined = _join(parts, _collocations(parts, forms, codes, vocabulary, tokenizer))
        forms, codes = _coded(parts) if joined else (forms, codes)
    ids = morphology.encode(forms, vocabulary.encode)
    if joined:
        own = [joined.get(form, UNKNOWN) for form in forms]
        ids = np.where(np.array(own) == UNKNOWN, ids, own)
    counts = np.fromiter((len(p) // 2 for p in parts), dtype=np.int64, count=len(parts))
    protected = ~passing(parts, forms, codes, tokenizer)
    return Words(parts, counts, forms, codes, ids, protected)


def has_collocations(vocabulary: Vocabulary, tokenizer: Tokenizer) -> bool:
    """Say whether several words of a text may be one unit."""
    return tokenizer.collocations and collocations_of(vocabulary, tokenizer).size > 0


@lru_cache(maxsize=4)
def collocations_of(vocabulary: Vocabulary, tokenizer: Tokenizer) -> Collocations:
    """Return what finds the collocations of a vocabulary, prepared once."""
    return Collocations(vocabulary.words, tokenizer)


def _coded(parts: list[list[str]]) -> tuple[list[str], IdArray]:
    """Return the distinct words, and for every word the index of its form."""
    words: list[str] = []
    for pieces in parts:
        words.extend(pieces[1::2])
    index = {form: code for code, form in enumerate(dict.fromkeys(words))}
    codes = np.fromiter(map(index.__getitem__, words), dtype=np.int64, count=len(words))
    return list(index), codes


def _collocations(
    parts: list[list[str]],
    forms: list[str],
    codes: IdArray,
    vocabulary: Vocabulary,
    tokenizer: Tokenizer,
) -> Units:
    gaps: list[str] = []
    for pieces in parts:
        if len(pieces) > 1:
            # No unit goes over from one text to the next.
            gaps.append(TEXT_BREAK)
            gaps.extend(pieces[2:-1:2])
    return collocations_of(vocabulary, tokenizer).find(forms, codes, gaps)


def _join(parts: list[list[str]], units: Units) -> dict[str, int]:
    """Make each collocation one part of its text; return the id of each such form."""
    counts = np.fromiter((len(p) // 2 for p in parts), dtype=np.int64, count=len(parts))
    first = np.cumsum(counts) - counts
    owner = np.repeat(np.arange(len(parts)), counts)[units.starts]
    place = units.starts - first[owner]
    joined: dict[str, int] = {}
    rows = np.stack([owner, place, units.lengths, units.ids], axis=1).tolist()
    for text, inside in groupby(rows, key=lambda unit: unit[0]):
        old, new, done = parts[text], [], 0
        for _, start, length, number in inside:
            begin, end = 2 * start + 1, 2 * (start + length)
            form = "".join(old[begin:end])
            new += [*old[done:begin], form]
            joined[form], done = number, end
        parts[text] = [*new, *old[done:]]
    return joined


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
) -> "scipy.sparse.csr_array[np.int64]":
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
    return scipy.sparse.csr_array(
        scipy.sparse.coo_array((ones, (owner, ids)), shape=shape).tocsr()
    )
