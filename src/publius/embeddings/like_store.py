"""A like space for vectors of one's own, in the folder of the embedding."""

import numpy as np

from publius.core.errors import DataError
from publius.embeddings.embedding import Embedding, Language
from publius.embeddings.like import pack
from publius.embeddings.like_build import SYMBOLS, Lexicon, build_table
from publius.embeddings.preprocess import unit
from publius.embeddings.vocabulary import Vocabulary
from publius.language.tokenizer import Tokenizer, fold

SHARE = 4
"""One symbol for so many words, unless told otherwise."""


def folded_words(embedding: Embedding, most: int | None) -> Embedding:
    """Return the words that texts can be looked up under, most frequent first.

    Words that differ in capital letters only keep the first vector. What a tokenizer
    never finds as one word is left out, and so are numbers: they have classes.

    Args:
        embedding: Words as a file has them, in order of frequency.
        most: How many are kept; None for all.
    """
    tokenizer, kept = Tokenizer(), dict[str, int]()
    for place, word in enumerate(embedding.vocabulary.words):
        name = fold(word)
        is_whole = tokenizer.split(name)[1::2] == [name]
        if is_whole and not any(letter.isdigit() for letter in name):
            kept.setdefault(name, place)
        if most is not None and len(kept) == most:
            break
    if not kept:
        raise DataError("the vectors hold no word")
    rows = np.asarray(embedding.vectors[list(kept.values())], dtype=np.float64)
    return Embedding(
        Vocabulary(tuple(kept)),
        unit(rows).astype(np.float32),
        embedding.metric,
        embedding.name,
    )


def with_like(
    embedding: Embedding, lexicon: Lexicon, symbols: int | None = None
) -> Embedding:
    """Return an embedding with stop words and a like space of its own.

    Args:
        embedding: Words in lower case, without numbers.
        lexicon: Public lists.
        symbols: How many can be written; None for a quarter of the words.
    """
    usual = min(SYMBOLS, max(embedding.size // SHARE, min(embedding.size, 100)))
    table = build_table(embedding, lexicon, symbols or usual)
    language = Language(frozenset(lexicon.stop_words), pack(table))
    return Embedding(
        embedding.vocabulary,
        embedding.vectors,
        embedding.metric,
        embedding.name,
        language,
    )
