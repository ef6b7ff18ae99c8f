"""What one running server keeps: who may come in, files, jobs, and what was drawn."""

import secrets
from collections import OrderedDict
from dataclasses import dataclass, field

from publius.studio.access import Access
from publius.studio.jobs import Jobs
from publius.studio.uploads import Uploads

LARGEST = 200_000_000
"""Bytes of a body at most, unless told otherwise."""

MOST_DRAWN = 8
"""Released texts that can be downloaded again."""


@dataclass(slots=True)
class Drawn:
    """Texts that were released for publication.

    Args:
        count: Draws since the writer began a new text; each of them costs.
    """

    count: int = 0
    _texts: "OrderedDict[str, str]" = field(default_factory=OrderedDict, repr=False)

    def add(self, text: str) -> str:
        """Keep a released text for download; return its id."""
        self.count += 1
        number = secrets.token_urlsafe(12)
        self._texts[number] = text
        if len(self._texts) > MOST_DRAWN:
            self._texts.popitem(last=False)
        return number

    def find(self, number: str) -> str | None:
        """Return a released text by its id."""
        return self._texts.get(number)

    def begin(self) -> None:
        """Forget what was drawn: another text follows."""
        self.count = 0
        self._texts.clear()


@dataclass(frozen=True, slots=True, eq=False)
class Desk:
    """Everything that requests share.

    Args:
        access: Who may come in.
        largest: Bytes of a body at most.
    """

    access: Access
    largest: int = LARGEST
    uploads: Uploads = field(default_factory=Uploads)
    jobs: Jobs = field(default_factory=Jobs)
    drawn: Drawn = field(default_factory=Drawn)

    def close(self) -> None:
        """Stop jobs and remove files."""
        self.jobs.close()
        self.uploads.close()
