"""Embeddings by name."""

from publius.core.errors import UnknownNameError
from publius.embeddings.embedding import Embedding, Restriction
from publius.embeddings.shipped import read_shipped

DEFAULT_EMBEDDING = "glove-50k"


def load_embedding(name: str, vocabulary: Restriction = None) -> Embedding:
    """Return an embedding by name, restricted to some of its words."""
    if name != DEFAULT_EMBEDDING:
        raise UnknownNameError("embedding", name, [DEFAULT_EMBEDDING])
    return read_shipped(name).restricted(vocabulary)
