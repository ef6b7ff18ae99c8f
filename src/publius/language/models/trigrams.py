"""A trigram model of spoken English that runs offline: pocketsphinx's, fetched once.

It judges how texts read and wrote none of them. The file is a trie that is packed in
bits: word → word before it → word before that, with probabilities and back-offs of 16
bits that name one of 65,536 values.
"""

import math
import re
import struct
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Self

import numpy as np
from numpy.typing import NDArray

from publius.core.arrays import FloatArray, IdArray
from publius.core.errors import DataError, FetchError
from publius.language.models.fetched import Fetched
from publius.storage.packages import PythonPackage

SPHINX = Fetched(
    "language-models/sphinx-trigrams",
    PythonPackage(
        "pocketsphinx",
        "5.1.1",
        "bb8fd0fc7fb08dd8f85da21f5121f34ebf4186a5bee91ce85e2d358e69a448bf",
        # Only data is read: the same wheel serves every Python and system.
        ("cp311", "manylinux2014_x86_64"),
    ),
    {"en-us.lm.bin": "pocketsphinx/model/en-us/en-us.lm.bin"},
)
_MAGIC = b"Trie Language Model"
_VALUES = 1 << 16
_UNIT = math.log(1.0001)
"""Probabilities are stored as logarithms to this base."""
_WORD = re.compile(r"[a-z]+(?:'[a-z]+)*")
BEGIN = "<s>"


@dataclass(frozen=True, slots=True, eq=False)
class BackoffTrigrams:
    """Probability of a word after the two before it, backing off to fewer.

    Args:
        index: Number of each word.
        log_probability: Of single words, of pairs and of triples; natural logarithms.
        backoff: Of single words and of pairs.
        pairs: Sorted keys ``word * words + word before``.
        triples: Sorted keys ``place of the pair * words + word before that``.
    """

    index: dict[str, int] = field(repr=False)
    log_probability: tuple[FloatArray, FloatArray, FloatArray] = field(repr=False)
    backoff: tuple[FloatArray, FloatArray] = field(repr=False)
    pairs: IdArray = field(repr=False)
    triples: IdArray = field(repr=False)

    @classmethod
    def read(cls, content: bytes) -> Self:
        """Read the trie of a file.

        Raises:
            DataError: It is not such a file.
        """
        try:
            return cls._read(content)
        except (IndexError, ValueError, struct.error):
            raise DataError("the file is not a packed trigram model") from None

    @classmethod
    def _read(cls, content: bytes) -> Self:
        start = len(_MAGIC)
        order, *counts = struct.unpack_from("<B3I", content, start)
        if not content.startswith(_MAGIC) or order != 3:
            raise ValueError
        start += struct.calcsize("<B3I") + 4
        tables = np.frombuffer(content, "<f4", 3 * _VALUES, start).reshape(3, -1)
        tables = tables.astype(np.float64) * _UNIT
        start += 3 * _VALUES * 4
        kind = np.dtype([("p", "<f4"), ("b", "<f4"), ("next", "<u4")])
        single = np.frombuffer(content, kind, counts[0] + 1, start)
        start += single.nbytes
        width, reach = counts[0].bit_length(), counts[2].bit_length()
        pair_bits = (width, 16, 16, reach)
        pair = _unpacked(content, start, counts[1] + 1, pair_bits)
        start += _bytes(counts[1] + 1, pair_bits)
        triple = _unpacked(content, start, counts[2], (width, 16))
        start += _bytes(counts[2] + 1, (width, 16))
        words = content[start + 4 :].decode("utf-8").split("\0")[: counts[0]]
        if len(words) != counts[0]:
            raise ValueError
        # The header may count entries that were dropped; the edges do not.
        edges = single["next"].astype(np.int64)
        before, low, high, first = (part[: edges[-1] + 1] for part in pair)
        earlier, value = (part[: first[-1]] for part in triple)
        word = np.repeat(np.arange(counts[0]), np.diff(edges))
        parent = np.repeat(np.arange(edges[-1]), np.diff(first))
        keys = parent * counts[0] + earlier
        # The published file has two triples out of order.
        order = np.argsort(keys, kind="stable")
        plain = single.astype([("p", "f8"), ("b", "f8"), ("next", "i8")])[:-1]
        return cls(
            {form: place for place, form in enumerate(words)},
            (plain["p"] * _UNIT, tables[0][high[:-1]], tables[2][value[order]]),
            (plain["b"] * _UNIT, tables[1][low[:-1]]),
            word * counts[0] + before[:-1],
            keys[order],
        )

    def surprise(self, texts: Sequence[str]) -> FloatArray:
        """Return the mean negative log-probability per word; NaN for no word.

        A word that the model does not know counts as its rarest one.
        """
        begin = self.index.get(BEGIN, -1)
        # The mark of a beginning follows nothing: its probability is no word's.
        floor = float(np.delete(self.log_probability[0], [begin][begin < 0 :]).min())
        surprises = []
        for text in texts:
            words = [self.index.get(word, -1) for word in _WORD.findall(text.lower())]
            before = np.array([-1, begin, *words], dtype=np.int64)
            values = self._log_probability(before[2:], before[1:-1], before[:-2])
            known = np.where(before[2:] < 0, floor, values)
            surprises.append(-known.mean() if words else np.nan)
        return np.array(surprises)

    def _log_probability(
        self, word: IdArray, last: IdArray, first: IdArray
    ) -> FloatArray:
        """Return ln P(word | first last); -1 is a word that is not known."""
        single, double, triple = self.log_probability
        value = single[word]
        pair, has_pair = _place(self.pairs, self._key(word, last))
        value = np.where(has_pair, double[pair], value + self._of_last(last))
        context, has_context = _place(self.pairs, self._key(last, first))
        whole, has_whole = _place(self.triples, self._key(pair, first))
        shorter = value + np.where(has_context, self.backoff[1][context], 0.0)
        return np.where(has_pair & has_whole, triple[whole], shorter)

    def _of_last(self, last: IdArray) -> FloatArray:
        return np.where(last < 0, 0.0, self.backoff[0][last])

    def _key(self, place: IdArray, word: IdArray) -> IdArray:
        return np.where((place < 0) | (word < 0), -1, place * len(self.index) + word)


