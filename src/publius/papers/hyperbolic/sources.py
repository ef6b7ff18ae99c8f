"""What the hyperbolic experiments read: words of the package and reference data."""

import gzip
import json
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from publius.core.arrays import FloatArray
from publius.core.config import WordSettings
from publius.core.errors import DataError
from publius.embeddings.catalogue import load_embedding
from publius.embeddings.embedding import Embedding
from publius.embeddings.poincare_shipped import WORDNET_WORDS
from publius.embeddings.poincare_words import relations_behind
from publius.embeddings.relations import Relations
from publius.embeddings.vocabulary import Vocabulary
from publius.mechanisms.exponential import Exponential
from publius.mechanisms.words.general import generalising
from publius.mechanisms.words.tables import calibrated
from publius.papers.directional.result import Setting
from publius.storage.archive import open_arrays

GLOVE = "vectors/glove6b_100d_top50k.npz"
WORD2VEC = "vectors/word2vec_gnews_26k_300d.npz"
SNIPS = "utility/snips.jsonl.gz"

VOCABULARY, QUICK_VOCABULARY = 4000, 1500
"""Words at full and at reduced effort; calibrated in seconds."""

VECTORS_ARE = (
    "wordnet-poincare, 10 dimensions, trained on WordNet's nouns, stands in for the "
    "paper's vectors of 100 dimensions, trained on WebIsADb, which is not published."
)
UNSOUND = (
    "The published mechanism adds noise inside the ball: outputs of one word can be "
    "impossible for another, so its loss is infinite whatever ε says, and its ε cannot "
    "be compared with ours. Ours are proved or certified per unit of hyperbolic "
    "distance."
)


@dataclass(frozen=True, slots=True, eq=False)
class Nouns:
    """English nouns with hyperbolic vectors, and how they stand to each other."""

    embedding: Embedding
    relations: Relations


def nouns(
    setting: Setting, among: set[str] | None = None, also: Sequence[str] = ()
) -> Nouns:
    """Return the most frequent nouns of the package.

    Args:
        setting: Says how much effort.
        among: Only these words, if given.
        also: Public words to have besides, however rare.
    """
    embedding = load_embedding(WORDNET_WORDS)
    words = [w for w in embedding.vocabulary.words if among is None or w in among]
    words = words[: VOCABULARY if setting.effort >= 1 else QUICK_VOCABULARY]
    if len(words) < 2:
        raise DataError("fewer than two nouns have vectors in all tables")
    kept = embedding.restricted([*words, *also])
    relations = relations_behind(WORDNET_WORDS, kept.vocabulary.words)
    if relations is None:
        raise DataError(f"{WORDNET_WORDS} has lost its hierarchy")
    return Nouns(kept, relations)


def exponential(
    embedding: Embedding, epsilon: float, weights: str = "balanced"
) -> Exponential:
    """Return the certified exponential mechanism, from cached tables where there are.

    Args:
        embedding: Words in the ball.
        epsilon: Per unit of hyperbolic distance.
        weights: ``balanced``, ``equal``, or ``general`` for the mechanism generalising.
    """
    if weights == "general":
        settings = WordSettings(metric="hyperbolic", epsilon=epsilon)
        return generalising(embedding, settings, lambda _: None)
    space = embedding.space("hyperbolic")
    balanced = weights == "balanced"
    return Exponential(space, *calibrated(space, epsilon, balanced=balanced))


def euclidean(setting: Setting, name: str) -> Embedding:
    """Return one of the tables of Euclidean word vectors."""
    words, vectors = _read(setting, name, "words_utf8")
    return Embedding(Vocabulary(tuple(words)), vectors.astype(np.float32))


def rows_of(setting: Setting, name: str) -> list[dict[str, str]]:
    """Return the rows of a gzipped file of JSON lines."""
    with gzip.open(setting.file(name), "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def spread_out(count: int, most: int) -> Sequence[int]:
    """Return at most so many places, evenly spread over all."""
    step = max(1.0, count / most)
    return [int(i * step) for i in range(min(count, most))]


def snips(setting: Setting) -> dict[str, tuple[list[str], list[str]]]:
    """Return texts and intents of each split."""
    split: dict[str, tuple[list[str], list[str]]] = {}
    for row in rows_of(setting, SNIPS):
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
