"""Which words are sensitive, and how much: from public lists, never from a text."""

from collections.abc import Iterator

import numpy as np

from publius.core.arrays import UNKNOWN, BoolArray, FloatArray, positive
from publius.core.errors import DataError, ParameterError
from publius.embeddings.embedding import Embedding
from publius.language.tokenizer import fold
from publius.mechanisms.words.block import list_content
from publius.mechanisms.words.settings import GradedSettings, SanTextPlusSettings

Sensitive = GradedSettings | SanTextPlusSettings
"""Settings that say which words are sensitive."""

MOST_GRADES = 8
"""Every distinct ε is one more mechanism to calibrate and to compare with others."""


def sensitive_words(embedding: Embedding, settings: Sensitive) -> BoolArray:
    """Return which words are sensitive: those of a public list, or the rarest ones."""
    flags = np.zeros(embedding.size, dtype=bool)
    if settings.sensitive_words:
        for number, _ in _listed(embedding, settings):
            flags[number] = True
    else:
        flags[embedding.size - round(settings.sensitive * embedding.size) :] = True
    if not flags.any():
        raise DataError("no word of the vocabulary is sensitive")
    return flags


def word_epsilons(
    embedding: Embedding, epsilon: float, settings: GradedSettings
) -> FloatArray:
    """Return the ε of each word: its own, that of sensitive words, or that of all.

    Args:
        embedding: The public words.
        epsilon: Of words that are not sensitive.
        settings: Which words are, and their ε.

    Raises:
        ParameterError: A sensitive word would get a larger ε than the others.
    """
    strict = settings.sensitive_epsilon or epsilon / 2
    epsilons = np.full(embedding.size, epsilon)
    epsilons[sensitive_words(embedding, settings)] = strict
    if settings.sensitive_words:
        for number, own in _listed(embedding, settings):
            epsilons[number] = strict if own is None else own
    if not epsilons.max() <= epsilon:
        raise ParameterError(
            "sensitive-epsilon, and every ε of the list, must be at most epsilon"
        )
    distinct = len(np.unique(epsilons))
    if distinct > MOST_GRADES:
        raise ParameterError(
            f"the list has {distinct} different ε; at most {MOST_GRADES} are allowed"
        )
    return epsilons


def _listed(
    embedding: Embedding, settings: Sensitive
) -> Iterator[tuple[int, float | None]]:
    """Yield the id of each listed word of the vocabulary, and its own ε if it has one.

    A line is ``word`` or ``word,epsilon``; a collocation is written with spaces.
    """
    lines = list_content(settings.sensitive_words).splitlines()
    encode = embedding.vocabulary.encode
    for place, line in enumerate(lines, start=1):
        word, comma, value = line.partition(",")
        name = fold(word.strip())
        own = _epsilon(value, place) if comma else None
        for number in encode([name, name.replace(" ", "_")]).tolist():
            if number != UNKNOWN:
                yield number, own
                break


def _epsilon(value: str, place: int) -> float:
    try:
        return positive("epsilon", float(value))
    except ValueError:
        raise DataError(
            f"line {place} of the list of sensitive words must be a word, or a word, a "
            "comma and a number > 0"
        ) from None
