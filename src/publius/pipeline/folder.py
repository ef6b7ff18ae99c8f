"""The folder of a release: shards committed one by one, resumed after a kill.

While a run is under way its shards lie in ``.partial``, which only its owner can read;
when it is complete they have become ``data.<format>`` and ``.partial`` is gone. A shard
that was committed is never drawn again; one that was not has never been seen by anyone.
"""

import json
import secrets
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import NoReturn, Self

import pyarrow as pa

from publius.core.errors import CompleteError, OutputError, PubliusError
from publius.pipeline import seal
from publius.pipeline.follower import Follower
from publius.storage.atomic import (
    remove_leftovers,
    replacing,
    sync_folder,
    unwritable,
    write_bytes,
)
from publius.storage.lock import FolderLock
from publius.tables.write import write_table

PARTIAL = ".partial"
_JOB = "job.json"
_DONE = "done.json"
_LOCK = "lock"
_RUN = "run"
_LAST = "last"
_LAW = "law"
_COUNTS = b"publius.counts"

CHANGED_INPUT = (
    "cannot resume: input changed since the run began; use what it began with, or "
    "another folder"
)

_STORED = pa.ipc.IpcWriteOptions(compression="lz4")
"""Shards are read once and go: what is quick counts more than what is small."""

Counts = Mapping[str, int | float]