def _place(keys: IdArray, wanted: IdArray) -> tuple[IdArray, NDArray[np.bool_]]:
    place = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
    return place, keys[place] == wanted


def _bytes(entries: int, bits: Sequence[int]) -> int:
    return (entries * sum(bits) + 7) // 8 + 8


def _unpacked(
    content: bytes, start: int, entries: int, bits: Sequence[int]
) -> list[IdArray]:
    """Return the fields of entries that follow each other bit by bit."""
    raw = np.frombuffer(content, np.uint8, _bytes(entries, bits), start)
    fields, offset = [], 0
    for width in bits:
        at = np.arange(entries) * sum(bits) + offset
        value = np.zeros(entries, dtype=np.int64)
        for step in range(4):
            value |= raw[(at >> 3) + step].astype(np.int64) << (8 * step)
        fields.append((value >> (at & 7)) & ((1 << width) - 1))
        offset += width
    return fields


def has_trigrams() -> bool:
    """Say whether the model is on this machine."""
    return SPHINX.is_here


def fetch_trigrams() -> Path:
    """Obtain the model with its hash checked; none of the package's code runs."""
    return SPHINX.fetch()


@lru_cache(maxsize=1)
def _loaded(path: Path) -> BackoffTrigrams:
    return BackoffTrigrams.read(path.read_bytes())


def load_trigrams() -> BackoffTrigrams:
    """Return the model, or say how to get it."""
    if not has_trigrams():
        raise FetchError(
            "the trigram model is not on this machine; "
            "get it with: publius evaluate --get-trigrams"
        )
    return _loaded(SPHINX.open() / "en-us.lm.bin")
