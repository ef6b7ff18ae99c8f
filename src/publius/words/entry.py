"""What the table says about a word mechanism, and what its builders are given."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

from publius.config import WordSettings
from publius.core.arrays import IdArray
from publius.core.mechanism import Mechanism
from publius.core.space import Space
from publius.embeddings.catalogue import load_embedding
from publius.embeddings.embedding import Embedding
from publius.mechanisms.balance import Progress

WordMechanism = Mechanism[IdArray, IdArray]
Build = Callable[[Embedding, WordSettings, Progress], WordMechanism]


@lru_cache(maxsize=4)
def embedding_for(name: str, vocabulary: int | None) -> Embedding:
    """Load an embedding once per process."""
    return load_embedding(name, vocabulary)


def named_embedding(settings: WordSettings) -> Embedding:
    """Return the embedding that the settings name."""
    return embedding_for(settings.embedding, settings.vocabulary)


def named_space(embedding: Embedding, settings: WordSettings) -> Space:
    """Return the words under the metric that the settings name."""
    return embedding.space(settings.metric)


@dataclass(frozen=True, slots=True)
class WordEntry:
    """A word mechanism by name.

    Args:
        metric: Its default metric.
        build: Builds it from an embedding and settings.
        space: Returns the words under a metric that its promise may be written in.
        embedding: Returns the vocabulary that it puts out.
        draws_from_balls: Its draws on a metric of hops are faster when the balls of
            all words were prepared.
    """

    metric: str
    build: Build
    space: Callable[[Embedding, WordSettings], Space] = named_space
    embedding: Callable[[WordSettings], Embedding] = named_embedding
    draws_from_balls: bool = False
