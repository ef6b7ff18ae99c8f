"""Representation: words as vectors, and the distances between them."""

from publius.embeddings.catalogue import DEFAULT_EMBEDDING, load_embedding
from publius.embeddings.embedding import Embedding, Restriction
from publius.embeddings.nearest import NEAREST, Nearest
from publius.embeddings.space_spec import DEFAULT_SPACE, SpaceSpec, parse_space
from publius.embeddings.vocabulary import Vocabulary
from publius.storage.cache import cache_folder

__all__ = [
    "DEFAULT_EMBEDDING",
    "DEFAULT_SPACE",
    "NEAREST",
    "Embedding",
    "Nearest",
    "Restriction",
    "SpaceSpec",
    "Vocabulary",
    "cache_folder",
    "load_embedding",
    "parse_space",
]
