"""Sub-word tokens: a byte-level code, so that nothing is unknown."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Self

import numpy as np
from tokenizers import (
    Tokenizer,
    decoders,
    models,
    normalizers,
    pre_tokenizers,
    trainers,
)

from publius.autoencoder.architecture import BEGIN, END, PAD
from publius.core.arrays import BoolArray, IdArray, at_least
from publius.core.errors import DataError
from publius.language.stop_words import STOP_WORDS

SPECIAL = ("<pad>", "<s>", "</s>", "<blank>")
"""Their ids are PAD, BEGIN, END and BLANK."""


@dataclass(frozen=True, slots=True)
class Tokens:
    """Sentences as ids, one after the other.

    Args:
        ids: All of them.
        ends: Where each sentence stops.
    """

    ids: IdArray
    ends: IdArray

    def __len__(self) -> int:
        return len(self.ends)

    @property
    def lengths(self) -> IdArray:
        """Sub-words of each sentence."""
        return np.diff(self.ends, prepend=0)

    def rows(self, chosen: IdArray) -> tuple[IdArray, IdArray]:
        """Return sentences as rows filled up with PAD, and their lengths."""
        lengths = self.lengths[chosen]
        rows = np.full((len(chosen), max(1, lengths.max(initial=0))), PAD, np.int64)
        starts = self.ends[chosen] - lengths
        place = np.arange(rows.shape[1])[None]
        is_word = place < lengths[:, None]
        rows[is_word] = self.ids[(starts[:, None] + place)[is_word]]
        return rows, lengths


@dataclass(frozen=True, slots=True, eq=False)
class Subwords:
    """A lower-casing byte-pair code learnt from public text."""

    written: str = field(repr=False)
    coder: Tokenizer = field(repr=False)

    @classmethod
    def learn(cls, sentences: Iterable[str], size: int) -> Self:
        """Learn a code of at most `size` sub-words (256 bytes and special ones too)."""
        coder = Tokenizer(models.BPE())
        coder.normalizer = normalizers.Sequence(
            [normalizers.NFC(), normalizers.Lowercase()]
        )
        coder.pre_tokenizer = pre_tokenizers.Sequence(
            [
                pre_tokenizers.Digits(individual_digits=True),
                pre_tokenizers.ByteLevel(add_prefix_space=True),
            ]
        )
        coder.decoder = decoders.ByteLevel()
        trainer = trainers.BpeTrainer(
            vocab_size=at_least("vocabulary", size, 260),
            special_tokens=list(SPECIAL),
            initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
            show_progress=False,
        )
        coder.train_from_iterator(sentences, trainer)
        return cls(coder.to_str(), coder)

    @classmethod
    def from_json(cls, written: str) -> Self:
        """Read what ``written`` holds."""
        try:
            coder = Tokenizer.from_str(written)
        except Exception as error:
            raise DataError("not a sub-word code written by Publius") from error
        if [coder.token_to_id(name) for name in SPECIAL] != list(range(len(SPECIAL))):
            raise DataError("the sub-word code lacks the special tokens")
        return cls(written, coder)

    @property
    def size(self) -> int:
        """Number of sub-words."""
        return int(self.coder.get_vocab_size())

    def content_words(self) -> BoolArray:
        """Tell which sub-words are neither function words nor marks."""
        words = self.decode([[i] for i in range(self.size)])
        return np.array(
            [word.isalpha() and word not in STOP_WORDS for word in words], dtype=bool
        )

    def encode(self, sentences: Sequence[str]) -> list[list[int]]:
        """Return the ids of each sentence, special ones never among them."""
        # A sentence may hold the letters of a special token; they stay letters.
        encoded = self.coder.encode_batch_fast(
            [sentence.replace("<", "< ") for sentence in sentences],
            add_special_tokens=False,
        )
        return [item.ids for item in encoded]

    def decode(self, rows: Sequence[Sequence[int]]) -> list[str]:
        """Return the texts of rows of ids."""
        return [text.strip() for text in self.coder.decode_batch(list(map(list, rows)))]


def packed(rows: Sequence[Sequence[int]]) -> Tokens:
    """Put rows of ids one after the other."""
    lengths = np.fromiter((len(row) for row in rows), np.int64, len(rows))
    total = int(lengths.sum())
    ids = np.fromiter((i for row in rows for i in row), np.int64, total)
    return Tokens(ids, np.cumsum(lengths))


def pieces(ids: Sequence[int], most: int) -> list[Sequence[int]]:
    """Cut a long sentence into pieces of at most `most` sub-words, evenly."""
    count = max(1, -(-len(ids) // most))
    size = max(1, -(-len(ids) // count))
    return [ids[i : i + size] for i in range(0, max(len(ids), 1), size)]


def framed(rows: IdArray, lengths: IdArray) -> tuple[IdArray, IdArray]:
    """Return what a decoder reads (BEGIN first) and what it must say (END last)."""
    height, width = rows.shape
    read = np.full((height, width + 1), PAD, np.int64)
    read[:, 0] = BEGIN
    read[:, 1:] = rows
    said = np.full((height, width + 1), PAD, np.int64)
    said[:, :width] = rows
    said[np.arange(height), lengths] = END
    return read, said
