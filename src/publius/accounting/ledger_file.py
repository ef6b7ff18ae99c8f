"""The file of a ledger: one private SQLite database, made, recognised and opened."""

import math
import os
import sqlite3
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from publius.accounting.gaussian import USUAL_DELTA
from publius.core.errors import DataError, OutputError

APPLICATION = int.from_bytes(b"PubL", "big")
"""SQLite's application id: tells a ledger from any other database."""

VERSION = 3
OLDER = {
    1: "ALTER TABLE releases ADD COLUMN ended TEXT",
    2: "ALTER TABLE charges RENAME COLUMN promises TO guarantees",
}
"""What mends a ledger of each older version."""

PATIENCE = 60.0
"""Seconds to wait for another release that is charging at this moment."""

_MAGIC = b"SQLite format 3\0"
"""Every database of SQLite begins so."""

UNNAMED = 0
"""Subject of all rows whose author is not known."""

_SCHEMA = """
CREATE TABLE terms (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    worst REAL NOT NULL,
    near REAL NOT NULL,
    delta REAL NOT NULL
);
CREATE TABLE releases (
    id INTEGER PRIMARY KEY,
    job TEXT NOT NULL UNIQUE,
    charged TEXT NOT NULL,
    mechanism TEXT NOT NULL,
    guarantee TEXT NOT NULL,
    pure REAL NOT NULL,
    near REAL NOT NULL,
    gaussian REAL NOT NULL,
    slack REAL NOT NULL,
    ended TEXT
);
CREATE TABLE subjects (id INTEGER PRIMARY KEY, name TEXT UNIQUE);
CREATE TABLE charges (
    subject INTEGER NOT NULL REFERENCES subjects,
    release INTEGER NOT NULL REFERENCES releases ON DELETE CASCADE,
    guarantees INTEGER NOT NULL CHECK (guarantees > 0),
    PRIMARY KEY (subject, release)
) WITHOUT ROWID;
CREATE INDEX charges_of_release ON charges (release);
CREATE TABLE refused (name TEXT, worst REAL NOT NULL, near REAL NOT NULL);
"""


def open_file(path: Path, *, create: bool) -> sqlite3.Connection:
    """Open a ledger that only its owner can read.

    Args:
        path: The file.
        create: Begin a new ledger if there is no file.

    Raises:
        DataError: The file is something else, or is missing.
        OutputError: Others may read it, or it cannot be written.
    """
    if create:
        _create(path)
    if not path.is_file():
        if path.is_dir():
            raise DataError(f"{str(path)!r} is a folder, not a ledger; name the file")
        raise DataError(f"there is no ledger {str(path)!r}")
    _refuse_other(path)
    _refuse_shared(path)
    with explained(path):
        connection = sqlite3.connect(
            f"{path.resolve().as_uri()}?mode=rw",
            uri=True,
            timeout=PATIENCE,
            isolation_level=None,
        )
    try:
        with explained(path):
            _prepare(connection, path, create=create)
    except (DataError, OutputError):
        connection.close()
        raise
    return connection


@contextmanager
def explained(path: Path) -> Iterator[None]:
    """Turn what SQLite says into one line; its own text may quote a value."""
    try:
        yield
    except sqlite3.OperationalError as error:
        # An error of the driver, not of SQLite itself, has no code.
        code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR)
        if code & 0xFF == sqlite3.SQLITE_BUSY:
            reason = "another release is charging it; try again"
        else:
            reason = "it cannot be read or written"
        raise OutputError(f"ledger {path.name!r}: {reason}") from None
    except (sqlite3.DatabaseError, UnicodeDecodeError):
        raise foreign(path) from None


@contextmanager
def intact(path: Path) -> Iterator[None]:
    """Refuse values that no ledger holds: the file was damaged or tampered with."""
    try:
        yield
    except (TypeError, ValueError, OverflowError):
        raise foreign(path) from None


def foreign(path: Path) -> DataError:
    """Return the error that says that a file is no ledger, or none any more."""
    return DataError(f"{path.name!r} is not a ledger of Publius, or is damaged")


def _create(path: Path) -> None:
    """Make an empty file for the owner alone, if there is none."""
    try:
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
    except FileExistsError:
        return
    except FileNotFoundError:
        raise OutputError(
            f"cannot make the ledger {path.name!r}: the folder {str(path.parent)!r} "
            "does not exist"
        ) from None
    except OSError as error:
        raise OutputError(
            f"cannot make the ledger {path.name!r}: {error.strerror}"
        ) from None


def _refuse_other(path: Path) -> None:
    """Raise if a file is no database, before its owner is told to make it private."""
    try:
        with path.open("rb") as file:
            first = file.read(len(_MAGIC))
    except OSError:
        return  # SQLite says what is wrong
    if first and first != _MAGIC:
        raise foreign(path)


def _refuse_shared(path: Path) -> None:
    # Windows has no such bits; a folder's own rights decide there.
    if os.name == "posix" and path.stat().st_mode & (stat.S_IRWXG | stat.S_IRWXO):
        raise OutputError(
            f"ledger {path.name!r} holds names and can be read or written by others; "
            "make it private first: chmod 600"
        )


def _prepare(connection: sqlite3.Connection, path: Path, *, create: bool) -> None:
    connection.execute("PRAGMA foreign_keys = ON")
    connection.execute("PRAGMA secure_delete = ON")
    # A charge survives a loss of power from the moment it is made.
    connection.execute("PRAGMA synchronous = EXTRA")
    if _number(connection, "page_count") == 0 and create:
        _write_schema(connection)
    if _number(connection, "application_id") != APPLICATION:
        raise foreign(path)
    if _number(connection, "user_version") in OLDER:
        _mend(connection)
    version = _number(connection, "user_version")
    if version != VERSION:
        raise DataError(
            f"ledger {path.name!r} has version {version}, and this Publius knows "
            f"version {VERSION}; use the Publius that wrote it"
        )
    # One short-lived file with the rights of the ledger itself, and no other beside it.
    connection.execute("PRAGMA journal_mode = DELETE")


def _write_schema(connection: sqlite3.Connection) -> None:
    with connection:
        connection.execute("BEGIN IMMEDIATE")
        # Another release may have begun the same ledger in the meantime.
        if _number(connection, "application_id") == 0:
            for statement in _SCHEMA.split(";"):
                connection.execute(statement)
            none = (math.inf, math.inf, USUAL_DELTA)
            connection.execute("INSERT INTO terms VALUES (1, ?, ?, ?)", none)
            connection.execute("INSERT INTO subjects VALUES (?, NULL)", (UNNAMED,))
            connection.execute(f"PRAGMA application_id = {APPLICATION}")
            connection.execute(f"PRAGMA user_version = {VERSION}")


def _mend(connection: sqlite3.Connection) -> None:
    """Bring an older ledger up to date: each statement mends one version."""
    with connection:
        connection.execute("BEGIN IMMEDIATE")
        # Another release may have done the same in the meantime.
        for version in range(_number(connection, "user_version"), VERSION):
            connection.execute(OLDER[version])
            connection.execute(f"PRAGMA user_version = {version + 1}")


def _number(connection: sqlite3.Connection, pragma: str) -> int:
    return int(connection.execute(f"PRAGMA {pragma}").fetchone()[0])
