"""What the table says about a word mechanism, and what its builders are given."""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np

from publius.core.arrays import IdArray
from publius.core.config import WordSettings
from publius.core.errors import ParameterError
from publius.core.mechanism import Mechanism
from publius.core.metric import Hyperbolic
from publius.core.space import Space
from publius.embeddings.blocked import without
from publius.embeddings.catalogue import load_embedding
from publius.embeddings.embedding import Embedding
from publius.embeddings.like import with_numbers
from publius.embeddings.like_blocked import like_without
from publius.embeddings.space_spec import LIKE
from publius.mechanisms.balance import Progress
from publius.mechanisms.registry import About
from publius.mechanisms.words.block import blocked_words

WordMechanism = Mechanism[IdArray, IdArray]
Build = Callable[[Embedding, WordSettings, Progress], WordMechanism]


@lru_cache(maxsize=4)
def embedding_for(name: str, vocabulary: int | None) -> Embedding:
    """Load an embedding once per process."""
    return load_embedding(name, vocabulary)


@lru_cache(maxsize=1)
def _numbered(name: str, vocabulary: int | None) -> Embedding:
    return with_numbers(embedding_for(name, vocabulary))


@lru_cache(maxsize=2)
def _allowed(name: str, vocabulary: int | None, blocked: frozenset[str]) -> Embedding:
    return without(embedding_for(name, vocabulary), blocked)


@lru_cache(maxsize=2)
def _like_allowed(
    name: str, vocabulary: int | None, blocked: frozenset[str]
) -> Embedding:
    return like_without(embedding_for(name, vocabulary), blocked)


def named_embedding(settings: WordSettings) -> Embedding:
    """Return the embedding that the settings name, without the words they block.

    The like space knows numbers too.
    """
    name, vocabulary = settings.embedding, settings.vocabulary
    if settings.block:
        without_words = _like_allowed if settings.metric == LIKE else _allowed
        return without_words(name, vocabulary, blocked_words(settings))
    if settings.metric == LIKE:
        return _numbered(name, vocabulary)
    return embedding_for(name, vocabulary)


def named_space(embedding: Embedding, settings: WordSettings) -> Space:
    """Return the words under the metric that the settings name.

    Raises:
        ParameterError: The metric is hyperbolic and the vectors are not.
    """
    if settings.metric.partition(":")[0] == Hyperbolic.id:
        length = np.linalg.norm(embedding.vectors.astype(np.float64), axis=1)
        if not length.max() < 1:
            raise ParameterError(
                f"the vectors of {settings.embedding!r} do not lie in the Poincaré "
                "ball; choose --embedding wordnet-poincare, or train some with: "
                "publius embeddings train-poincare"
            )
    return embedding.space(settings.metric)


@dataclass(frozen=True, slots=True)
class WordEntry:
    """A word mechanism by name.

    Args:
        metric: Its default metric.
        build: Builds it from an embedding and settings.
        space: Returns the words under a metric that its guarantee may be written in.
        embedding: Returns the vocabulary that it puts out.
        has_level: Its loss between two words is ε times their distance at most, so that
            a level against near words says which ε is meant.
        draws_from_balls: Its draws on a metric of hops are faster when the balls of
            all words were prepared.
        caches_sums: Its running sums over the balls are cached for each calibration.
        about: What every surface shows of it.
        folds: It can draw on symbols that words are folded onto: the metric ``like``.
    """

    metric: str
    build: Build
    space: Callable[[Embedding, WordSettings], Space] = named_space
    embedding: Callable[[WordSettings], Embedding] = named_embedding
    has_level: bool = True
    draws_from_balls: bool = False
    caches_sums: bool = False
    about: About = field(default_factory=lambda: About(""))
    folds: bool = False