class ReleaseFolder:
    """An output folder that one run holds; use it as a context manager."""

    def __init__(self, out: Path, lock: FolderLock) -> None:
        self._out = out
        self._partial = out / PARTIAL
        self._lock = lock
        self._written: list[Path] = []
        self._follower: Follower | None = None

    @classmethod
    def create(
        cls,
        out: Path,
        job: Mapping[str, object],
        *,
        resume: bool,
        paths: Sequence[Path] = (),
    ) -> Self:
        """Take an output folder for a run.

        Args:
            out: The folder; made if it is not there.
            job: Settings as JSON values, and under ``input`` what identifies the input
                (None: it cannot be read again). A run is resumed only under the same
                ones. Never a key, never a text.
            resume: Continue an interrupted run if there is one.
            paths: Files of the input; a resumed run refuses them if they changed.

        Raises:
            CompleteError: The run to be resumed was complete; a kill had left some of
                its working files, which are removed now.
            OutputError: The folder holds something else, a complete release or another
                job, or another run is writing to it.
        """
        refuse_occupied(out, resume=resume)
        partial = out / PARTIAL
        try:
            partial.mkdir(mode=0o700, parents=True, exist_ok=True)
            lock = FolderLock(partial / _LOCK)
        except OutputError:
            raise
        except OSError as error:
            raise unwritable(out, error) from None
        folder = cls(out, lock)
        try:
            folder._agree(job, resume=resume)
            folder._hold_to(paths)
        except PubliusError:
            folder.close()
            raise
        except BaseException:  # an interrupt between the record of the run and its work
            folder._withdraw()
            folder.close()
            raise
        return folder

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is not None:
            self._withdraw()
        self.close()

    @property
    def path(self) -> Path:
        """Return the output folder."""
        return self._out

    @property
    def is_bare(self) -> bool:
        """Whether a run is under way of which nothing that was drawn is kept."""
        return self._partial.exists() and not self.committed()

    def run_name(self) -> str:
        """Return a random name of this run, which a resumed run has too."""
        return self._name(_RUN)

    def draw_last_name(self) -> str:
        """Return a random name of the run's end, drawn once nothing is left to draw.

        Of two copies of an unfinished folder each draws its own rest, and its own name.
        """
        return self._name(_LAST)

    def last_name(self) -> str | None:
        """Return the name of the run's end; None while something is left to draw."""
        return self._name(_LAST) if (self._partial / _LAST).exists() else None

    def law(self, digest: str) -> str:
        """Return a digest of the law that the run began with, which is this or none."""
        return self._name(_LAW, digest)

    def _name(self, file: str, name: str = "") -> str:
        path = self._partial / file
        if not path.exists():
            write_bytes(path, (name or secrets.token_hex(16)).encode())
        return path.read_text("ascii")

    def committed(self) -> set[int]:
        """Return the numbers of the shards that are safe on the disk."""
        paths = self._partial.glob("shard-*.arrow")
        return {int(path.stem.removeprefix("shard-")) for path in paths}

    def discard(self) -> None:
        """Remove the committed shards of an interrupted run, which begins anew."""
        self._stop_following()
        for number in self.committed():
            self._shard(number).unlink()

    def commit(self, number: int, table: pa.Table | bytes, counts: Counts) -> None:
        """Put a released shard on the disk, completely or not at all.

        Args:
            number: Its place in the release.
            table: The released rows, or the file that another process made of them.
            counts: Figures for the report that a resumed run must not lose.
        """
        path = self._shard(number)
        if path.exists():
            raise OutputError(f"shard {number} is already released")
        stored = table if isinstance(table, bytes) else shard_file(table, counts)
        with replacing(path) as stream:
            stream.write(stored)
        if self._follower is not None:
            self._follower.tell(number)

    def counts(self) -> list[Counts]:
        """Return the figures of all committed shards, in order."""
        return [json.loads(shard.metadata[_COUNTS]) for shard in self._schemas()]

    def tables(self) -> Iterator[pa.Table]:
        """Read the committed shards in order, one at a time."""
        return map(self._table, sorted(self.committed()))

    def _table(self, number: int) -> pa.Table:
        with self._opened(number) as shard:
            table = shard.read_all()
        metadata = {
            key: value for key, value in table.schema.metadata.items() if key != _COUNTS
        }
        return table.replace_schema_metadata(metadata or None)

    def begin_release(
        self,
        format: str,  # noqa: A002 - the word users know
        *,
        schema: pa.Schema,
        escapes: bool = False,
    ) -> None:
        """Begin to write ``data.<format>`` while shards are committed.

        It takes its name in `write_release`, with the same arguments, and never if that
        is not reached.
        """
        path = self._out / f"data.{format}"
        write = partial(
            write_table, path, schema=schema, format=format, escapes=escapes
        )
        self._follower = Follower(write, self._table, self.committed())

    def _stop_following(self) -> None:
        if self._follower is not None:
            self._follower.stop()
            self._follower = None

    def write_release(
        self,
        format: str,  # noqa: A002 - the word users know
        *,
        shards: int,
        schema: pa.Schema,
        escapes: bool = False,
    ) -> Path:
        """Write ``data.<format>`` from all shards, in order.

        Args:
            format: One of ``write.FORMATS``.
            shards: How many there must be.
            schema: Of the released table; needed where there is no shard.
            escapes: Put an apostrophe before what a spreadsheet takes for a formula.

        Raises:
            OutputError: A shard is missing, or the file cannot be written.
        """
        numbers = self.committed()
        missing = set(range(shards)) - numbers
        if missing:
            raise OutputError(
                f"{len(missing)} of {shards} shards are missing, the first is shard "
                f"{min(missing)}; run again with --resume"
            )
        if len(numbers) > shards:
            raise OutputError(
                f"the folder holds {len(numbers)} shards of an input that has {shards}"
            )
        path = self._out / f"data.{format}"
        self._written.append(path)
        if self._follower is not None:
            self._follower.finish(shards)
        else:
            write_table(
                path, self.tables(), schema=schema, format=format, escapes=escapes
            )
        return path

    def write_file(
        self, name: str, content: bytes, *, is_private: bool = False
    ) -> Path:
        """Write a file beside the data, such as the report, whole or not at all.

        Args:
            name: Of the file.
            content: All of it.
            is_private: Only the owner may read it.
        """
        path = self._out / name
        self._written.append(path)
        write_bytes(path, content, mode=0o600 if is_private else 0o666)
        return path

    def finish(self) -> None:
        """Declare the release complete: drop the shards and let go of the folder."""
        try:
            # The rename decides: after a kill from here on the release is complete, and
            # the next run only goes on with removing.
            (self._partial / _JOB).replace(self._partial / _DONE)
            sync_folder(self._partial)
        except OSError as error:
            raise unwritable(self._partial, error) from None
        self._sweep()

    def _sweep(self) -> None:
        """Remove the working files of a complete release, its mark last."""
        last = {_DONE: 1, _LOCK: 2}
        try:
            seal.destroy(self._partial)
            paths = sorted(
                self._partial.iterdir(), key=lambda path: (last.get(path.name, 0), path)
            )
            for path in paths:
                if path.name == _LOCK:
                    self.close()  # some systems remove no open file
                path.unlink(missing_ok=True)
            self._partial.rmdir()
            sync_folder(self._out)
        except OSError as error:
            raise OutputError(
                f"the release is complete, but {PARTIAL} beside it cannot be removed "
                f"({error.strerror}); remove it before you publish the folder"
            ) from None
        finally:
            self.close()

    def close(self) -> None:
        """Let go of the folder; what was committed stays for a resumed run."""
        self._stop_following()
        self._lock.release()

    def _withdraw(self) -> None:
        """Leave nothing of a failed run but its committed shards."""
        self._stop_following()
        if not (self._partial / _JOB).exists():
            return  # the release is complete
        with suppress(OSError):
            for path in self._written:
                path.unlink(missing_ok=True)
            if not self.committed():
                shutil.rmtree(self._partial)
                self._out.rmdir()  # refused if anything else is in it

    def _shard(self, number: int) -> Path:
        return self._partial / f"shard-{number:06d}.arrow"

    @contextmanager
    def _opened(self, number: int) -> Iterator[pa.ipc.RecordBatchFileReader]:
        try:
            with pa.OSFile(str(self._shard(number))) as stream:
                yield pa.ipc.open_file(stream)
        except (pa.ArrowException, OSError):
            raise OutputError(
                f"shard {number} cannot be read back; start anew in another folder"
            ) from None

    def _schemas(self) -> Iterator[pa.Schema]:
        for number in sorted(self.committed()):
            with self._opened(number) as shard:
                yield shard.schema

    def _agree(self, job: Mapping[str, object], *, resume: bool) -> None:
        """Write down the job of a new run, or check that it is the resumed one."""
        asked = json.loads(json.dumps(dict(job), allow_nan=False))
        path = self._partial / _JOB
        is_new = not path.exists()
        if is_new and _is_released(self._out):
            self._complete(asked, resume=resume)
        beside = [entry.name for entry in self._out.iterdir() if entry.name != PARTIAL]
        # Another run may have come and gone between the first look and the lock.
        if (is_new and beside) or not (is_new or resume):
            raise OutputError("another run has just used this folder; choose another")
        remove_leftovers(self._out)
        remove_leftovers(self._partial)
        if is_new:
            write_bytes(path, json.dumps(asked, indent=1).encode())
        else:
            refuse_other_job(_stored_job(path), asked)

    def _complete(self, asked: dict[str, object], *, resume: bool) -> NoReturn:
        """Go on with removing what a kill left of a complete run, and say so."""
        done = self._partial / _DONE
        is_same = done.exists() and _stored_job(done) == asked
        remove_leftovers(self._out)
        self._sweep()
        if resume and is_same:
            raise CompleteError(
                f"the release in {str(self._out)!r} is complete; what was left of its "
                "run is removed"
            )
        raise _holds_release(self._out)

    def _hold_to(self, paths: Sequence[Path]) -> None:
        """Seal the input of a new run; refuse another one when a run is resumed."""
        if not paths:
            return
        if not seal.is_sealed(self._partial) and not self.committed():
            seal.seal(self._partial, paths)
        elif not seal.is_sealed(self._partial) or not seal.is_same(
            self._partial, paths
        ):
            raise OutputError(CHANGED_INPUT)


