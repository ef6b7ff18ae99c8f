"""The whole recipe: public texts → passages → noisy words → examples."""

import multiprocessing
import platform
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from itertools import islice
from pathlib import Path
from typing import TypeVar

from publius.core.rng import seeded
from publius.numerics.parallel import cores
from publius.retelling.teaching.examples import Example, examples_of, passages_of
from publius.retelling.teaching.texts import SOURCES, fetch_packages

SHARES = {"reviews": 0.7, "speeches": 0.22, "tales": 0.08}
"""Of the passages of packages that are asked for."""
BLOCK = 4000
"""Passages that one process draws at a time."""
T = TypeVar("T")
R = TypeVar("R")


def lesson(
    folder: Path,
    passages: int,
    own: Sequence[str] = (),
    draws: int = 1,
    tell: Callable[[str], None] = lambda _: None,
) -> list[Example]:
    """Return examples from public texts, mixed; the same ones every time.

    Args:
        folder: Where the packages are, or will be.
        passages: How many passages of packages are read.
        own: Texts that the model wrote itself; all their passages are read.
        draws: How often the words of each passage are drawn.
        tell: Told what begins.
    """
    tell("fetching public texts")
    fetch_packages(folder)
    read: list[str] = []
    for name, share in SHARES.items():
        texts = SOURCES[name](folder)
        every = (passage for text in texts for passage in passages_of(text))
        read += islice(every, round(share * passages))
    read += [passage for text in own for passage in passages_of(text)]
    tell(f"drawing the words of {len(read):,} passages {draws} times")
    order = seeded(0).permutation(len(read))
    mixed = [read[i] for i in order] * draws
    starts = range(0, len(mixed), BLOCK)
    blocks = [(mixed[start : start + BLOCK], start) for start in starts]
    return [example for made in spread(_drawn, blocks) for example in made]


def _drawn(block: tuple[list[str], int]) -> list[Example]:
    passages, start = block
    return examples_of(passages, seeded(start))


def spread(work: Callable[[T], R], blocks: Sequence[T]) -> Iterator[R]:
    """Yield ``work(block)`` in order, on all cores where there are several blocks."""
    # Windows cannot fork, and macOS not safely beside threads.
    if len(blocks) < 2 or cores() < 2 or platform.system() != "Linux":
        yield from map(work, blocks)
        return
    # Children inherit the tables that the parent has opened.
    context = multiprocessing.get_context("fork")
    with ProcessPoolExecutor(cores(), mp_context=context) as pool:
        yield from pool.map(work, blocks)
