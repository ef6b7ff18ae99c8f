"""Texts of one number of content words, so that losses of texts can be compared."""

from collections.abc import Sequence

from publius.language.tokenizer import Tokenizer, fold
from publius.retelling.content import DROPPED

_TOKENIZER = Tokenizer()


def is_content(word: str) -> bool:
    """Say whether a word is protected, not passed."""
    return fold(word.lower()) not in DROPPED


def cut_after(text: str, words: int) -> str | None:
    """Return a text up to its `words`-th content word; None if it has fewer."""
    parts = _TOKENIZER.split(" ".join(text.split()))
    seen = 0
    for place in range(1, len(parts), 2):
        seen += is_content(parts[place])
        if seen == words:
            return "".join(parts[: place + 1])
    return None


def content_of(text: str) -> list[str]:
    """Return the content words of a text in lower case."""
    words = _TOKENIZER.split(text)[1::2]
    return [fold(word.lower()) for word in words if is_content(word)]


def with_words(text: str, new: Sequence[str]) -> str:
    """Return a text with its content words replaced one by one."""
    parts, place = _TOKENIZER.split(text), iter(new)
    for at in range(1, len(parts), 2):
        if is_content(parts[at]):
            parts[at] = next(place)
    return "".join(parts)
