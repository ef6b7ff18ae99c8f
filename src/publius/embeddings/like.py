"""The like space of words: symbols, classes of names and numbers, edges.

A symbol is one of the commonest words, or a class such as given names. Every word is
folded onto a symbol; a class is written as one of its members, drawn afterwards from a
public list. Numbers belong to classes by how many digits they have.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from publius.core.arrays import UNKNOWN, IdArray
from publius.core.errors import DataError, ParameterError
from publius.core.folded_space import FoldedSpace, Graph, TwoLengthSpace
from publius.core.space import fingerprint
from publius.embeddings.derived import SHIPPED
from publius.embeddings.embedding import SPACES, Embedding
from publius.embeddings.space_spec import LIKE, SpaceSpec
from publius.embeddings.vocabulary import Vocabulary
from publius.storage.archive import open_arrays, pack_arrays
from publius.storage.shipped import shipped_bytes

CAP = 4
DIGITS = 7
"""Numbers of so many digits, or more, are one class."""
NEGATIONS = frozenset({"not", "no", "never", "nor", "neither", "cannot"})
NUMBER = re.compile(r"[+]?\d[\d.,:/'-]*")
CONTRACTION = re.compile(r"[a-z]+n't")


@cache
def numbers_written() -> tuple[tuple[str, ...], ...]:
    """Return the numbers that each class of digits is written as."""
    lists = [range(10), range(10, 100), range(100, 1000, 9), range(1900, 2030)]
    lists += [range(s, 10 * s, 3 * s // 20) for s in (10**4, 10**5, 10**6)]
    return tuple(tuple(map(str, numbers)) for numbers in lists)


@dataclass(frozen=True, slots=True, eq=False)
class LikeVocabulary(Vocabulary):
    """Words and numbers; every number and contracted negation has an id.

    Args:
        source: Fingerprint of the embedding that the words are of.
        denied: What an English contraction such as "don't" is looked up as.
        blocked: How many of the words are on a block list.
    """

    source: str = ""
    denied: str = ""
    blocked: int = 0

    def encode(self, words: Sequence[str]) -> IdArray:
        """Return the id of each word; of a number, that of its class's first one."""
        # Slots make a new class, so that super() without arguments does not find it.
        ids = Vocabulary.encode(self, words)
        missing = np.flatnonzero(ids == UNKNOWN)
        stand_ins = [_stand_in(words[i], self.denied) for i in missing.tolist()]
        ids[missing] = Vocabulary.encode(self, stand_ins)
        return ids


def _stand_in(word: str, denied: str) -> str:
    """Return the entry that a form outside the list is looked up as."""
    if word.isalpha():
        return ""
    if NUMBER.fullmatch(word):
        digits = sum(letter.isdigit() for letter in word)
        return numbers_written()[min(digits, DIGITS) - 1][0]
    return denied if CONTRACTION.fullmatch(word) else ""


@dataclass(frozen=True, slots=True, eq=False)
class LikeTable:
    """What is shipped about a like space.

    Args:
        source: Fingerprint of the embedding whose words are folded.
        near: Edges of length 1, ``(2, count)``.
        wide: Edges of length 2.
        fold: Symbol of every word, then of every number.
        spoken: Words and numbers that symbols are written as, symbol after symbol.
        counts: How many of them each symbol has.
        classes: Names of the last symbols.
        vector_levels: How many of the ten nearest words by vector of all words lie at
            distance 0, 1, … cap.
    """

    source: str
    near: IdArray
    wide: IdArray
    fold: IdArray
    spoken: IdArray
    counts: IdArray
    classes: tuple[str, ...]
    vector_levels: IdArray
    _space: list[FoldedSpace] = field(default_factory=list, init=False, repr=False)

    def __post_init__(self) -> None:
        words, symbols = len(self.fold), len(self.counts)
        if not (self.counts >= 1).all() or self.counts.sum() != len(self.spoken):
            raise DataError("every symbol of a like space must be written somehow")
        if not ((self.spoken >= 0) & (self.spoken < words)).all():
            raise DataError("a symbol of a like space is written as no word")
        own = np.repeat(np.arange(symbols), self.counts)
        if not np.array_equal(self.fold[self.spoken], own):
            raise DataError("a symbol is written as a word that means another symbol")
        for edges in (self.near, self.wide):
            if not ((edges >= 0) & (edges < symbols)).all():
                raise DataError("an edge of a like space joins no symbol")

    @property
    def space(self) -> FoldedSpace:
        """Words and numbers under the metric."""
        if not self._space:
            size = len(self.counts)
            parts = (self.near, self.wide, self.fold, self.spoken, self.counts)
            mark = fingerprint(self.source, *(part.astype(np.int64) for part in parts))
            near, wide = Graph(self.near, size), Graph(self.wide, size)
            symbols = TwoLengthSpace(near, wide, CAP, mark)
            self._space.append(FoldedSpace(symbols, self.fold))
        return self._space[0]

    @property
    def vector_near(self) -> tuple[float, int]:
        """Mean and largest distance of a word to its ten nearest by vector."""
        levels = np.arange(len(self.vector_levels))
        mean = float(self.vector_levels @ levels / self.vector_levels.sum())
        return mean, int(levels[self.vector_levels > 0].max())

    def class_of(self, symbol: int) -> str:
        """Return the name of a symbol's class; empty for an ordinary word."""
        place = symbol - (len(self.counts) - len(self.classes))
        return self.classes[place] if place >= 0 else ""


