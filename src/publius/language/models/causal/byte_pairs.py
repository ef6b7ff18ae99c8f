"""Byte-pair encoding as GPT-2 has it: texts as numbers of pieces."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from publius.core.errors import DataError

# Letters, single digits and other marks, each with the space before it.
_PIECES = re.compile(
    r"'(?:s|t|re|ve|m|ll|d)| ?[^\W\d_]+|\d| ?(?:[^\s\w]|_)+|\s+(?!\S)|\s+"
)


def _byte_letters() -> dict[int, str]:
    """Return the printable letter that stands for each byte."""
    plain = [*range(33, 127), *range(161, 173), *range(174, 256)]
    others = [byte for byte in range(256) if byte not in set(plain)]
    letters = {byte: chr(byte) for byte in plain}
    letters.update({byte: chr(256 + place) for place, byte in enumerate(others)})
    return letters


_LETTERS = _byte_letters()
_BYTES = {letter: byte for byte, letter in _LETTERS.items()}


@dataclass(frozen=True, slots=True, eq=False)
class BytePairs:
    """Turn texts into numbers of pieces.

    Args:
        pieces: Every piece, at the place of its number.
        merges: Pairs of pieces that become one, the earliest first.
        unknown: Number of the piece for bytes that have none of their own.
    """

    pieces: Sequence[str]
    merges: Sequence[tuple[str, str]]
    unknown: int = 0
    _index: dict[str, int] = field(default_factory=dict, init=False, repr=False)
    _rank: dict[tuple[str, str], int] = field(
        default_factory=dict, init=False, repr=False
    )
    _words: dict[str, list[int]] = field(default_factory=dict, init=False, repr=False)

    def __post_init__(self) -> None:
        self._index.update({piece: place for place, piece in enumerate(self.pieces)})
        self._rank.update({pair: place for place, pair in enumerate(self.merges)})
        if not 0 <= self.unknown < len(self.pieces):
            raise DataError(f"there is no piece {self.unknown} for unknown bytes")

    def encode(self, text: str) -> list[int]:
        """Return the pieces of a text."""
        numbers: list[int] = []
        for word in _PIECES.findall(text):
            known = self._words.get(word)
            if known is None:
                known = [
                    self._index.get(piece, self.unknown) for piece in self._merged(word)
                ]
                self._words[word] = known
            numbers += known
        return numbers

    def decode(self, numbers: Sequence[int]) -> str:
        """Return the text of pieces; bytes that are no text are replaced."""
        letters = "".join(self.pieces[number] for number in numbers)
        known = bytes(_BYTES[letter] for letter in letters if letter in _BYTES)
        return known.decode("utf-8", "replace")

    def _merged(self, word: str) -> list[str]:
        parts = [_LETTERS[byte] for byte in word.encode("utf-8", "replace")]
        while len(parts) > 1:
            ranks = [self._rank.get(pair, len(self._rank)) for pair in pairwise(parts)]
            best = min(ranks)
            if best == len(self._rank):
                break
            parts = _joined(parts, self.merges[best])
        return parts


def _joined(parts: list[str], pair: tuple[str, str]) -> list[str]:
    joined, place = [], 0
    while place < len(parts):
        if tuple(parts[place : place + 2]) == pair:
            joined.append(pair[0] + pair[1])
            place += 2
        else:
            joined.append(parts[place])
            place += 1
    return joined
