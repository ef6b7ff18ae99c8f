"""Ways to look at released texts: what might tell which text was released.

A view turns texts into features and learns, from releases of two texts, a score that is
large for those of the first. Any score is sound: it is tested on other releases.
"""

import re
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeAlias

import numpy as np

from publius.core.arrays import FloatArray

Texts: TypeAlias = Sequence[str]
TextScore: TypeAlias = Callable[[Texts], FloatArray]
Embed: TypeAlias = Callable[[Texts], FloatArray]
"""Returns one vector per text, such as the mean of its words' vectors."""

Learn: TypeAlias = Callable[[Texts, Texts], TextScore]

WORD = re.compile(r"\w+(?:['’]\w+)*")
PRIOR = 1.0
"""Added to every count, so that a feature seen once proves little."""

DEVIATIONS = 1.5
"""A feature counts if its two counts differ by more standard deviations than this."""

PLACES = 64
"""Pairs of places are compared among the first so many words."""


@dataclass(frozen=True, slots=True)
class View:
    """One way to look at texts.

    Args:
        name: As it stands in a verdict.
        learn: Makes a score from releases of the first and of the second text.
    """

    name: str
    learn: Learn


def surface_views() -> tuple[View, ...]:
    """Return the views that need nothing but the texts."""
    return tuple(
        View(name, _by_features(features)) for name, features in _SURFACE.items()
    )


def embedding_view(embed: Embed) -> View:
    """Return the view of texts as vectors, by Fisher's linear discriminant."""

    def learn(x: Texts, other: Texts) -> TextScore:
        mine, theirs = embed(x), embed(other)
        gap = mine.mean(axis=0) - theirs.mean(axis=0)
        spread = np.cov(mine, rowvar=False) + np.cov(theirs, rowvar=False)
        spread = np.atleast_2d(spread)
        # A little of the identity: coordinates may be constant or copies.
        size = max(float(np.trace(spread)) / len(spread), 1e-12)
        weights = np.linalg.solve(spread + 0.01 * size * np.eye(len(spread)), gap)
        return lambda texts: np.asarray(embed(texts) @ weights)

    return View("mean vector of the words", learn)


def _by_features(features: Callable[[str], Iterable[Hashable]]) -> Learn:
    """Learn by naive Bayes: the sum of the log-odds of a text's features."""

    def learn(x: Texts, other: Texts) -> TextScore:
        mine, theirs = _counted(x, features), _counted(other, features)
        odds = {
            name: float(np.log((mine[name] + PRIOR) / (theirs[name] + PRIOR)))
            for name in mine.keys() | theirs.keys()
            # What chance explains would only add noise to the sum.
            if abs(mine[name] - theirs[name])
            > DEVIATIONS * np.sqrt(mine[name] + theirs[name])
        }

        def score(texts: Texts) -> FloatArray:
            # Sorted: a sum of floats must not depend on the order of a set.
            return np.array(
                [sum(sorted(odds.get(f, 0.0) for f in features(t))) for t in texts],
                dtype=np.float64,
            )

        return score

    return learn


def _counted(
    texts: Texts, features: Callable[[str], Iterable[Hashable]]
) -> "Counter[Hashable]":
    counts: Counter[Hashable] = Counter()
    for text in texts:
        counts.update(features(text))
    return counts


def _layout(text: str) -> Iterable[Hashable]:
    """Everything but the letters of words: gaps, casing, number of words."""
    yield WORD.sub(lambda word: _case(word.group()), text)


def _case(word: str) -> str:
    if word.isdigit():
        return "0" * len(word)
    if word.islower():
        return "a"
    return "A" if word.isupper() and len(word) > 1 else "Aa"


def _length(text: str) -> Iterable[Hashable]:
    yield len(text)


def _places(text: str) -> Iterable[Hashable]:
    return enumerate(WORD.findall(text))


def _word_grams(text: str) -> Iterable[Hashable]:
    words = WORD.findall(text)
    return [*words, *pairwise(words)]


def _characters(text: str) -> Iterable[Hashable]:
    return [text[i : i + n] for n in (1, 3) for i in range(len(text) - n + 1)]


def _repetitions(text: str) -> Iterable[Hashable]:
    """Which places hold equal words, and how many distinct words there are."""
    words = [word.lower() for word in WORD.findall(text)]
    yield len(set(words))
    last: dict[str, int] = {}
    for place, word in enumerate(words[:PLACES]):
        if word in last:
            yield (last[word], place)
        last[word] = place


def _whole(text: str) -> Iterable[Hashable]:
    yield text


_SURFACE: dict[str, Callable[[str], Iterable[Hashable]]] = {
    "layout": _layout,
    "length": _length,
    "words at their places": _places,
    "words and pairs of words": _word_grams,
    "characters": _characters,
    "repetitions": _repetitions,
    "whole text": _whole,
}
