"""Embeddings by name: which there are, and what is in one."""

from dataclasses import dataclass

import numpy as np

from publius.embeddings.catalogue import Entry, catalogue, entries, load_embedding
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
