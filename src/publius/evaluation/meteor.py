"""METEOR (Banerjee & Lavie 2005) with exact and stemmed matches, without synonyms."""

import re
from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from publius.core.arrays import FloatArray

_WORD = re.compile(r"\w+(?:['’]\w+)*")
_ENDINGS = (
    "ations", "ation", "ingly", "edly", "ments", "ment", "ness", "ing", "ies", "ed",
    "ly", "es", "s",
)  # fmt: skip


def meteor(originals: Sequence[str], released: Sequence[str]) -> FloatArray:
    """Return the score of each released text against its original, in [0, 1].

    ``F = 10 P R / (R + 9 P)``, reduced by up to one half for broken order.
    """
    pairs = zip(originals, released, strict=True)
    return np.array([_score(_words(old), _words(new)) for old, new in pairs])


def _words(text: str) -> list[str]:
    return _WORD.findall(text.lower())


def _score(reference: list[str], hypothesis: list[str]) -> float:
    if not reference or not hypothesis:
        return float(reference == hypothesis)
    matched = _match(reference, hypothesis)
    if not matched:
        return 0.0
    precision, recall = len(matched) / len(hypothesis), len(matched) / len(reference)
    mean = 10 * precision * recall / (recall + 9 * precision)
    places = sorted(matched.items())
    chunks = 1 + sum(
        not (b[0] == a[0] + 1 and b[1] == a[1] + 1) for a, b in pairwise(places)
    )
    return mean * (1 - 0.5 * (chunks / len(matched)) ** 3)


def _match(reference: list[str], hypothesis: list[str]) -> dict[int, int]:
    """Pair words of the hypothesis with words of the reference, each once.

    Equal words first, then equal stems; a word prefers the place that continues the
    run before it, which keeps the number of chunks small.
    """
    matched: dict[int, int] = {}
    taken: set[int] = set()
    for form in (str, _stem):
        free: dict[str, list[int]] = {}
        for place, word in enumerate(reference):
            if place not in taken:
                free.setdefault(form(word), []).append(place)
        for place, word in enumerate(hypothesis):
            places = free.get(form(word), [])
            if place in matched or not places:
                continue
            follows = matched.get(place - 1, -2) + 1
            chosen = follows if follows in places else places[0]
            places.remove(chosen)
            matched[place] = chosen
            taken.add(chosen)
    return matched


def _stem(word: str) -> str:
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word[: -len(ending)]
    return word
