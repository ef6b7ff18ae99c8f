"""How released words are spelled, and which words a writer may not use."""

import hashlib
import re
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np

from publius.core.arrays import IdArray
from publius.embeddings.like import LikeTable
from publius.embeddings.vocabulary import Vocabulary

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
_WORD = re.compile(r"[A-Za-z]+")


@lru_cache(maxsize=1)
def blocked_marks() -> frozenset[str]:
    """Return the digests of words that are never written.

    They are kept as digests so that the words need not stand in the package.
    """
    path = Path(__file__).parent / "blocked.txt"
    return frozenset(path.read_text("ascii").split())


def mark_of(word: str) -> str:
    """Return the digest under which a word may be blocked."""
    return hashlib.sha256(word.lower().encode()).hexdigest()[:MARK_LENGTH]


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
        """Return a text in one line, each blocked word replaced by an allowed one."""
        return _WORD.sub(self._replacement, " ".join(text.split()))

    def _replacement(self, match: re.Match[str]) -> str:
        word = match.group()
        if mark_of(word) not in blocked_marks():
            return word
        place = int(self.vocabulary.encode([word.lower()])[0])
        if place < 0:
            return "…"
        table = self.table
        symbol = int(table.fold[place])
        return self.vocabulary.words[table.spoken[np.cumsum(table.counts)[symbol] - 1]]
