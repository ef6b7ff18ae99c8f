"""WordPiece: words as pieces of a fixed list, longest first (uncased BERT)."""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, field

from publius.core.errors import DataError

_PIECES = re.compile(r"\w+|[^\w\s]", re.UNICODE)
LONGEST_WORD = 100
SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]")


@dataclass(frozen=True, slots=True, eq=False)
class WordPiece:
    """Turn texts into numbers of pieces.

    Args:
        pieces: The list; a piece inside a word begins with ``##``.
        length: Longest sequence, with its two marks.
    """

    pieces: Sequence[str]
    length: int = 256
    _index: dict[str, int] = field(default_factory=dict, init=False, repr=False)
    _words: dict[str, list[int]] = field(default_factory=dict, init=False, repr=False)

    def __post_init__(self) -> None:
        self._index.update({piece: place for place, piece in enumerate(self.pieces)})
        missing = [piece for piece in SPECIAL if piece not in self._index]
        if missing:
            raise DataError(f"the list of pieces lacks {', '.join(missing)}")

    @property
    def pad(self) -> int:
        """Number of the filling piece."""
        return self._index["[PAD]"]

    def encode(self, text: str) -> list[int]:
        """Return the pieces of a text between its two marks."""
        ids: list[int] = []
        for word in _PIECES.findall(_plain(text)):
            # An underscore is punctuation for BERT and a letter for the re module.
            for part in re.split(r"(_)", word):
                ids += self._word(part) if part else []
            if len(ids) >= self.length - 2:
                break
        return [
            self._index["[CLS]"], *ids[: self.length - 2], self._index["[SEP]"],
        ]  # fmt: skip

    def _word(self, word: str) -> list[int]:
        known = self._words.get(word)
        if known is None:
            known = self._split(word)
            # Public pieces of any text would tell which words occurred: memory only.
            self._words[word] = known
        return known

    def _split(self, word: str) -> list[int]:
        if len(word) > LONGEST_WORD:
            return [self._index["[UNK]"]]
        ids, start = [], 0
        while start < len(word):
            mark = "##" if start else ""
            stop = len(word)
            while stop > start and mark + word[start:stop] not in self._index:
                stop -= 1
            if stop == start:
                return [self._index["[UNK]"]]
            ids.append(self._index[mark + word[start:stop]])
            start = stop
        return ids


def _plain(text: str) -> str:
    """Return lower case without accents and control characters."""
    folded = unicodedata.normalize("NFD", text.lower())
    kept = (
        " " if c.isspace() else _spaced(c)
        for c in folded
        if unicodedata.category(c) not in ("Mn", "Cc", "Cf") or c in "\t\n\r"
    )
    return "".join(kept)


def _spaced(character: str) -> str:
    """Put spaces around ideographs, which stand alone."""
    is_ideograph = (
        "\u4e00" <= character <= "\u9fff" or "\u3400" <= character <= "\u4dbf"
    )
    return f" {character} " if is_ideograph else character
