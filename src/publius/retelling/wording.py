"""How released words are spelled, and which words a writer may not use."""

import hashlib
import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np

from publius.core.arrays import IdArray
from publius.embeddings.like import LikeTable
from publius.embeddings.vocabulary import Vocabulary
from publius.language.casing import apply_casing, casing_of
from publius.retelling.block_list import GAP, HIDDEN, plain

CAPITAL = frozenset(
    {
        "weekday",
        "month",
        "country",
        "us-state",
        "city",
        "given-name",
        "family-name",
    }
)
"""Classes whose members begin with a capital letter, whatever the text had."""

MARK_LENGTH = 12
_MARKS = "\u0300-\u036f"
_WORD = re.compile(rf"[^\W_{_MARKS}][^\W_]*(?:[{_MARKS}]+[^\W_]*)*")
_LETTERS = re.compile(rf"[^\W\d_{_MARKS}](?:[^\W\d_]|[{_MARKS}])*")


@lru_cache(maxsize=1)
def blocked_marks() -> frozenset[str]:
    """Return the digests of words that are never written.

    They are kept as digests so that the words need not stand in the package.
    """
    path = Path(__file__).parent / "blocked.txt"
    return frozenset(path.read_text("ascii").split())


def mark_of(word: str) -> str:
    """Return the digest under which a word may be blocked.

    Accents and forms of letters such as full width make no other word of it.
    """
    parts = unicodedata.normalize("NFKD", word)
    bare = "".join(part for part in parts if not unicodedata.combining(part)).lower()
    return hashlib.sha256(bare.encode()).hexdigest()[:MARK_LENGTH]


@dataclass(frozen=True, slots=True, eq=False)
class Wording:
    """Spell released words; take offensive words out of what was written."""

    vocabulary: Vocabulary
    table: LikeTable

    def spelled(self, ids: IdArray) -> list[str]:
        """Return words, with a capital letter where their class has one."""
        words = self.vocabulary.words
        symbols = self.table.fold[ids].tolist()
        return [
            words[i].capitalize() if self.table.class_of(s) in CAPITAL else words[i]
            for i, s in zip(ids.tolist(), symbols, strict=True)
        ]

    def allowed(self, text: str) -> str:
        """Return a text in one line, each blocked word replaced by an allowed one.

        Characters that show nothing are left out, controls of a terminal among them.
        """
        line = " ".join(text.split())
        seen = "".join(c for c in line if unicodedata.category(c) not in HIDDEN)
        whole = _WORD.sub(self._replacement, seen)
        return _LETTERS.sub(self._replacement, whole)

    def _replacement(self, match: re.Match[str]) -> str:
        word = match.group()
        if mark_of(word) not in blocked_marks():
            return word
        place = self._allowed_for(word.lower())
        return GAP if place is None else self.vocabulary.words[place]

    def stand_in(self, word: str) -> str:
        """Return what is written where a word of a block list was; a gap if nothing."""
        place = self._allowed_for("_".join(plain(word).split()))
        if place is None:
            return GAP
        return apply_casing(self.spelled(np.array([place]))[0], casing_of(word))

    def _allowed_for(self, word: str) -> int | None:
        """Return a word that the symbol of this one is written as, unless offensive."""
        place = int(self.vocabulary.encode([word])[0])
        if place < 0:
            return None
        table = self.table
        last = np.cumsum(table.counts)[int(table.fold[place])] - 1
        other = int(table.spoken[last])
        is_offensive = mark_of(self.vocabulary.words[other]) in blocked_marks()
        return None if is_offensive else other
