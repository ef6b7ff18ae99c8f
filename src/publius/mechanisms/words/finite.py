"""Builders of the mechanisms that draw from a table of words."""

from contextlib import suppress

import numpy as np

from publius.core.config import WordSettings, own_settings
from publius.core.errors import DataError
from publius.core.folded_space import FoldedSpace
from publius.core.space import Space, fingerprint
from publius.embeddings.embedding import Embedding
from publius.embeddings.like import like_table
from publius.mechanisms.balance import Progress
from publius.mechanisms.custext import CusText, Groups
from publius.mechanisms.exponential import Exponential
from publius.mechanisms.folded_exponential import FoldedExponential
from publius.mechanisms.graded import Graded, losses_between
from publius.mechanisms.santext import SanText
from publius.mechanisms.santext_plus import SanTextPlus, SubSpace
from publius.mechanisms.spot_check import sampled
from publius.mechanisms.words.cache_key import cache_key
from publius.mechanisms.words.entry import WordMechanism, named_space
from publius.mechanisms.words.sensitivity import sensitive_words, word_epsilons
from publius.mechanisms.words.settings import (
    CusTextSettings,
    ExponentialSettings,
    GradedSettings,
    SanTextPlusSettings,
)
from publius.mechanisms.words.tables import (
    cache_array,
    cached_array,
    cached_rows,
    calibrated,
    plain_certificate,
    whole_balls,
)
from publius.storage.archive import Expected


def exponential(
    embedding: Embedding, settings: WordSettings, progress: Progress
) -> WordMechanism:
    """Build the exponential mechanism on words, or on symbols they are folded onto."""
    space = named_space(embedding, settings)
    balanced = own_settings(settings, ExponentialSettings).balanced
    if not isinstance(space, FoldedSpace):
        return _calibrated_on(space, settings.rate, progress, balanced=balanced)
    table = like_table(embedding)
    told = table.spoken, table.counts, table.vector_near
    law = _calibrated_on(space.symbols, settings.rate, progress, balanced=balanced)
    return FoldedExponential(law, space, *told)


def _calibrated_on(
    space: Space, epsilon: float, progress: Progress, *, balanced: bool
) -> Exponential:
    decay, certificate = calibrated(
        space, epsilon, balanced=balanced, progress=progress
    )
    balls = whole_balls(space, only_cached=True)
    rows = cached_rows(space, epsilon, balls, decay, balanced=balanced)
    return Exponential(space, decay, certificate, balls, rows=rows)


def santext(
    embedding: Embedding, settings: WordSettings, progress: Progress
) -> WordMechanism:
    """Build SanText with its certificate."""
    space = named_space(embedding, settings)
    progress("certifying SanText")
    certificate = plain_certificate(space, settings.rate / 2, SanText.named(space))
    return SanText.certified(space, certificate, whole_balls(space, only_cached=True))


def santext_plus(
    embedding: Embedding, settings: WordSettings, progress: Progress
) -> WordMechanism:
    """Build SanText+, certified among its sensitive words."""
    space = named_space(embedding, settings)
    own = own_settings(settings, SanTextPlusSettings)
    flags = sensitive_words(embedding, own)
    progress("certifying SanText+")
    inside = SubSpace(space, np.flatnonzero(flags).astype(np.int64))
    certificate = plain_certificate(inside, settings.rate / 2, SanTextPlus.name)
    return SanTextPlus(space, settings.rate, flags, own.replaced, certificate)


def custext(
    embedding: Embedding, settings: WordSettings, progress: Progress
) -> WordMechanism:
    """Build CusText on greedy groups."""
    space = named_space(embedding, settings)
    progress("forming groups")
    size = own_settings(settings, CusTextSettings).group
    return CusText(space, settings.rate, _groups(space, size))


def _groups(space: Space, size: int) -> Groups:
    """Return the greedy groups of a space, from the cache where they are there."""
    key = fingerprint(space.id, str(size))
    order = cached_array(
        "groups", key, Expected("i", (2, space.size), 0, space.size - 1)
    )
    if order is not None:
        # A damaged table is formed again.
        with suppress(DataError, IndexError, ValueError):
            groups = Groups.of_order(order.astype(np.int64))
            groups.check_greedy(space, size, sampled(len(groups.members)))
            return groups
    groups = Groups.greedy(space, size)
    cache_array("groups", key, groups.order())
    return groups


def graded(
    embedding: Embedding, settings: WordSettings, progress: Progress
) -> WordMechanism:
    """Build one grade per distinct ε of the words, the strictest first."""
    own = own_settings(settings, GradedSettings)
    epsilons = word_epsilons(embedding, settings.rate, own)
    values, grades = np.unique(epsilons, return_inverse=True)
    space = named_space(embedding, settings)
    parts = tuple(
        _calibrated_on(space, value, progress, balanced=own.balanced)
        for value in values.tolist()
    )
    progress("comparing grades")
    key = cache_key(settings, embedding, fingerprint(grades, values))
    cached = cached_array("grades", key, Expected("f", (len(parts), len(parts)), 0))
    losses = (
        losses_between(parts, grades) if cached is None else cached.astype(np.float64)
    )
    if cached is None:
        cache_array("grades", key, losses)
    return Graded(parts, grades, losses)
