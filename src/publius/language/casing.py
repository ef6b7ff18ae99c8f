"""Carry the casing of a word over to its replacement."""

from collections.abc import Iterator, Sequence
from enum import IntEnum
from itertools import chain


class Casing(IntEnum):
    """How a word is written."""

    LOWER = 0
    TITLE = 1
    UPPER = 2


def casing_of(word: str) -> Casing:
    """Return the casing of a word; mixed forms count as lower."""
    if len(word) > 1 and word.isupper():
        return Casing.UPPER
    if word[:1].isupper() and (len(word) == 1 or not word[1:].isupper()):
        return Casing.TITLE
    return Casing.LOWER


def apply_casing(word: str, casing: Casing) -> str:
    """Write a word, or each word of a collocation, in a casing."""
    if casing is Casing.UPPER:
        return word.upper()
    if casing is Casing.TITLE:
        return " ".join(part[:1].upper() + part[1:] for part in word.split(" "))
    return word


def every_casing(words: Sequence[str]) -> Iterator[str]:
    """Yield every word in each casing: all at once, so that a list is quickly made.

    Args:
        words: None with a line break.
    """
    whole = "\n".join(words)
    # Capitals of a letter do not depend on its neighbours.
    upper = whole.upper().split("\n")
    title = (
        apply_casing(word, Casing.TITLE) if " " in word else word[:1].upper() + word[1:]
        for word in words
    )
    return chain.from_iterable(zip(words, title, upper, strict=True))
