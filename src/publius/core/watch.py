"""Whom long work tells how it goes, and who may stop it."""

from collections.abc import Callable
from itertools import count

from publius.core.errors import CancelledError

STOPPED = "stopped; a release keeps what it committed, and --resume continues it"
"""What is said when work was cancelled, of whatever kind it was."""


class Watch:
    """Receive progress, and cancel.

    Every message is also the moment at which a cancelled run stops: what was committed
    until then stays and can be resumed, as after Ctrl-C.

    Args:
        stage: Told in words what begins.
        rows: Told after every shard: rows done, bytes of input read.
        is_cancelled: Asked at every message.
        steps: Told how many steps are done, and of how many, where that is known.
        note: Told what the owner of an input should know about it. It depends on
            secrets: a terminal may show it, and nothing may keep it.
    """

    __slots__ = ("_is_cancelled", "_note", "_rows", "_stage", "_steps")

    def __init__(
        self,
        stage: Callable[[str], None] = lambda _: None,
        rows: Callable[[int, int], None] = lambda _rows, _read: None,
        is_cancelled: Callable[[], bool] = lambda: False,
        note: Callable[[str], None] = lambda _: None,
        *,
        steps: Callable[[int, int], None] = lambda _done, _total: None,
    ) -> None:
        self._stage, self._rows, self._is_cancelled = stage, rows, is_cancelled
        self._note, self._steps = note, steps

    def stage(self, text: str) -> None:
        """Name what begins."""
        self.check()
        self._stage(text)

    def rows(self, done: int, read: int) -> None:
        """Tell how many rows are done and how many bytes of the input were read."""
        self.check()
        self._rows(done, read)

    def steps(self, done: int, total: int) -> None:
        """Tell how many of all steps are done."""
        self.check()
        self._steps(min(done, total), total)

    def counted(self, total: int) -> Callable[[str], None]:
        """Return how to name what begins where each message begins one of the steps."""
        begun = count()

        def stage(text: str) -> None:
            self.steps(next(begun), total)
            self.stage(text)

        return stage

    def note(self, text: str) -> None:
        """Tell the owner of the input something about it."""
        self._note(text)

    def check(self) -> None:
        """Raise if the work was cancelled."""
        if self._is_cancelled():
            raise CancelledError(STOPPED)


SILENT = Watch()
"""Discard progress messages."""
