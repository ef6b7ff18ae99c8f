"""Sanitizers that are built once and used by many requests of one process."""

from collections import OrderedDict
from collections.abc import Callable
from threading import Lock

from publius.core.config import WordSettings
from publius.embeddings.catalogue import entries
from publius.materials.words.assemble import sanitizer
from publius.materials.words.sanitizer import Sanitizer
from publius.mechanisms.balance import Progress
from publius.mechanisms.words.given import flat_settings

KEPT = 32
"""Settings whose sanitizers are kept: the studio has a slider of twelve, twice."""


class Prepared:
    """Keep the sanitizers that were asked for last.

    A sanitizer is compared with its certificate when it is built. Settings that name a
    file are built anew for every request: the file may have changed.

    Args:
        build: Builds the sanitizer of settings.
        most: How many are kept.
    """

    def __init__(
        self,
        build: Callable[[WordSettings, Progress], Sanitizer] = sanitizer,
        most: int = KEPT,
    ) -> None:
        self._build, self._most = build, most
        self._kept: OrderedDict[WordSettings, Sanitizer] = OrderedDict()
        self._lock, self._building = Lock(), Lock()

    def __call__(
        self, settings: WordSettings, progress: Progress = lambda _: None
    ) -> Sanitizer:
        """Return the sanitizer of resolved settings."""
        if names_files(settings):
            return self._build(settings, progress)
        found = self._find(settings)
        if found is not None:
            return found
        # One is built at a time; what is there already does not wait for it.
        with self._building:
            found = self._find(settings) or self._build(settings, progress)
            with self._lock:
                self._kept[settings] = found
                if len(self._kept) > self._most:
                    self._kept.popitem(last=False)
        return found

    def _find(self, settings: WordSettings) -> Sanitizer | None:
        with self._lock:
            if settings in self._kept:
                self._kept.move_to_end(settings)
            return self._kept.get(settings)

    def __len__(self) -> int:
        return len(self._kept)


def names_files(settings: WordSettings) -> bool:
    """Say whether settings name a file of this machine."""
    is_named = settings.embedding in entries()
    own = flat_settings(settings)
    files = (settings.block, own["sensitive_words"], own["wordnet"])
    return not is_named or any(files)


PREPARED = Prepared()
"""The sanitizers of this process."""
