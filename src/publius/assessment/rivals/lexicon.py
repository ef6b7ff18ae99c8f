"""Words that are one piece of a language model, with the distances of the like space.

A mechanism that draws a word by the scores of a language model needs words and pieces
to be the same thing: the commonest symbols of the like space that one piece spells.
"""

from dataclasses import dataclass

import numpy as np

from publius.core.arrays import UNKNOWN, FloatArray, IdArray
from publius.embeddings.embedding import Embedding
from publius.embeddings.like import LikeTable
from publius.language.models.causal.byte_pairs import BytePairs
from publius.retelling.content import DROPPED

BLOCK = 500


@dataclass(frozen=True, slots=True, eq=False)
class Lexicon:
    """Words that can be written as one piece.

    Args:
        pieces: Piece of each word, with the space before it.
        distances: Between the words.
        lookup: Place of every word of the vocabulary here; ``len(pieces)`` for those
            whose symbol is not here.
        words: How they are spelled.
    """

    pieces: IdArray
    distances: FloatArray
    lookup: IdArray
    words: tuple[str, ...]

    @property
    def size(self) -> int:
        """Number of words; as an input, the unknown word."""
        return len(self.pieces)

    def places(self, ids: IdArray) -> IdArray:
        """Return the place of each id of the vocabulary."""
        return np.where(ids == UNKNOWN, self.size, self.lookup[ids])


def lexicon(
    embedding: Embedding, table: LikeTable, tokenizer: BytePairs, most: int
) -> Lexicon:
    """Return the commonest symbols, at most so many, that one piece spells."""
    first = np.cumsum(table.counts) - table.counts
    spoken = table.spoken[first]
    names = embedding.vocabulary.words
    symbols, pieces = [], []
    for symbol in np.argsort(spoken, kind="stable").tolist():
        word = names[spoken[symbol]]
        encoded = tokenizer.encode(f" {word}")
        is_word = word.isalpha() and word not in DROPPED and table.counts[symbol] == 1
        if is_word and len(encoded) == 1:
            symbols.append(symbol)
            pieces.append(encoded[0])
        if len(symbols) == most:
            break
    chosen = np.array(symbols, dtype=np.int64)
    blocks = [
        table.space.symbols.rows(chosen[start : start + BLOCK])[:, chosen]
        for start in range(0, len(chosen), BLOCK)
    ]
    place = np.full(len(table.counts), len(chosen))
    place[chosen] = np.arange(len(chosen))
    words = tuple(names[spoken[symbol]] for symbol in symbols)
    lookup = place[table.fold]
    return Lexicon(np.array(pieces), np.vstack(blocks), lookup, words)