def shard_file(table: pa.Table, counts: Counts) -> bytes:
    """Return the file of a shard: its rows, and figures for the report."""
    note = {_COUNTS: json.dumps(dict(counts)).encode()}
    schema = table.schema.with_metadata({**(table.schema.metadata or {}), **note})
    sink = pa.BufferOutputStream()
    with pa.ipc.new_file(sink, schema, options=_STORED) as writer:
        writer.write(table.cast(schema))
    return bytes(sink.getvalue())


def opened_shard(stored: bytes) -> pa.Table:
    """Return the rows in the file of a shard."""
    with pa.ipc.open_file(pa.BufferReader(stored)) as shard:
        return shard.read_all()


def _is_released(out: Path) -> bool:
    """Say whether released data lie in a folder."""
    return any(entry.name.startswith("data.") for entry in out.iterdir())


def _holds_release(out: Path) -> OutputError:
    return OutputError(
        f"{str(out)!r} holds a complete release; choose another folder, or give "
        "--force to remove it"
    )


def refuse_occupied(out: Path, *, resume: bool) -> None:
    """Refuse a folder that this run may not write to, without touching it."""
    if out.exists() and not out.is_dir():
        raise OutputError(f"{str(out)!r} is a file; name a folder")
    names = {entry.name for entry in out.iterdir()} if out.exists() else set()
    if not names or (PARTIAL in names and resume):
        return
    if PARTIAL in names and not (out / PARTIAL / _JOB).exists() and _is_released(out):
        return  # what is left of a complete run is removed first
    if PARTIAL in names:
        raise OutputError(
            f"{str(out)!r} holds an unfinished release; continue it with --resume or "
            "choose another folder"
        )
    if _is_released(out):
        raise _holds_release(out)
    raise OutputError(f"{str(out)!r} is not empty; choose another folder")


def _stored_job(path: Path) -> dict[str, object]:
    try:
        stored = json.loads(path.read_bytes())
    except (OSError, ValueError):
        stored = None
    if not isinstance(stored, dict):
        raise OutputError("cannot resume: the record of the run cannot be read")
    return stored


def refuse_other_job(stored: dict[str, object], asked: dict[str, object]) -> None:
    """Raise if a run would be resumed under another job."""
    names = sorted(stored.keys() | asked.keys())
    different = [
        name
        for name in names
        if (name in stored, stored.get(name)) != (name in asked, asked.get(name))
    ]
    if different:
        raise OutputError(
            f"cannot resume: {', '.join(different)} changed since the run began; "
            "use what it began with, or another folder"
        )
    if "input" in asked and asked["input"] is None:
        raise OutputError(
            "cannot resume: standard input cannot be read again; start anew in "
            "another folder"
        )
