"""A like space that never writes some words: their symbols are joined to allowed ones.

A blocked member of a class is left off the words that the class is written as. A symbol
that would be written as nothing is joined to another one: what meant it means that one
from then on, and its edges are that one's. No distance becomes longer, and the law and
its certificate are those of the symbols that are left.
"""

from collections.abc import Collection
from contextlib import suppress
from dataclasses import replace

import numpy as np

from publius.core.arrays import BoolArray, FloatArray, IdArray
from publius.core.errors import DataError
from publius.embeddings.blocked import is_blocked
from publius.embeddings.embedding import Embedding
from publius.embeddings.like import (
    CAP,
    LikeTable,
    like_table,
    pack,
    with_numbers,
)
from publius.embeddings.like_build import NEIGHBOURS, vector_levels
from publius.embeddings.preprocess import unit
from publius.language.stop_words import STOP_WORDS
from publius.storage.archive import Expected, read_array
from publius.storage.cache import read_cached, write_cached_array

LEVELS = "levels"
TINY = 1e-300


def like_without(embedding: Embedding, blocked: Collection[str]) -> Embedding:
    """Return an embedding with numbers whose like space never writes some words.

    Args:
        embedding: Words that have a like space.
        blocked: Words or numbers as the vocabulary writes them.

    Raises:
        DataError: No word would be left.
    """
    numbered = with_numbers(embedding)
    barred = is_blocked(numbered.vocabulary.words, blocked)
    if not barred.any():
        return numbered
    table = _allowed(like_table(embedding), barred, numbered)
    own = replace(embedding.language, like=pack(_measured(table, embedding)))
    return with_numbers(replace(embedding, language=own), blocked=int(barred.sum()))


def _allowed(table: LikeTable, barred: BoolArray, words: Embedding) -> LikeTable:
    """Return the table without blocked words; how near vectors are is still unsaid."""
    symbols = len(table.counts)
    written = ~barred[table.spoken]
    own = np.repeat(np.arange(symbols), table.counts)
    counts = np.bincount(own[written], minlength=symbols)
    silent = counts == 0
    if silent.all():
        raise DataError("the block list holds every word that could be written")
    target = np.arange(symbols)
    target[silent] = _stand_ins(table, silent, words)
    place = (np.cumsum(~silent) - 1)[target]
    first = symbols - len(table.classes)
    return LikeTable(
        table.source,
        _joined(place, table.near),
        _joined(place, table.wide),
        place[table.fold],
        table.spoken[written],
        counts[~silent],
        tuple(n for i, n in enumerate(table.classes) if not silent[first + i]),
        np.zeros(CAP + 1, dtype=np.int64),
    )


def _joined(place: IdArray, edges: IdArray) -> IdArray:
    """Return the edges between the symbols that others were joined to."""
    moved = np.sort(place[edges], axis=0)
    return np.unique(moved[:, moved[0] != moved[1]], axis=1)


def _stand_ins(table: LikeTable, silent: BoolArray, embedding: Embedding) -> IdArray:
    """Return the symbol that each silent one is joined to.

    One of its kind where there is one (a class, a stop word, another word), of these
    the nearest on the like space, of these the nearest by vector.
    """
    kind, rows = _kinds(table, embedding), _directions(table, embedding)
    free, chosen = np.flatnonzero(~silent), []
    for symbol in np.flatnonzero(silent).tolist():
        far = table.space.symbols.rows(np.array([symbol]))[0, free]
        other_kind = kind[free] != kind[symbol]
        order = np.lexsort((-rows[free] @ rows[symbol], far, other_kind))
        chosen.append(free[order[0]])
    return np.array(chosen, dtype=np.int64)


def _kinds(table: LikeTable, embedding: Embedding) -> IdArray:
    """Say of each symbol whether it is a word (0), a stop word (1) or a class (2)."""
    listed = embedding.language.stop_words
    passing = STOP_WORDS if listed is None else listed
    words, symbols = embedding.vocabulary.words, len(table.counts)
    plain = symbols - len(table.classes)
    kind = np.full(symbols, 2)
    kind[:plain] = [words[i] in passing for i in table.spoken[:plain].tolist()]
    return kind


def _directions(table: LikeTable, embedding: Embedding) -> FloatArray:
    """Return the mean direction of the words that each symbol is written as."""
    first = np.cumsum(table.counts) - table.counts
    sums = np.add.reduceat(unit(embedding.vectors)[table.spoken], first)
    return sums / np.maximum(np.linalg.norm(sums, axis=1, keepdims=True), TINY)


def _measured(table: LikeTable, embedding: Embedding) -> LikeTable:
    """Return the table with how near the nearest words by vector are, from the cache.

    Counting takes some seconds and depends on public things only.
    """
    name = f"{table.space.symbols.fingerprint}.npy"
    near = embedding.neighbours(min(NEIGHBOURS, embedding.size - 1))
    content = read_cached(LEVELS, name)
    if content is not None:
        # What is damaged is counted again.
        with suppress(DataError):
            levels = read_array(name, content)
            Expected("i", (CAP + 1,), 0, near.size).check(name, levels)
            if levels.sum() == near.size:
                return replace(table, vector_levels=levels.astype(np.int64))
    words = table.fold[: embedding.size]
    levels = vector_levels(table.near, table.wide, words, near, len(table.counts))
    write_cached_array(LEVELS, name, levels)
    return replace(table, vector_levels=levels)
