"""Which stop words pass: those that stand free, not those joined to something else.

``AT&T``, ``A.B. Smith``, ``i.e.`` and ``state-of-the-art`` hold stop words that are
part of a name or a term. A stop word passes only if white space or the beginning of the
text stands before it, and white space or the end behind it; opening brackets may stand
between on the left, closing brackets and sentence punctuation on the right. A single
letter before a full stop is an initial and never passes. A clitic ``'s`` belongs to the
word before it: the two pass together where they are on the list together (``it's``),
and the clitic alone behind any other word.
"""

from collections.abc import Sequence
from itertools import compress

import numpy as np

from publius.core.arrays import BoolArray, IdArray
from publius.language.tokenizer import SPACES, Tokenizer, fold

OPENING = "([{（［｛「『【〔〈《"
CLOSING = ")]}）］｝」』】〕〉》"
FULL_STOPS = ".…‥。．｡۔।॥"
SENTENCE = FULL_STOPS + ",;:!?，、､；：！？،؛؟"
_CLITIC = "'s"
_CLITICS = frozenset({"'s", "'S", "’s", "’S"})
_STOPS = tuple(FULL_STOPS)
_EDGE = "\n"
"""White space put where a text begins and ends."""


def passing(
    parts: Sequence[Sequence[str]],
    forms: Sequence[str],
    codes: IdArray,
    tokenizer: Tokenizer,
) -> BoolArray:
    """Return whether each word of some texts is released as it is.

    Args:
        parts: For each text its gaps and words in turn.
        forms: Distinct words of the texts.
        codes: For every word of every text the index of its form.
        tokenizer: Says which words are stop words.
    """
    is_stop = np.fromiter(map(tokenizer.is_stop_word, forms), bool, len(forms))
    if not is_stop.any():
        return np.zeros(len(codes), dtype=bool)
    is_clitic = np.array([form in _CLITICS for form in forms])[codes]
    is_letter = np.array([len(form) == 1 for form in forms])[codes]
    is_pair = is_stop.copy()
    for place in np.flatnonzero(is_stop).tolist():
        is_pair[place] = fold(forms[place]) + _CLITIC in tokenizer.stop_words
    free_before, free_after, is_stopped = _gaps(parts)
    # A clitic has no gap before it; what follows it, follows the word that has it.
    takes_clitic = np.append(is_clitic[1:], [False])
    after = np.where(
        takes_clitic, is_pair[codes] & np.append(free_after[1:], [False]), free_after
    )
    before = free_before | is_clitic
    return np.asarray(is_stop[codes] & before & after & ~(is_letter & is_stopped))


def protected_words(text: str, tokenizer: Tokenizer) -> list[str]:
    """Return the words of a text that do not pass, in order."""
    words = tokenizer.split(text)[1::2]
    return list(compress(words, are_protected(text, tokenizer).tolist()))


def are_protected(text: str, tokenizer: Tokenizer) -> BoolArray:
    """Return whether each word of a text is protected."""
    parts = tokenizer.split(text)
    words = parts[1::2]
    index = {form: code for code, form in enumerate(dict.fromkeys(words))}
    codes = np.fromiter(map(index.__getitem__, words), np.int64, len(words))
    return ~passing([parts], list(index), codes, tokenizer)


def _gaps(parts: Sequence[Sequence[str]]) -> tuple[BoolArray, BoolArray, BoolArray]:
    """Return for every word whether it is free before, free after, before a stop."""
    gaps: list[str] = []
    for pieces in parts:
        first = len(gaps)
        gaps.extend(pieces[0::2])
        gaps[first] = _EDGE + gaps[first]
        gaps[-1] += _EDGE
    index = {gap: code for code, gap in enumerate(dict.fromkeys(gaps))}
    code = np.fromiter(map(index.__getitem__, gaps), np.int64, len(gaps))
    counts = np.fromiter((len(p) // 2 for p in parts), np.int64, len(parts))
    # A text has one gap more than words.
    place = np.arange(counts.sum()) + np.repeat(np.arange(len(parts)), counts)
    before, after = code[place], code[place + 1]
    ends = np.array([_ends_free(gap) for gap in index], dtype=bool)
    begins = np.array([_begins_free(gap) for gap in index], dtype=bool)
    stops = np.array([is_before_stop(gap) for gap in index], dtype=bool)
    return ends[before], begins[after], stops[after]


def begins_free(gap: str) -> bool:
    """Return whether a stop word before the last gap of a text is free behind it."""
    return _begins_free(gap + _EDGE)


def is_before_stop(gap: str) -> bool:
    """Return whether a gap begins with a full stop."""
    return gap.startswith(_STOPS)


def _ends_free(gap: str) -> bool:
    rest = gap.rstrip(OPENING)
    return rest != "" and rest[-1] in SPACES


def _begins_free(gap: str) -> bool:
    rest = gap.lstrip(CLOSING + SENTENCE)
    return rest != "" and rest[0] in SPACES
