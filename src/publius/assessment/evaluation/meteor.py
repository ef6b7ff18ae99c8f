"""METEOR (Banerjee & Lavie 2005): equal words, equal stems, synonyms of WordNet."""

import re
from collections.abc import Callable, Sequence
from functools import cache
from itertools import pairwise

import numpy as np

from publius.core.arrays import FloatArray
from publius.language.wordnet import WordNet

_WORD = re.compile(r"\w+(?:['’]\w+)*")
_ENDINGS = (
    "ations", "ation", "ingly", "edly", "ments", "ment", "ness", "ing", "ies", "ed",
    "ly", "es", "s",
)  # fmt: skip


Keys = Callable[[str], frozenset[str]]
"""Two words match if a key of one is a key of the other."""


def meteor(
    originals: Sequence[str], released: Sequence[str], wordnet: WordNet | None = None
) -> FloatArray:
    """Return the score of each released text against its original, in [0, 1].

    ``F = 10 P R / (R + 9 P)``, reduced by up to one half for broken order.

    Args:
        originals: References.
        released: Hypotheses.
        wordnet: Lets words with a common meaning match; None goes without.
    """
    stages: list[tuple[Keys, Keys]] = [(_self, _self), (_stems, _stems)]
    if wordnet is not None:
        lemmas = cache(lambda word: frozenset({word, wordnet.lemma(word)}))
        meanings = cache(
            lambda word: frozenset(
                other for lemma in lemmas(word) for other in wordnet.synonyms(lemma)
            )
        )
        stages.append((lemmas, meanings))
    pairs = zip(originals, released, strict=True)
    return np.array([_score(_words(old), _words(new), stages) for old, new in pairs])


def _words(text: str) -> list[str]:
    return _WORD.findall(text.lower())


def _score(
    reference: list[str], hypothesis: list[str], stages: list[tuple[Keys, Keys]]
) -> float:
    if not reference or not hypothesis:
        return float(reference == hypothesis)
    matched = _match(reference, hypothesis, stages)
    if not matched:
        return 0.0
    precision, recall = len(matched) / len(hypothesis), len(matched) / len(reference)
    mean = 10 * precision * recall / (recall + 9 * precision)
    places = sorted(matched.items())
    chunks = 1 + sum(
        not (b[0] == a[0] + 1 and b[1] == a[1] + 1) for a, b in pairwise(places)
    )
    return mean * (1 - 0.5 * (chunks / len(matched)) ** 3)


def _match(
    reference: list[str], hypothesis: list[str], stages: list[tuple[Keys, Keys]]
) -> dict[int, int]:
    """Pair words of the hypothesis with words of the reference, each once.

    A stage takes what the stages before it left; a word prefers the place that
    continues the run before it, which keeps the number of chunks small.
    """
    matched: dict[int, int] = {}
    taken: set[int] = set()
    for of_reference, of_hypothesis in stages:
        free: dict[str, set[int]] = {}
        for place, word in enumerate(reference):
            if place not in taken:
                for key in of_reference(word):
                    free.setdefault(key, set()).add(place)
        for place, word in enumerate(hypothesis):
            if place in matched:
                continue
            places = {p for key in of_hypothesis(word) for p in free.get(key, ())}
            places -= taken
            if not places:
                continue
            follows = matched.get(place - 1, -2) + 1
            chosen = follows if follows in places else min(places)
            matched[place] = chosen
            taken.add(chosen)
    return matched


def _self(word: str) -> frozenset[str]:
    return frozenset((word,))


def _stems(word: str) -> frozenset[str]:
    return frozenset((_stem(word),))


def _stem(word: str) -> str:
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word[: -len(ending)]
    return word
