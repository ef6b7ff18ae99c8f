"""Builders of the mechanisms that draw from a table of words."""

from dataclasses import replace
from pathlib import Path

import numpy as np

from publius.config import WordSettings
from publius.core.arrays import BoolArray
from publius.core.errors import DataError, ParameterError
from publius.core.space import fingerprint
from publius.embeddings.embedding import Embedding
from publius.mechanisms.balance import Progress
from publius.mechanisms.custext import CusText, Groups
from publius.mechanisms.exponential import Exponential
from publius.mechanisms.graded import Graded, losses_between
from publius.mechanisms.santext import SanText
from publius.mechanisms.santext_plus import SanTextPlus, SubSpace
from publius.public_tables import (
    calibrated,
    keep_array,
    kept_array,
    plain_certificate,
    whole_balls,
)
from publius.text.tokenizer import fold
from publius.words.entry import WordMechanism
from publius.words.public_key import public_key


def exponential(
    embedding: Embedding, settings: WordSettings, progress: Progress
) -> Exponential:
    """Build the exponential mechanism, calibrated to the asked ε."""
    space = embedding.space(settings.metric)
    decay, certificate = calibrated(space, settings, progress)
    return Exponential(space, decay, certificate, whole_balls(space, only_kept=True))


def santext(
    embedding: Embedding, settings: WordSettings, progress: Progress
) -> WordMechanism:
    """Build SanText with its certificate."""
    space = embedding.space(settings.metric)
    progress("certifying SanText")
    found = plain_certificate(space, settings.epsilon / 2, SanText.named(space))
    return SanText.certified(space, found, whole_balls(space, only_kept=True))


def santext_plus(
    embedding: Embedding, settings: WordSettings, progress: Progress
) -> WordMechanism:
    """Build SanText+, certified among its sensitive words."""
    space = embedding.space(settings.metric)
    flags = sensitive_words(embedding, settings)
    progress("certifying SanText+")
    inside = SubSpace(space, np.flatnonzero(flags).astype(np.int64))
    found = plain_certificate(inside, settings.epsilon / 2, SanTextPlus.name)
    return SanTextPlus(space, settings.epsilon, flags, settings.replaced, found)


def sensitive_words(embedding: Embedding, settings: WordSettings) -> BoolArray:
    """Return which words are sensitive: those of a public list, or the rarest ones."""
    flags = np.zeros(embedding.size, dtype=bool)
    if settings.sensitive_words:
        try:
            listed = Path(settings.sensitive_words).read_text("utf-8").split()
        except (OSError, UnicodeDecodeError):
            raise DataError("the list of sensitive words cannot be read") from None
        ids = embedding.vocabulary.encode([fold(word) for word in listed])
        flags[ids[ids >= 0]] = True
    else:
        flags[embedding.size - round(settings.sensitive * embedding.size) :] = True
    if not flags.any():
        raise DataError("no word of the vocabulary is sensitive")
    return flags


def custext(
    embedding: Embedding, settings: WordSettings, progress: Progress
) -> WordMechanism:
    """Build CusText on greedy groups."""
    space = embedding.space(settings.metric)
    progress("forming groups")
    return CusText(space, settings.epsilon, Groups.greedy(space, settings.group))


def graded(
    embedding: Embedding, settings: WordSettings, progress: Progress
) -> WordMechanism:
    """Build two grades: sensitive words, and all others."""
    strict = settings.sensitive_epsilon or settings.epsilon / 2
    if not strict <= settings.epsilon:
        raise ParameterError("sensitive-epsilon must be at most epsilon")
    parts = tuple(
        exponential(embedding, replace(settings, epsilon=value), progress)
        for value in (strict, settings.epsilon)
    )
    grades = np.where(sensitive_words(embedding, settings), 0, 1).astype(np.int64)
    progress("comparing grades")
    key = public_key(settings, embedding, fingerprint(grades))
    kept = kept_array("grades", key, (len(parts), len(parts)))
    losses = losses_between(parts, grades) if kept is None else kept
    if kept is None:
        keep_array("grades", key, losses)
    return Graded(parts, grades, losses)
