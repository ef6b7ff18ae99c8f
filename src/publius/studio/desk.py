"""What one running server keeps: who may come in, files, jobs, and what was drawn."""

import secrets
from collections import OrderedDict
from dataclasses import dataclass, field
from hashlib import blake2b

from publius.core.config import LedgerSettings
from publius.studio.access import Access
from publius.studio.jobs import Jobs
from publius.studio.uploads import Uploads

LARGEST = 200_000_000
"""Bytes of a body at most, unless told otherwise."""

MOST_COUNTED = 1000
"""Draws that are remembered, to say which of them is the first."""

MOST_DRAWN = 8
"""Released texts that can be downloaded again."""


@dataclass(slots=True)
class Drawn:
    """Texts that were released for publication.

    A draw counts with earlier ones of the same text, or of the same tab until its
    writer begins another text. Of a text only a keyed digest of its words is kept.
    """

    _texts: "OrderedDict[str, str]" = field(default_factory=OrderedDict, repr=False)
    _draws: list[tuple[str, bytes]] = field(default_factory=list, repr=False)
    _key: bytes = field(default_factory=lambda: secrets.token_bytes(32), repr=False)

    def count(self, tab: str, secret: str) -> int:
        """Return the number of this draw, the first being 1.

        Args:
            tab: Which page asks.
            secret: The text that is released.
        """
        words = " ".join(secret.lower().split()).encode()
        mark = blake2b(words, key=self._key, digest_size=16).digest()
        before = sum((tab != "" and t == tab) or m == mark for t, m in self._draws)
        self._draws.append((tab, mark))
        del self._draws[:-MOST_COUNTED]
        return before + 1

    def add(self, text: str) -> str:
        """Keep a released text for download; return its id."""
        number = secrets.token_urlsafe(12)
        self._texts[number] = text
        if len(self._texts) > MOST_DRAWN:
            self._texts.popitem(last=False)
        return number

    def find(self, number: str) -> str | None:
        """Return a released text by its id."""
        return self._texts.get(number)

    def begin(self, tab: str) -> None:
        """Note that another text follows in a tab."""
        self._draws[:] = [("" if t == tab else t, m) for t, m in self._draws]


@dataclass(frozen=True, slots=True, eq=False)
class Desk:
    """Everything that requests share.

    Args:
        access: Who may come in.
        largest: Bytes of a body at most.
        ledger: Every release of a table is charged there first; None keeps none.
    """

    access: Access
    largest: int = LARGEST
    ledger: LedgerSettings | None = None
    uploads: Uploads = field(default_factory=Uploads)
    jobs: Jobs = field(default_factory=Jobs)
    drawn: Drawn = field(default_factory=Drawn)

    def close(self) -> None:
        """Stop jobs and remove files."""
        self.jobs.stop()
        # At once: who ends the process may not wait until every job has stopped.
        self.uploads.close()
        self.jobs.close()
        self.uploads.close()
