"""Passages of public text with noisy words: what the model is taught."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from publius.core.arrays import IdArray, Rng
from publius.core.config import WordSettings
from publius.embeddings.like import like_table
from publius.embeddings.space_spec import LIKE
from publius.materials.words.assemble import resolved, word_embedding, word_mechanism
from publius.retelling.content import content_ids
from publius.retelling.prompt import CLEAR, prompt_of
from publius.retelling.wording import Wording

FEWEST, MOST = 3, 20
"""Content words of a passage."""
LEVELS = (2.5, 3.0, 3.5, 4.0, 5.0, CLEAR)
"""Noise of the passages, in turn; CLEAR is none."""
ORDERS = ("keep", "shuffle")
_END = re.compile(r"(?<=[.!?])\s+(?=[\"'(A-Z])")


@dataclass(frozen=True, slots=True)
class Example:
    """A prompt of released words, and the passage that they were drawn from."""

    prompt: str
    target: str


def passages_of(text: str) -> Iterator[str]:
    """Yield runs of whole sentences of at most 44 words."""
    own: list[str] = []
    for sentence in _END.split(" ".join(text.split())):
        words = sentence.split()
        if own and len(own) + len(words) > 44:
            yield " ".join(own)
            own = []
        own = words if len(words) > 44 else own + words
        if len(own) > 44:  # a sentence that is too long by itself is left out
            own = []
    if own:
        yield " ".join(own)


def examples_of(passages: Sequence[str], rng: Rng) -> list[Example]:
    """Draw the words of public passages at several levels of noise.

    Passages with too few or too many content words are left out.
    """
    settings = resolved(WordSettings(metric=LIKE))
    embedding = word_embedding(settings)
    wording = Wording(embedding.vocabulary, like_table(embedding))
    ids, counts = content_ids(passages, embedding.vocabulary)
    level = rng.integers(0, len(LEVELS), len(passages))
    drawn = _noisy(ids, np.repeat(level, counts), rng)
    order = rng.integers(0, len(ORDERS), len(passages))
    words = wording.spelled(drawn)
    made, start = [], 0
    for place, (passage, count) in enumerate(
        zip(passages, counts.tolist(), strict=True)
    ):
        own, start = words[start : start + count], start + count
        if not FEWEST <= count <= MOST:
            continue
        kind = ORDERS[order[place]]
        if kind == "shuffle":
            own = [own[i] for i in rng.permutation(count)]
        prompt = prompt_of(own, LEVELS[level[place]], kind)
        made.append(Example(prompt, f" {wording.allowed(passage)}"))
    return made


def _noisy(ids: IdArray, level: IdArray, rng: Rng) -> IdArray:
    """Return each word as drawn at its level; clear words keep to their symbol."""
    drawn = ids.copy()
    for place, epsilon in enumerate(LEVELS):
        inside = level == place
        # Words outside the vocabulary are noise at every level.
        inside = inside & (ids < 0) if epsilon == CLEAR else inside
        near = epsilon if epsilon != CLEAR else LEVELS[-2]
        settings = resolved(WordSettings(metric=LIKE, epsilon=near))
        drawn[inside] = word_mechanism(settings).perturb(ids[inside], rng)
    return drawn
