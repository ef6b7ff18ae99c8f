"""How long one text may be: what bounds the memory of a release."""

from collections.abc import Sequence

from publius.core.errors import DataError

MOST_CHARACTERS = 1 << 24
"""Of one text: about three million words, held in memory as a whole."""


def refuse_long(texts: Sequence[str]) -> None:
    """Raise unless these are texts, each short enough to be held with all its words."""
    # A string is a sequence too, and some of its letters would pass as stop words.
    if isinstance(texts, str):
        raise DataError("expected a list of texts, got one string")
    for number, text in enumerate(texts, start=1):
        if not isinstance(text, str):
            raise DataError(f"text {number} of a block of rows is no string")
        if len(text) > MOST_CHARACTERS:
            raise DataError(
                f"text {number} of a block of rows has {len(text):,} characters; "
                f"{MOST_CHARACTERS:,} is the most for one text: cut it into several "
                "rows"
            )
