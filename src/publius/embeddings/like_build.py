"""Build a like space: which words are symbols, who is folded onto them, who is near.

Everything here sees public vectors and public lists only, of any language.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

import numpy as np

from publius.core.arrays import FloatArray, IdArray, at_least
from publius.core.errors import DataError, ParameterError
from publius.core.folded_space import Graph, TwoLengthSpace
from publius.embeddings.embedding import Embedding
from publius.embeddings.like import CAP, DIGITS, LikeTable, numbers_written
from publius.embeddings.like_edges import (
    Features,
    chained,
    crossed,
    folded,
    matched,
)

SYMBOLS, EDGES, ROOM, NEIGHBOURS, SPOKEN = 12_000, 10, 10, 10, 300
LARGEST = 60_000
"""Words of a like space are stored as 16 bits each."""
NEGATION = "negation"
NEIGHBOUR_CLASSES = (
    ("weekday", "month"),
    ("city", "us-state", "country"),
    ("given-name", "family-name"),
)
BLOCK = 2000


@dataclass(frozen=True, slots=True)
class Lexicon:
    """What is publicly known of the words besides their vectors.

    Args:
        stop_words: Others are not folded onto them while there is room elsewhere.
        classes: Names of classes and their members; no word is in two of them.
        blocked: Words that are read and never written.
        negation: As which word members of the class ``negation`` are written; None for
            any of them.
        tags: Shares of grammatical tags, one row per word; None where none are known.
    """

    stop_words: Collection[str] = frozenset()
    classes: Mapping[str, Collection[str]] = field(default_factory=dict)
    blocked: Collection[str] = frozenset()
    negation: str | None = None
    tags: FloatArray | None = None


def build_table(
    embedding: Embedding, lexicon: Lexicon, symbols: int = SYMBOLS
) -> LikeTable:
    """Build the like space of an embedding.

    Args:
        embedding: Words by rank without numbers, and their vectors.
        lexicon: What else is known of them.
        symbols: How many symbols there are, classes and numbers included.
    """
    _check(embedding, lexicon, at_least("symbols", symbols, 1))
    known = embedding.vocabulary
    tags = np.ones((embedding.size, 1)) if lexicon.tags is None else lexicon.tags
    features = Features.of(embedding.vectors, tags)
    classes = {name: known.encode(sorted(own)) for name, own in lexicon.classes.items()}
    blocked = known.encode(sorted(lexicon.blocked))
    classes = {name: ids[ids >= 0] for name, ids in classes.items()}
    classes = {name: ids for name, ids in classes.items() if len(ids)}
    names = [*classes, *digit_names()]
    plain, fold = _plain(embedding, lexicon, features, classes, blocked[blocked >= 0],
                         symbols - len(names))  # fmt: skip
    made = _Symbols(plain, fold)
    for name, ids in classes.items():
        written = np.setdiff1d(ids, blocked)[:SPOKEN]
        if name == NEGATION and lexicon.negation is not None:
            written = known.encode([lexicon.negation])
        if not len(written):
            raise DataError(f"every word of the class {name!r} is blocked")
        made.add(ids, written)
    for numbers in numbers_written():
        made.add_new(len(numbers))
    place = {name: len(plain) + number for number, name in enumerate(names)}
    near = np.hstack([matched(features.rows[plain], EDGES), _chains(place, names)])
    by_vector = embedding.neighbours(min(NEIGHBOURS, embedding.size - 1))
    words = made.fold[: embedding.size]
    ties = [_strongest(words, by_vector, place[name], len(plain)) for name in classes]
    wide = np.hstack([crossed(words, by_vector, len(plain)), *ties])
    return LikeTable(
        embedding.fingerprint,
        near,
        wide,
        made.fold,
        np.concatenate(made.spoken),
        np.array([1] * len(plain) + [len(own) for own in made.spoken[1:]]),
        tuple(names),
        vector_levels(near, wide, words, by_vector, made.size),
    )


def digit_names() -> list[str]:
    """Return the names of the classes of numbers."""
    names = [f"{count}-digit-number" for count in range(1, DIGITS)]
    return [*names, f"number-of-{DIGITS}-digits-or-more"]


def _check(embedding: Embedding, lexicon: Lexicon, symbols: int) -> None:
    if embedding.size > LARGEST:
        raise ParameterError(
            f"a like space has at most {LARGEST} words, got {embedding.size}; take the "
            "most frequent ones with --vocabulary"
        )
    if symbols - len(lexicon.classes) - DIGITS < EDGES + 1:
        raise ParameterError(f"a like space of {symbols} symbols has too few words")
    seen: set[str] = set()
    for name, own in lexicon.classes.items():
        if name in digit_names():
            raise ParameterError(f"the class {name!r} is one of numbers; rename it")
        if seen & set(own):
            raise DataError(f"a word of the class {name!r} is in another class too")
        seen |= set(own)


def _chains(place: Mapping[str, int], names: list[str]) -> IdArray:
    """Return edges between classes beside each other, and between digits."""
    chains = [
        tuple(place[name] for name in chain if name in place)
        for chain in NEIGHBOUR_CLASSES
    ]
    return chained(*chains, tuple(place[name] for name in names[-DIGITS:]))


class _Symbols:
    """Symbols so far: which words mean them, and as which words they are written."""

    def __init__(self, plain: IdArray, fold: IdArray) -> None:
        self.fold, self.spoken, self.size = fold, [plain], len(plain)

    def add(self, ids: IdArray, written: IdArray) -> None:
        self.fold[ids] = self.size
        self.spoken.append(written)
        self.size += 1

    def add_new(self, count: int) -> None:
        first = len(self.fold)
        self.fold = np.append(self.fold, np.full(count, -1))
        self.add(np.arange(first, first + count), np.arange(first, first + count))


def _plain(
    embedding: Embedding,
    lexicon: Lexicon,
    features: Features,
    classes: Mapping[str, IdArray],
    blocked: IdArray,
    free: int,
) -> tuple[IdArray, IdArray]:
    """Return the words that are symbols of their own, and the fold of all others."""
    words = embedding.vocabulary.words
    taken = np.concatenate([np.zeros(0, dtype=np.int64), *classes.values()])
    others = np.setdiff1d(np.arange(len(words)), taken)
    plain = np.setdiff1d(others, blocked)[:free]
    if len(plain) <= EDGES:
        raise DataError(f"a like space needs more than {EDGES} words in no class")
    rest = np.setdiff1d(others, plain)
    barred = np.array([words[i] in lexicon.stop_words for i in plain.tolist()])
    fold = np.full(len(words), -1)
    fold[plain] = np.arange(len(plain))
    if len(rest):
        fold[rest] = folded(features, plain, rest, barred, ROOM)
    return plain, fold


def _strongest(fold: IdArray, near: IdArray, symbol: int, plain: int) -> IdArray:
    """Return edges from a class to the ten words that its members are nearest to."""
    target = fold[near[fold == symbol].ravel()]
    hits = np.bincount(target[target < plain], minlength=plain)
    best = np.argsort(-hits, kind="stable")[:EDGES]
    best = best[hits[best] > 0]
    return np.stack([best, np.full(len(best), symbol)])


def vector_levels(
    near: IdArray, wide: IdArray, fold: IdArray, by_vector: IdArray, size: int
) -> IdArray:
    """Count at which distances the nearest words by vector lie."""
    space = TwoLengthSpace(Graph(near, size), Graph(wide, size), CAP, "")
    counted = np.zeros(CAP + 1, dtype=np.int64)
    for start in range(0, len(fold), BLOCK):
        part = fold[start : start + BLOCK]
        rows = space.rows(part)
        reached = np.take_along_axis(rows, fold[by_vector[start : start + BLOCK]], 1)
        counted += np.bincount(reached.astype(int).ravel(), minlength=CAP + 1)
    return counted
