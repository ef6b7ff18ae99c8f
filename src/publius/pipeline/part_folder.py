"""The folder of a release in parts: the manifest is the commit, and comes last."""

import json
import re
import secrets
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from io import BytesIO
from pathlib import Path

import pyarrow as pa
from pyarrow import parquet

from publius.core.errors import CompleteError, OutputError
from publius.engines.store import WORKING, LocalStore, PartStore
from publius.pipeline import seal
from publius.pipeline.content import fresh_key, is_same, key_of, sealed
from publius.pipeline.folder import CHANGED_INPUT, refuse_other_job
from publius.pipeline.part_task import PARTS, part_name
from publius.storage.atomic import unwritable
from publius.storage.lock import FolderLock

MANIFEST = "manifest.json"
_JOB = f"{WORKING}/job.json"
_RUN = f"{WORKING}/run"
_LAST = f"{WORKING}/last"
_LAW = f"{WORKING}/law"
_SEAL = f"{WORKING}/{seal.NAME}"
_LOCK = "lock"
_PART = re.compile(rf"{PARTS}/part-(\d{{6,}})\.parquet")


@dataclass(frozen=True, slots=True, eq=False)
class PartFolder:
    """A store that one run fills with parts."""

    store: PartStore
    written: list[str] = field(default_factory=list)
    _begun: list[bool] = field(default_factory=list)
    _removed: list[bool] = field(default_factory=list)
    _key: list[bytes] = field(default_factory=list, repr=False)

    @classmethod
    @contextmanager
    def opened(
        cls, store: PartStore, job: Mapping[str, object], *, resume: bool
    ) -> Iterator["PartFolder"]:
        """Take a store for a run; leave nothing of a failed one but its parts.

        Raises:
            CompleteError: The run to be resumed was complete.
            OutputError: The store holds something else, or another run writes there.
        """
        with _locked(store):
            folder = cls(store)
            folder._agree(job, resume=resume)
            try:
                yield folder
            except BaseException:
                folder._withdraw()
                raise

    @property
    def is_bare(self) -> bool:
        """Whether nothing that was drawn is or was kept, nor can be committed yet.

        A part can be read where it is committed; removing it makes nobody forget it.
        """
        return not self._removed and self._is_empty

    @property
    def _is_empty(self) -> bool:
        return not self._begun and not self.committed()

    def begin(self) -> None:
        """Note that tasks run which may still commit when their driver has failed."""
        self._begun.append(True)

    def committed(self) -> frozenset[int]:
        """Return the numbers of the parts that are there."""
        names = self.store.names(PARTS)
        matches = [_PART.fullmatch(name) for name in names]
        if None in matches:
            raise OutputError(
                "somebody else has written into the folder of the parts; choose "
                "another folder"
            )
        return frozenset(int(match[1]) for match in matches if match is not None)

    def discard(self) -> None:
        """Remove the parts of a run that begins anew."""
        for name in self.store.names(PARTS):
            self._removed.append(True)
            self.store.remove(name)

    def run_name(self) -> str:
        """Return a random name of this run, which a resumed run has too."""
        return self._name(_RUN)

    def last_name(self) -> str | None:
        """Return the name of the run's end; None while something is left to draw."""
        name = self.store.get(_LAST)
        return None if name is None else name.decode("ascii")

    def draw_last_name(self) -> str:
        """Return a random name of the run's end, drawn once nothing is left to draw."""
        return self._name(_LAST)

    def seal_key(self) -> bytes:
        """Return the key of the run's seal; empty where others could read it.

        What lies in a store is read by whoever reads the store.
        """
        if not isinstance(self.store, LocalStore):
            return b""
        if not self._key:
            there = self.store.get(_SEAL)
            self._key.append(fresh_key() if there is None else key_of(there))
        return self._key[0]

    def hold_to(self, files: Mapping[str, bytes]) -> None:
        """Seal the input of a new run; refuse another one when a run is resumed.

        Args:
            files: Hashes of what is read of each, under `seal_key`.

        Raises:
            OutputError: The run began with another input.
        """
        there = self.store.get(_SEAL)
        if there is None and not self.committed():
            self.store.put(_SEAL, sealed(self.seal_key(), files))
        elif there is None or not is_same(there, files):
            raise OutputError(CHANGED_INPUT)

    def law(self, digest: str) -> str:
        """Return a digest of the law that the run began with, which is this or none."""
        return self._name(_LAW, digest)

    def _name(self, file: str, name: str = "") -> str:
        self.store.put_once(file, (name or secrets.token_hex(16)).encode())
        return (self.store.get(file) or b"").decode("ascii")

    def tables(self) -> Iterator[pa.Table]:
        """Read the parts in order, one at a time."""
        for number in sorted(self.committed()):
            content = self.store.get(part_name(number)) or b""
            yield parquet.read_table(BytesIO(content))

    def write_file(self, name: str, content: bytes) -> None:
        """Write a file beside the parts."""
        self.written.append(name)
        self.store.put(name, content)

    def finish(self, manifest: bytes) -> None:
        """Commit the release by its manifest, then sweep."""
        if not self.store.put_once(MANIFEST, manifest):
            raise OutputError("another run has finished here; choose another folder")
        self.sweep()

    def sweep(self) -> None:
        """Remove the working files of a complete release, its record last."""
        stays = (_JOB, f"{WORKING}/{_LOCK}")
        if isinstance(self.store, LocalStore):
            seal.destroy(Path(self.store.root) / WORKING)
        names = [name for name in self.store.names(WORKING) if name not in stays]
        for name in (*names, _JOB):
            self.store.remove(name)

    def _agree(self, job: Mapping[str, object], *, resume: bool) -> None:
        asked = json.loads(json.dumps(dict(job), allow_nan=False))
        names = set(self.store.names()) - {f"{WORKING}/{_LOCK}"}
        if MANIFEST in names:
            has_rest = _JOB in names
            if has_rest:
                self.sweep()
            if resume and has_rest:
                raise CompleteError("the release is complete; its rest is removed")
            raise OutputError(
                "the folder holds a complete release; choose another or, on this "
                "machine, give --force to remove it"
            )
        if names and _JOB not in names:
            raise OutputError("the folder is not empty; choose another folder")
        if self.store.put_once(_JOB, json.dumps(asked, indent=1).encode()):
            return
        if not resume:
            raise OutputError(
                "the folder holds an unfinished release; continue it with --resume or "
                "choose another folder"
            )
        refuse_other_job(json.loads(self.store.get(_JOB) or b"{}"), asked)

    def _withdraw(self) -> None:
        """Leave nothing of a failed run but its committed parts."""
        if self.store.get(MANIFEST) is not None:
            return
        with suppress(OutputError, OSError):
            for name in self.written:
                self.store.remove(name)
            if self._is_empty:
                self.sweep()


@contextmanager
def _locked(store: PartStore) -> Iterator[None]:
    """Let one driver of this machine write to a local folder at a time."""
    if not isinstance(store, LocalStore):
        yield  # there the first writer of each name wins
        return
    root = Path(store.root)
    working = root / WORKING
    if root.is_file():
        raise OutputError(f"{store.root!r} is a file; name a folder")
    try:
        working.mkdir(mode=0o700, parents=True, exist_ok=True)
        lock = FolderLock(working / _LOCK)
    except OutputError:
        raise
    except OSError as error:
        raise unwritable(root, error) from None
    try:
        yield
    finally:
        is_swept = not any(path.name != _LOCK for path in working.iterdir())
        lock.release()
        if is_swept:
            (working / _LOCK).unlink(missing_ok=True)
            with suppress(OSError):
                working.rmdir()
                root.rmdir()  # refused where anything was released
