"""Section VII-D: phrases with low transition probabilities stand in for slot values.

The paper selects, in every data set, what is not part of a frequent sub-phrase, and
replaces only that. Here a word begins or continues such a phrase if the step to it from
the word before is rarer than most steps of the same data set. What is selected depends
on the texts themselves, so this guarantees nothing: it is for comparing numbers.

A phrase is drawn word by word. The paper feeds phrases to its algorithm, which knows
words of an embedding; of the 17,997 nouns that have vectors here none is of two words.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from publius.core.arrays import IdArray
from publius.core.mechanism import Mechanism
from publius.embeddings.embedding import Embedding
from publius.papers.hyperbolic.replacing import Replace, replacing

PHRASES = "low-transition phrases, others pass"
RAREST = 0.5
"""Share of all steps that count as rare at most."""

START = ""


@dataclass(frozen=True, slots=True, eq=False)
class Transitions:
    """How often words follow each other in some texts.

    Args:
        pairs: Of a word and the next one.
        firsts: Of a word that is followed by another.
        threshold: Steps of a smaller probability are rare.
    """

    pairs: "Counter[tuple[str, str]]"
    firsts: "Counter[str]"
    threshold: float

    @classmethod
    def learnt(cls, texts: Sequence[Sequence[str]]) -> "Transitions":
        """Count the steps of all texts, with the beginning as a word of its own."""
        pairs: Counter[tuple[str, str]] = Counter()
        for words in texts:
            pairs.update(zip((START, *words), words, strict=False))
        firsts: Counter[str] = Counter()
        for (before, _), count in pairs.items():
            firsts[before] += count
        every = [
            count / firsts[before]
            for (before, _), count in pairs.items()
            for _ in range(count)
        ]
        return cls(pairs, firsts, float(np.quantile(every, RAREST)) if every else 0.0)

    def phrases(self, words: Sequence[str]) -> list[tuple[int, int]]:
        """Return where phrases of rare steps begin and end."""
        rare = [
            self.pairs[step] < self.threshold * self.firsts[step[0]]
            for step in zip((START, *words), words, strict=False)
        ]
        edges = np.flatnonzero(np.diff([False, *rare, False]))
        return [(int(a), int(b)) for a, b in edges.reshape(-1, 2)]


def phrase_words(
    embedding: Embedding, mechanism: Mechanism[IdArray, IdArray]
) -> Replace:
    """Return a replacement of known words inside phrases of rare steps only."""

    def chosen(folded: list[list[str]]) -> list[tuple[int, int]]:
        steps = Transitions.learnt(folded)
        return [
            (i, j)
            for i, words in enumerate(folded)
            for start, stop in steps.phrases(words)
            for j in range(start, stop)
        ]

    return replacing(embedding, mechanism, chosen)
