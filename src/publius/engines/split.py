"""What an engine moves: addresses of rows out, summaries of finished parts back."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from publius.core.errors import DataError


class Stamp(NamedTuple):
    """By which a changed file is known: its size, and when it was written."""

    size: int
    written_ns: int


class Piece(NamedTuple):
    """Some consecutive rows of one file; ``rows`` -1 means all of them."""

    uri: str
    first: int
    rows: int
    stamp: Stamp | None = None


class Split(NamedTuple):
    """The rows of one part: an address, never a row.

    Args:
        number: Place of the part in the release.
        pieces: Where its rows lie.
        is_standing: An interrupted run has committed it; it is not drawn again.
    """

    number: int
    pieces: tuple[Piece, ...]
    is_standing: bool = False


@dataclass(frozen=True, slots=True)
class PartSummary:
    """What a worker tells about a part that is committed; no text is in it.

    Args:
        number: Place of the part in the release.
        name: Of its object in the store.
        digest: SHA-256 of its bytes.
        counts: Figures of the part, such as its rows.
        charge: Keyed digest of whom the part charges how much.
    """

    number: int
    name: str
    digest: str
    counts: Mapping[str, int]
    charge: bytes = field(default=b"", repr=False)


def cut_by_rows(
    files: Mapping[str, int], rows: int, stamps: Mapping[str, Stamp] | None = None
) -> list[Split]:
    """Cut files into parts of equal rows, whatever the rows and the files hold.

    Args:
        files: Rows of each file, in order.
        rows: Of each part; the last may have fewer.
        stamps: By which a file is known that changed meanwhile.
    """
    known = stamps or {}
    if any(count < 0 for count in files.values()):
        raise DataError("a file cannot have fewer than no rows")
    pieces: list[list[Piece]] = [[]]
    room = rows
    for uri, count in files.items():
        first = 0
        while first < count:
            if not room:
                pieces.append([])
                room = rows
            taken = min(room, count - first)
            pieces[-1].append(Piece(uri, first, taken, known.get(uri)))
            first, room = first + taken, room - taken
    return [Split(number, tuple(parts)) for number, parts in enumerate(pieces)]
