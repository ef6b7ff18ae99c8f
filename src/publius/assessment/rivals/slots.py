"""Texts as slots: pieces that are given and pieces that are drawn, batch by batch.

A row reads a prompt and then one piece after the other; each is fixed beforehand or
drawn from the scores at its place. A paraphrase is a prompt with drawn pieces only, a
text with new words has its own pieces where words pass and a draw for each other word.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from publius.assessment.rivals.lexicon import Lexicon
from publius.core.arrays import FloatArray, IdArray, Rng
from publius.embeddings.vocabulary import Vocabulary
from publius.language.models.causal.byte_pairs import BytePairs
from publius.language.tokenizer import Tokenizer, fold
from publius.retelling.content import DROPPED

FREE = -1
"""A slot that any piece may fill."""
_TOKENIZER = Tokenizer()

Draw = Callable[[FloatArray, IdArray, Rng], IdArray]
"""Scores of all pieces and the secret of each row → a piece for each row.

The secret is FREE, or the place of a word in a lexicon."""


@dataclass(frozen=True, slots=True)
class Script:
    """What one text is written from.

    Args:
        prompt: Pieces that are read first.
        slots: A piece that is given, FREE, or ``-2 - place`` of a secret word.
    """

    prompt: tuple[int, ...]
    slots: tuple[int, ...]


class Steps(Protocol):
    """A language model that reads several rows piece by piece."""

    def begin(self, prompts: Sequence[Sequence[int]], longest: int) -> FloatArray:
        """Read prompts; return the scores of all pieces after each."""
        ...

    def advance(self, pieces: IdArray) -> FloatArray:
        """Read one more piece in every row; return the scores after it."""
        ...


def filled(
    steps: Steps, scripts: Sequence[Script], draw: Draw, rng: Rng, *, batch: int = 32
) -> list[list[int]]:
    """Return the pieces of every row, given and drawn ones.

    Rows of like length share a batch. Which rows do changes nothing but the random
    numbers that they meet.
    """
    order = sorted(range(len(scripts)), key=lambda row: len(scripts[row].slots))
    written: list[list[int]] = [[] for _ in scripts]
    for start in range(0, len(order), batch):
        rows = order[start : start + batch]
        for row, own in zip(rows, _batch(steps, [scripts[r] for r in rows], draw, rng),
                            strict=True):  # fmt: skip
            written[row] = own
    return written


def _batch(
    steps: Steps, scripts: list[Script], draw: Draw, rng: Rng
) -> list[list[int]]:
    longest = max(len(script.slots) for script in scripts)
    # A row that has ended reads anything: nothing of it is kept.
    slots = np.zeros((len(scripts), longest), dtype=np.int64)
    for row, script in enumerate(scripts):
        slots[row, : len(script.slots)] = script.slots
    scores = steps.begin([script.prompt for script in scripts], longest)
    for step in range(longest):
        given = slots[:, step]
        drawn = np.flatnonzero(given < 0)
        if len(drawn):
            secret = np.where(given[drawn] == FREE, FREE, -2 - given[drawn])
            slots[drawn, step] = draw(scores[drawn], secret, rng)
        if step + 1 < longest:
            scores = steps.advance(slots[:, step])
    return [
        slots[row, : len(script.slots)].tolist() for row, script in enumerate(scripts)
    ]


def until(pieces: Sequence[int], ends: Sequence[int]) -> list[int]:
    """Return the pieces before the first end."""
    stop = next((i for i, piece in enumerate(pieces) if piece in ends), len(pieces))
    return list(pieces[:stop])


def slots_of(
    text: str, tokenizer: BytePairs, lexicon: Lexicon, vocabulary: Vocabulary
) -> tuple[int, ...]:
    """Return a text with its stop words and punctuation given, all else secret.

    A drawn word brings the space before it and no capital letter.
    """
    parts = _TOKENIZER.split(text)
    slots: list[int] = []
    passed = ""
    for place, part in enumerate(parts):
        if place % 2 == 0 or fold(part.lower()) in DROPPED:
            passed += part
            continue
        slots += tokenizer.encode(passed.removesuffix(" "))
        passed = ""
        known = vocabulary.encode([fold(part.lower())])
        slots.append(-2 - int(lexicon.places(known)[0]))
    return (*slots, *tokenizer.encode(passed))
