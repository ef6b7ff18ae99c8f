"""Look into every file that an engine writes, also into those that it removes."""

import base64
import threading
from pathlib import Path

KEY = b"KEYCANARYkeycanaryKEYCANARYkeyca"
"""A run's key that can be recognised."""
TEXTS = (b"zqxcanary", b"canaryname")


def disguises(secret: bytes) -> set[bytes]:
    """Return a secret as it is, in UTF-16, in hexadecimal digits and in base64."""
    coded = {base64.b64encode(b"x" * n + secret + b"xxx")[4:-6] for n in range(3)}
    digits = secret.hex().encode()
    wide = secret.decode().encode("utf-16-le")
    return {secret, wide, digits, digits.upper(), *coded}


SECRETS = frozenset().union(*map(disguises, (KEY[:18], KEY[18:], *TEXTS)))


class Lookout(threading.Thread):
    """A thread that reads whatever changes under a folder."""

    def __init__(self, root: Path, spared: tuple[Path, ...]) -> None:
        super().__init__(daemon=True)
        self._root, self._spared = root, spared
        self._known: dict[Path, tuple[int, int]] = {}
        self._ends = threading.Event()
        self.hits: set[str] = set()

    @property
    def files(self) -> int:
        """How many files were read."""
        return len(self._known)

    def run(self) -> None:
        while not self._ends.wait(0.2):
            self.look()

    def stop(self) -> None:
        self._ends.set()
        self.join()
        self.look()

    def look(self) -> None:
        """Read what is new."""
        for path in self._root.rglob("*"):
            if any(path.is_relative_to(spared) for spared in self._spared):
                continue
            try:
                self._read(path)
            except OSError:
                continue  # gone, or no file

    def _read(self, path: Path) -> None:
        stat = path.stat()
        state = (stat.st_size, stat.st_mtime_ns)
        if not path.is_file() or self._known.get(path) == state:
            return
        self._known[path] = state
        content = path.read_bytes()
        if any(secret in content for secret in SECRETS):
            self.hits.add(path.name)