def pack(table: LikeTable) -> bytes:
    """Return the bytes of a table for the package."""
    members: dict[str, NDArray[np.generic]] = {
        "source": np.frombuffer(table.source.encode(), dtype=np.uint8),
        "classes": np.frombuffer("\n".join(table.classes).encode(), dtype=np.uint8),
        "fold": table.fold.astype(np.uint16),
        "spoken": table.spoken.astype(np.uint16),
        "counts": table.counts.astype(np.uint16),
        "vector_levels": table.vector_levels.astype(np.int64),
    }
    for name, edges in (("near", table.near), ("wide", table.wide)):
        order = np.lexsort((edges[1], edges[0]))
        degree = np.bincount(edges[0], minlength=len(table.counts))
        members[f"{name}_counts"] = degree.astype(np.uint16)
        members[name] = edges[1][order].astype(np.uint16)
    return pack_arrays(members)


def unpack(name: str, content: bytes) -> LikeTable:
    """Return a table from bytes that ``pack`` wrote."""
    with open_arrays(Path(name), content) as members:
        arrays = {name: np.asarray(members[name]) for name in members.files}
    try:
        edges = {}
        for kind in ("near", "wide"):
            degree = arrays[f"{kind}_counts"].astype(np.int64)
            source = np.repeat(np.arange(len(degree)), degree)
            edges[kind] = np.stack([source, arrays[kind].astype(np.int64)])
        return LikeTable(
            source=arrays["source"].tobytes().decode(),
            classes=tuple(arrays["classes"].tobytes().decode().split("\n")),
            near=edges["near"],
            wide=edges["wide"],
            **{
                kind: arrays[kind].astype(np.int64)
                for kind in ("fold", "spoken", "counts", "vector_levels")
            },
        )
    except (KeyError, ValueError, UnicodeDecodeError):
        raise DataError(f"{name} holds no like space") from None


@lru_cache(maxsize=1)
def shipped_tables() -> Mapping[str, LikeTable]:
    """Return the like spaces of the package by the embedding they belong to."""
    paths = sorted(SHIPPED.glob("*-like.npz"))
    tables = (unpack(path.name, shipped_bytes(path)) for path in paths)
    return {table.source: table for table in tables}


def has_like(embedding: Embedding) -> bool:
    """Say whether an embedding has a like space, its own or one of the package."""
    return bool(embedding.language.like) or embedding.fingerprint in shipped_tables()


def like_table(embedding: Embedding) -> LikeTable:
    """Return the like space of an embedding.

    Raises:
        ParameterError: There is none for it.
    """
    source = embedding.fingerprint
    if isinstance(embedding.vocabulary, LikeVocabulary):
        source = embedding.vocabulary.source
    if embedding.language.like:
        return _own_table(embedding.language.like, source)
    if source not in shipped_tables():
        raise ParameterError(
            "these words have no metric 'like', which belongs to all words of an "
            "embedding: leave out --vocabulary, make one with publius embeddings like, "
            "or choose another --metric"
        )
    return shipped_tables()[source]


@lru_cache(maxsize=2)
def _own_table(content: bytes, source: str) -> LikeTable:
    table = unpack("the like space", content)
    if table.source != source:
        raise DataError("the like space is one of another embedding; make it again")
    return table


def with_numbers(embedding: Embedding, blocked: int = 0) -> Embedding:
    """Return an embedding whose vocabulary has the numbers of its like space too.

    A number has the vector of the word "number", or the mean of all: a like space does
    not look at it.

    Args:
        embedding: Words that have a like space.
        blocked: How many of its words that space never writes by a block list.
    """
    table = like_table(embedding)
    numbers = tuple(number for own in numbers_written() for number in own)
    words = (*embedding.vocabulary.words, *numbers)
    denied = "not" if table.source in shipped_tables() else ""
    vocabulary = LikeVocabulary(
        words, source=embedding.fingerprint, denied=denied, blocked=blocked
    )
    place = int(embedding.vocabulary.encode(["number"])[0])
    own = embedding.vectors.mean(axis=0)
    if place != UNKNOWN:
        own = embedding.vectors[place]
    vectors = np.concatenate([embedding.vectors, np.tile(own, (len(numbers), 1))])
    return Embedding(
        vocabulary, vectors, embedding.metric, embedding.name, embedding.language
    )


def _like_space(embedding: Embedding, _: SpaceSpec) -> FoldedSpace:
    return like_table(embedding).space


SPACES[LIKE] = _like_space
