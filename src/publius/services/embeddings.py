"""Embeddings by name: which there are, what is in one, and new ones on this machine."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from publius.core.watch import SILENT, Watch
from publius.embeddings.catalogue import (
    Entry,
    catalogue,
    entries,
    fetch,
    load_embedding,
)
from publius.embeddings.embedding import Embedding
from publius.embeddings.like_build import Lexicon
from publius.embeddings.like_store import folded_words, with_like
from publius.embeddings.store import Provenance, write_store
from publius.embeddings.wordnet import LICENCE, SOURCE, WORDNET, has_wordnet


@dataclass(frozen=True, slots=True)
class Catalogue:
    """Every embedding that is known by name, and the lexicon."""

    entries: tuple[Entry, ...]
    has_wordnet: bool

    def to_json(self) -> dict[str, object]:
        """Return plain values."""
        rows = [
            {
                "name": entry.name,
                "words": entry.words,
                "dim": entry.dim,
                "licence": entry.provenance.licence,
                "installed": entry.installed,
                "source": entry.provenance.source,
            }
            for entry in self.entries
        ]
        net = {
            "name": WORDNET,
            "licence": LICENCE,
            "installed": self.has_wordnet,
            "source": SOURCE,
        }
        return {"embeddings": rows, "lexicons": [net]}


@dataclass(frozen=True, slots=True)
class Description:
    """Facts of one embedding by name."""

    facts: dict[str, object]

    def to_json(self) -> dict[str, object]:
        """Return plain values."""
        return dict(self.facts)


@dataclass(frozen=True, slots=True)
class Obtained:
    """A package of data that is on this machine.

    Args:
        name: What users call it.
        folder: Where it is.
    """

    name: str
    folder: Path

    def to_json(self) -> dict[str, object]:
        """Return plain values."""
        return {"name": self.name, "folder": str(self.folder)}


@dataclass(frozen=True, slots=True)
class Stored:
    """An embedding in a folder of its own.

    Args:
        folder: Use it as ``--embedding``.
        embedding: What was written there.
    """

    folder: Path
    embedding: Embedding

    def to_json(self) -> dict[str, object]:
        """Return plain values."""
        return {
            "embedding": str(self.folder),
            "words": self.embedding.size,
            "dim": self.embedding.dim,
            "metric": self.embedding.metric.id,
            "fingerprint": self.embedding.fingerprint,
            "has_like": bool(self.embedding.language.like),
        }


def known_embeddings() -> Catalogue:
    """Return the embeddings known by name."""
    return Catalogue(tuple(catalogue()), has_wordnet())


def describe_embedding(name_or_path: str) -> Description:
    """Return facts of an embedding by name or file."""
    embedding = load_embedding(name_or_path)
    length = np.linalg.norm(embedding.vectors, axis=1)
    facts: dict[str, object] = {
        "name": embedding.name,
        "words": embedding.size,
        "dim": embedding.dim,
        "metric": embedding.metric.id,
        "fingerprint": embedding.fingerprint,
        "shortest_vector": float(length.min()),
        "longest_vector": float(length.max()),
        "first_words": list(embedding.vocabulary.words[:8]),
    }
    entry = entries().get(name_or_path)
    if entry is not None:
        facts |= {
            "source": entry.provenance.source,
            "licence": entry.provenance.licence,
            "preprocessing": entry.provenance.preprocessing,
        }
    return Description(facts)


def fetch_embedding(name: str, watch: Watch = SILENT) -> Obtained:
    """Obtain an embedding of the catalogue, or WordNet, checked by its hash."""
    return Obtained(name, fetch(name, watch.stage))


def convert_embedding(
    source: Path, target: Path, vocabulary: int | None = None, *, watch: Watch = SILENT
) -> Stored:
    """Turn a file of vectors into a folder that is mapped, not read.

    Args:
        source: In any format of vectors that is known.
        target: The folder, which must not exist.
        vocabulary: Only the first so many words; None takes all.
        watch: Told how it goes.
    """
    watch.stage(f"reading {source.name}")
    embedding = load_embedding(source, vocabulary)
    watch.stage(f"writing {target.name}")
    return Stored(
        write_store(embedding, target, Provenance(source=source.name)), embedding
    )


@dataclass(frozen=True, slots=True)
class LikeRequest:
    """For which vectors the metric like is made, and of what.

    Args:
        source: The vectors, in any format that is known.
        target: The folder to write, which must not exist.
        lexicon: Public lists of the language's words.
        vocabulary: Only so many of the most frequent words.
        symbols: Words and classes that can be written; None is a quarter of the words.
    """

    source: Path
    target: Path
    lexicon: Lexicon
    vocabulary: int
    symbols: int | None = None


def make_like(request: LikeRequest, watch: Watch = SILENT) -> Stored:
    """Make the metric like for public vectors of any language."""
    source, target = request.source, request.target
    watch.stage(f"reading {source.name}")
    embedding = folded_words(load_embedding(source), request.vocabulary)
    watch.stage("folding and matching words")
    made = with_like(embedding, request.lexicon, request.symbols)
    watch.stage(f"writing {target.name}")
    done = "unit length; capital letters folded; numbers left out"
    provenance = Provenance(source.name, preprocessing=done)
    return Stored(write_store(made, target, provenance), made)
