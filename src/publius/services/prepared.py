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

MOST_CACHED = 32
"""Settings whose sanitizers are cached: the studio has a slider of twelve, twice."""


class Prepared:
    """Cache the sanitizers that were asked for last.

    A sanitizer is compared with its certificate when it is built. Settings that name a
    file are built anew for every request: the file may have changed.

    Args:
        build: Builds the sanitizer of settings.
        most: How many are cached.
    """

    def __init__(
        self,
        build: Callable[[WordSettings, Progress], Sanitizer] = sanitizer,
        most: int = MOST_CACHED,
    ) -> None:
        self._build, self._most = build, most
        self._cached: OrderedDict[WordSettings, Sanitizer] = OrderedDict()
        self._lock, self._building = Lock(), Lock()

    def __call__(
        self, settings: WordSettings, progress: Progress = lambda _: None
    ) -> Sanitizer:
        """Return the sanitizer of resolved settings."""
        if names_files(settings):
            return self._build(settings, progress)
        cleaner = self._find(settings)
        if cleaner is not None:
            return cleaner
        # One is built at a time; what is there already does not wait for it.
        with self._building:
            cleaner = self._find(settings) or self._build(settings, progress)
            with self._lock:
                self._cached[settings] = cleaner
                if len(self._cached) > self._most:
                    self._cached.popitem(last=False)
        return cleaner

    def _find(self, settings: WordSettings) -> Sanitizer | None:
        with self._lock:
            if settings in self._cached:
                self._cached.move_to_end(settings)
            return self._cached.get(settings)

    def __len__(self) -> int:
        return len(self._cached)


def names_files(settings: WordSettings) -> bool:
    """Say whether settings name a file of this machine."""
    is_named = settings.embedding in entries()
    own = flat_settings(settings)
    files = (settings.block, own["sensitive_words"], own["wordnet"])
    return not is_named or any(files)


PREPARED = Prepared()
"""The sanitizers of this process."""
