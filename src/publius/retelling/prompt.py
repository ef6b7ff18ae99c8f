"""The prompt that a passage is written from: released words and public settings."""

from collections.abc import Sequence

LEVELS = (2.5, 3.0, 3.5, 4.0, 5.0)
"""ε of the like space that the model was taught with; a prompt names the nearest."""
CLEAR = 9.0
"""Named where the words carry no noise; taught, and of use to nobody's secret."""


def prompt_of(words: Sequence[str], epsilon: float, order: str) -> str:
    """Return what the taught model is asked.

    Args:
        words: Released words of one passage.
        epsilon: Of the mechanism that released them: a public setting.
        order: ``keep`` if they stand in the order of the text, else ``shuffle``.
    """
    level = min((*LEVELS, CLEAR), key=lambda known: abs(known - epsilon))
    head = "Words" if order == "keep" else "Any order"
    return f"Level {level:g}. {head}: {', '.join(words)}\nText:"


def plain_prompt(words: Sequence[str], order: str) -> str:
    """Return what a model that was not taught is asked, in plain English."""
    ordered = "in this order" if order == "keep" else "in any order"
    return (
        "Write a short passage of natural English, two or three sentences, that uses "
        f"these words {ordered}. Some of them are wrong: replace or leave out those "
        "that do not fit. Answer with the passage only.\n"
        f"Words: {', '.join(words)}"
    )
