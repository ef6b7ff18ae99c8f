"""Bytes of any text encoding as UTF-8 that is known to be valid."""

import codecs
import struct
from collections.abc import Iterator

import pyarrow as pa

from publius.core.errors import DataError, ParameterError

_DECODED_AT_ONCE = 64 << 10


def check_encoding(encoding: str) -> str:
    """Return the name of a text encoding that Python knows."""
    try:
        name = codecs.lookup(encoding).name
        codecs.getincrementaldecoder(name)
        "".encode(name)  # refuses codecs that are no text encodings, such as hex
    except (LookupError, ValueError):
        raise ParameterError(
            f"unknown encoding {encoding!r}; for example utf-8, latin-1 or cp1252"
        ) from None
    return name


def as_utf8(stored: Iterator[bytes], encoding: str) -> Iterator[bytes]:
    """Yield stored bytes as UTF-8, checked, without a byte order mark."""
    pieces = _checked(stored) if encoding == "utf-8" else _recoded(stored, encoding)
    start = next((piece for piece in pieces if piece), b"")
    yield start.removeprefix(codecs.BOM_UTF8)
    yield from pieces


def _checked(stored: Iterator[bytes]) -> Iterator[bytes]:
    rest = b""
    for block in stored:
        whole = rest + block
        end = _last_boundary(whole)
        rest = whole[end:]
        yield _refuse_unless_utf8(whole[:end])
    yield _refuse_unless_utf8(rest)


def _last_boundary(block: bytes) -> int:
    """Return where a character begins that the block may hold only in part."""
    for end in range(len(block) - 1, max(len(block) - 4, -1), -1):
        if block[end] & 0b1100_0000 != 0b1000_0000:  # no continuation byte
            return end
    return len(block)


def _refuse_unless_utf8(block: bytes) -> bytes:
    # Arrow checks without making a string, which would be four times as large where
    # an emoji occurs and slower to make than the rest of the reading.
    ends = pa.py_buffer(struct.pack("=2q", 0, len(block)))
    text = pa.Array.from_buffers(
        pa.large_string(), 1, [None, ends, pa.py_buffer(block)]
    )
    try:
        text.validate(full=True)
    except pa.ArrowInvalid:
        is_valid = False
    else:
        is_valid = True
    if not is_valid:
        is_wide = block.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
        raise _not_in("utf-8", "utf-16" if is_wide else "latin-1")
    return block


def _recoded(stored: Iterator[bytes], encoding: str) -> Iterator[bytes]:
    decoder = codecs.getincrementaldecoder(encoding)()
    for block in stored:
        # Strings can take four times the bytes: small ones are reused, not hoarded.
        for start in range(0, len(block), _DECODED_AT_ONCE):
            part = block[start : start + _DECODED_AT_ONCE]
            yield _recode(decoder, part, encoding)
    yield _recode(decoder, b"", encoding)


def _recode(decoder: codecs.IncrementalDecoder, part: bytes, encoding: str) -> bytes:
    try:
        return decoder.decode(part, final=not part).encode("utf-8")
    except UnicodeError:
        pass  # it holds the bytes, so it must not travel as the context
    raise _not_in(encoding)


def _not_in(encoding: str, example: str = "latin-1") -> DataError:
    return DataError(
        f"the input is not {encoding.upper()}; name its encoding, "
        f"for example --encoding {example}"
    )
