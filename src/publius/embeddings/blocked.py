"""Words that are never written: each stays an input, folded onto an allowed word.

A blocked word is looked up as the nearest word that is allowed, before anything is
drawn. The law, its certificate and its tables are those of the allowed words alone, so
that nothing about them has to be proved anew: a blocked word has exactly the law of the
word it is folded onto.
"""

import unicodedata
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from publius.core.arrays import UNKNOWN, BoolArray, IdArray
from publius.core.errors import DataError
from publius.embeddings.embedding import Embedding, Language
from publius.embeddings.like import LikeVocabulary
from publius.embeddings.vocabulary import Vocabulary

JOINED = "_"
"""Between the words of a collocation."""


@dataclass(frozen=True, slots=True, eq=False)
class AllowedVocabulary(Vocabulary):
    """Allowed words, and blocked ones that are looked up as one of them.

    Args:
        stand_ins: Id of the allowed word that each blocked word is folded onto.
    """

    stand_ins: Mapping[str, int] = field(default_factory=dict)

    def encode(self, words: Sequence[str]) -> IdArray:
        """Return the id of each word; of a blocked word that of its stand-in."""
        # Slots make a new class, so that super() without arguments does not find it.
        ids = Vocabulary.encode(self, words)
        for place in np.flatnonzero(ids == UNKNOWN).tolist():
            ids[place] = self.stand_ins.get(words[place], UNKNOWN)
        return ids


def without(embedding: Embedding, blocked: Collection[str]) -> Embedding:
    """Return an embedding that never puts out some words and still knows them.

    Collocations with a blocked word in them are blocked too.

    Args:
        embedding: The public words.
        blocked: Words as the vocabulary writes them; others are no outputs anyway.

    Raises:
        DataError: No word would be left.
    """
    barred = is_blocked(embedding.vocabulary.words, blocked)
    if barred.all():
        raise DataError("the block list holds every word of the vocabulary")
    if not barred.any():
        return embedding
    kept = np.flatnonzero(~barred)
    words = embedding.vocabulary.words
    allowed = Embedding(
        Vocabulary(tuple(words[i] for i in kept.tolist())),
        embedding.vectors[kept],
        embedding.metric,
        embedding.name,
    )
    left_out = np.flatnonzero(barred)
    near = allowed.nearest(np.asarray(embedding.vectors[left_out], dtype=np.float64))
    stand_ins = {
        words[i]: int(j) for i, j in zip(left_out.tolist(), near.tolist(), strict=True)
    }
    vocabulary = AllowedVocabulary(allowed.vocabulary.words, stand_ins=stand_ins)
    language = Language(embedding.language.stop_words)
    return Embedding(
        vocabulary, allowed.vectors, embedding.metric, embedding.name, language
    )


def is_blocked(words: Sequence[str], blocked: Collection[str]) -> BoolArray:
    """Say which words are on a block list, or are collocations of a word on it.

    Letters with marks are the same letters in every Unicode form.
    """
    names = frozenset(map(_composed, blocked))
    return np.array(
        [
            word in names or any(part in names for part in word.split(JOINED))
            for word in map(_composed, words)
        ],
        dtype=bool,
    )


def _composed(word: str) -> str:
    return word if word.isascii() else unicodedata.normalize("NFC", word)


def stands_for(vocabulary: Vocabulary) -> int:
    """Return how many blocked words are looked up as allowed ones."""
    if isinstance(vocabulary, LikeVocabulary):
        return vocabulary.blocked
    return len(vocabulary.stand_ins) if isinstance(vocabulary, AllowedVocabulary) else 0


def told_of_blocked(vocabulary: Vocabulary) -> str:
    """Return what a guarantee says of blocked words; empty if there are none."""
    count = stands_for(vocabulary)
    if not count:
        return ""
    if isinstance(vocabulary, LikeVocabulary):
        return (
            f"{count:,} words of the vocabulary are on a public block list and are "
            "never drawn. Where one stood, an allowed word of its class, or the "
            "allowed word that it is folded onto, is drawn for: the two cannot be told "
            "apart, and its distances and losses are those of that word."
        )
    return (
        f"{count:,} words of the vocabulary are on a public block list and are never "
        "drawn. Where one stood, the allowed word nearest to it is drawn for: the two "
        "cannot be told apart, and its distances and losses are those of that word."
    )
