"""What happens to words outside the vocabulary. There is no "keep"."""

from enum import StrEnum


class OovPolicy(StrEnum):
    """How an unknown word (name, number, address, misspelling) is released."""

    UNIFORM = "uniform"
    """Replaced by a draw from one fixed law, the same for every unknown word."""

    MASK = "mask"
    """Replaced by a fixed mark, which tells that the word was unknown."""

    REFUSE = "refuse"
    """Nothing is released."""


class FunctionWords(StrEnum):
    """What happens to stop words."""

    KEEP = "keep"
    DROP = "drop"


MASK_TEXT = "[…]"
