"""What an owner should know about texts before they are drawn for; never published."""

import re
from collections.abc import Sequence

import numpy as np

from publius.core.arrays import UNKNOWN
from publius.embeddings.vocabulary import Vocabulary
from publius.language.languages import (
    ENGLISH,
    LEAST,
    language_of,
    language_of_list,
)
from publius.language.stop_words import STOP_WORDS

MOST = 200_000
"""Characters that are looked at."""

COMMON = 1_000
"""Words of a vocabulary, its most frequent ones, that tell its language."""

NUMERIC = 0.8
KNOWN = 0.5

_OTHER_WORDS = (
    "Choose an embedding of the language with --embedding FILE, or leave these texts "
    "out."
)
_OTHER_FORM = (
    "Release them word by word with an embedding of the language (--embedding FILE), "
    "or leave these texts out."
)

_NUMBER = re.compile(r"[\s\d.,:;/%+()€$£-]+\Z")
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")


def text_remarks(
    texts: Sequence[str | None], vocabulary: Vocabulary | None = None
) -> list[str]:
    """Return what looks wrong with texts, for the terminal of whoever owns them.

    Args:
        texts: Some cells of the protected column.
        vocabulary: The public words; None for a model of English.
    """
    cells = [text for text in texts if text and not text.isspace()]
    if not cells:
        return []
    if sum(bool(_NUMBER.match(cell)) for cell in cells) >= NUMERIC * len(cells):
        return [
            "The protected column holds numbers and next to no text: is it the right "
            "one? Times and places have commands of their own."
        ]
    return language_remarks(" ".join(cells), vocabulary)


def is_long_enough(text: str) -> bool:
    """Say whether a text may tell its language, before a vocabulary is loaded."""
    return len(text.split()) >= LEAST


def language_remarks(text: str, vocabulary: Vocabulary | None = None) -> list[str]:
    """Say that a text is of another language than the words it is drawn from."""
    words = _WORD.findall(text[:MOST].lower().replace("’", "'"))
    own = language_of(words)
    known = ENGLISH
    if vocabulary is not None:
        known = language_of_list(vocabulary.words[:COMMON])
    if own and known and own != known:
        advice = _OTHER_WORDS if vocabulary is not None else _OTHER_FORM
        return [
            f"The texts look {own}, and what replaces their words is {known}: many "
            f"words count as unknown, others as a word of the same spelling. {advice}"
        ]
    content = [word for word in words if word not in STOP_WORDS]
    if vocabulary is None or len(content) < LEAST:
        return []
    share = float(np.mean(vocabulary.encode(content) != UNKNOWN))
    if share >= KNOWN:
        return []
    return [
        f"Only {share:.0%} of the words that were looked at are in the vocabulary; all "
        "others are replaced by one and the same law. Is the text of another language, "
        "or is the vocabulary too small for it?"
    ]
