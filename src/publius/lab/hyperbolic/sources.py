"""Read the reference data of the hyperbolic experiments; nothing of it is kept."""

import gzip
import json
from dataclasses import dataclass

import numpy as np

from publius.core.arrays import FloatArray
from publius.core.errors import DataError
from publius.core.metric import Hyperbolic
from publius.embeddings.archive import open_arrays
from publius.embeddings.catalogue import DEFAULT_EMBEDDING, load_embedding
from publius.embeddings.embedding import Embedding
from publius.embeddings.poincare_words import first_senses
from publius.embeddings.vocabulary import Vocabulary
from publius.lab.directional.result import Setting

NOUNS = "wordnet/poincare_noun_10d.npz"
CLOSURE = "wordnet/noun_closure.csv.gz"
GLOVE = "vectors/glove6b_100d_top50k.npz"
WORD2VEC = "vectors/word2vec_gnews_26k_300d.npz"
SNIPS = "utility/snips.jsonl.gz"

VECTORS_ARE = (
    "Poincaré vectors of 10 dimensions trained on WordNet's noun closure stand in for "
    "the paper's of 100 dimensions, trained on WebIsADb, which is not published."
)


@dataclass(frozen=True, slots=True, eq=False)
class Nouns:
    """Frequent English nouns with hyperbolic vectors, and the synset of each."""

    embedding: Embedding
    synsets: tuple[str, ...]


def nouns(setting: Setting, size: int, among: set[str] | None = None) -> Nouns:
    """Return the `size` most frequent nouns that have a vector.

    Args:
        setting: Names the folder.
        size: Number of words.
        among: Only these words, if given.
    """
    names, vectors = _read(setting, NOUNS, "names_utf8")
    senses = first_senses(names)
    index = {name: place for place, name in enumerate(names)}
    ranked = load_embedding(DEFAULT_EMBEDDING).vocabulary.words
    words = [word for word in ranked if word in senses and (not among or word in among)]
    words = words[:size]
    if len(words) < 2:
        raise DataError("fewer than two nouns have vectors in all tables")
    synsets = tuple(senses[word] for word in words)
    rows = vectors[[index[name] for name in synsets]].astype(np.float64)
    embedding = Embedding(Vocabulary(tuple(words)), rows, Hyperbolic(), "nouns")
    return Nouns(embedding, synsets)


def euclidean(setting: Setting, name: str) -> Embedding:
    """Return one of the tables of Euclidean word vectors."""
    words, vectors = _read(setting, name, "words_utf8")
    return Embedding(Vocabulary(tuple(words)), vectors.astype(np.float32))


def snips(setting: Setting) -> dict[str, tuple[list[str], list[str]]]:
    """Return texts and intents of each split."""
    split: dict[str, tuple[list[str], list[str]]] = {}
    with gzip.open(setting.file(SNIPS), "rt", encoding="utf-8") as lines:
        for line in lines:
            row = json.loads(line)
            texts, labels = split.setdefault(row["split"], ([], []))
            texts.append(row["text"])
            labels.append(str(row["label"]))
    return split


def _read(setting: Setting, name: str, words: str) -> tuple[list[str], FloatArray]:
    with open_arrays(setting.file(name)) as members:
        return (
            members[words].tobytes().decode().split("\n"),
            np.asarray(members["vectors"]),
        )
