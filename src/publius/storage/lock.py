"""One run at a time in a folder."""

import os
import sys
from pathlib import Path

from publius.core.errors import OutputError

if sys.platform == "win32":
    import msvcrt

    def _lock(descriptor: int) -> None:
        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)

else:
    import fcntl

    def _lock(descriptor: int) -> None:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)


class FolderLock:
    """Hold a file locked; the system lets go of it when the process ends, however.

    Args:
        path: The lock file; created if it is not there.

    Raises:
        OutputError: Another process holds it.
    """

    def __init__(self, path: Path) -> None:
        self._descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
        try:
            _lock(self._descriptor)
            is_same = os.fstat(self._descriptor).st_ino == path.stat().st_ino
        except OSError:
            is_same = False
        # A run that just finished has removed the file that was opened here.
        if not is_same:
            self.release()
            raise OutputError(
                "another run is writing to this folder; wait for it or choose another"
            )

    def release(self) -> None:
        """Let go of the lock."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1
