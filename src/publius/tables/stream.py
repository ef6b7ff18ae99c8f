"""Bytes in: files and standard input as one UTF-8 stream, counted as they are read."""

import gzip
import io
import re
import sys
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import BinaryIO, cast

from publius.core.errors import DataError
from publius.tables.encoding import as_utf8
from publius.tables.remote import RemoteFile

BLOCK = 1 << 20
_LINE_BREAK = re.compile(rb"[\r\n]")
_GZIP = b"\x1f\x8b"


@dataclass(slots=True)
class Gauge:
    """How far a source has been read, for a progress bar.

    Args:
        bytes_read: As they are stored; a reader may be far ahead of the rows.
        parsed: About how many of them are rows by now; None where nobody reads ahead.
    """

    bytes_read: int = 0
    parsed: int | None = None

    @property
    def done(self) -> int:
        """Bytes whose rows have been handed out, as far as that is known."""
        read = self.bytes_read
        return read if self.parsed is None else min(self.parsed, read)


class _Counted(io.RawIOBase):
    """Count the bytes that pass."""

    def __init__(self, stream: BinaryIO, gauge: Gauge, *, owned: bool) -> None:
        self._stream = stream
        self._gauge = gauge
        self._owned = owned

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: bytearray) -> int:  # type: ignore[override]
        count = self._stream.readinto(buffer)  # type: ignore[attr-defined]
        self._gauge.bytes_read += count or 0
        return int(count or 0)

    def close(self) -> None:
        if self._owned:
            self._stream.close()
        super().close()


class _Pieces(io.RawIOBase):
    """Serve an iterator of byte strings as one stream; closes what they come from."""

    def __init__(self, pieces: Iterator[bytes], origin: BinaryIO) -> None:
        self._pieces = pieces
        self._origin = origin
        self._rest = memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: bytearray) -> int:  # type: ignore[override]
        while not self._rest:
            piece = next(self._pieces, None)
            if piece is None:
                return 0
            self._rest = memoryview(piece)
        count = min(len(buffer), len(self._rest))
        buffer[:count] = self._rest[:count]
        self._rest = self._rest[count:]
        return count

    def close(self) -> None:
        self._origin.close()
        super().close()


@dataclass(slots=True)
class ByteInput:
    """One file or standard input, whatever its compression and encoding.

    Args:
        path: The file; None is standard input, which can be read once.
        encoding: How its text is encoded.
        gauge: Counts the bytes as they are stored, before decompression.
    """

    path: "Path | RemoteFile | None"
    encoding: str
    gauge: Gauge
    _head: bytes | None = field(default=None, init=False)
    _stdin: BinaryIO | None = field(default=None, init=False)
    _is_spent: bool = field(default=False, init=False)

    @property
    def is_replayable(self) -> bool:
        """Return whether the input can be opened more than once."""
        return self.path is not None

    def head(self) -> bytes:
        """Return the first block, or the first line if that is longer; unread after."""
        if self._head is None:
            stream = self._open()
            try:
                self._head = _first_line_and_more(stream)
            except DataError:
                stream.close()
                raise
            if self.path is None:
                self._stdin = stream
            else:
                stream.close()
        return self._head

    @contextmanager
    def open(self) -> Iterator[BinaryIO]:
        """Open the input as UTF-8 without a byte order mark."""
        if self._is_spent:
            raise DataError("standard input can be read only once")
        self._is_spent = not self.is_replayable
        if self._stdin is not None:
            rest, self._stdin = self._stdin, None
            stream = joined(chain([self._head or b""], blocks(rest)), rest)
        else:
            stream = self._open()
        with stream:
            yield stream

    def _open(self) -> BinaryIO:
        self.gauge.bytes_read, self.gauge.parsed = 0, None
        if self.path is None:
            raw = _Counted(sys.stdin.buffer, self.gauge, owned=False)
        else:
            raw = _Counted(open_binary(self.path), self.gauge, owned=True)
        stored = io.BufferedReader(cast("io.RawIOBase", raw), BLOCK)
        return joined(as_utf8(_read(stored), self.encoding), stored)


def open_binary(path: "Path | RemoteFile") -> BinaryIO:
    """Open a file for reading, or say why it cannot be."""
    try:
        return path.open("rb", buffering=0)
    except FileNotFoundError:
        reason = "does not exist"
    except OSError as error:
        reason = f"cannot be opened ({error.strerror})"
    raise DataError(f"{str(path)!r} {reason}")


def blocks(stream: BinaryIO) -> Iterator[bytes]:
    """Read a stream to its end, a block at a time."""
    while block := stream.read(BLOCK):
        yield block


def joined(pieces: Iterator[bytes], origin: BinaryIO) -> BinaryIO:
    """Serve byte strings as one stream that closes ``origin`` with itself."""
    return io.BufferedReader(cast("io.RawIOBase", _Pieces(pieces, origin)), BLOCK)


def lines(stream: BinaryIO) -> Iterator[bytes]:
    """Cut a stream into blocks of whole lines; the last may lack its line break."""
    pending: list[bytes] = []
    for block in blocks(stream):
        end = block.rfind(b"\n") + 1
        if not end:
            pending.append(block)
            continue
        yield b"".join([*pending, block[:end]])
        pending = [block[end:]] if end < len(block) else []
    if pending:
        yield b"".join(pending)


def _first_line_and_more(stream: BinaryIO) -> bytes:
    pieces = [stream.read(BLOCK)]
    while pieces[-1] and not _LINE_BREAK.search(pieces[-1]):
        pieces.append(stream.read(BLOCK))
    return b"".join(pieces)


def _unzipped(stored: "io.BufferedReader[io.RawIOBase]") -> BinaryIO:
    # No UTF-8 text begins with these two bytes, so no suffix is needed to tell.
    is_zipped = stored.peek(len(_GZIP)).startswith(_GZIP)
    return cast("BinaryIO", gzip.GzipFile(fileobj=stored)) if is_zipped else stored


def _read(stored: "io.BufferedReader[io.RawIOBase]") -> Iterator[bytes]:
    try:
        yield from blocks(_unzipped(stored))
    except (EOFError, zlib.error, gzip.BadGzipFile):
        raise DataError("the compressed input is damaged or cut short") from None
    except OSError as error:
        raise DataError(f"reading the input failed: {error.strerror}") from None
