"""THE table of file formats. A new one is a module beside this one and a line here."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import BinaryIO, TypeAlias

import pyarrow as pa

from publius.core.errors import DataError
from publius.tables.columns import Columns
from publius.tables.formats.delimited import open_delimited, write_delimited
from publius.tables.formats.geojson import open_geojson, write_geojson
from publius.tables.formats.jsonl import open_jsonl, write_jsonl
from publius.tables.formats.parquet import open_parquet, write_parquet
from publius.tables.formats.plain import open_lines, write_lines
from publius.tables.source import Reader
from publius.tables.stream import ByteInput, Gauge

Stream: TypeAlias = Callable[[ByteInput, Columns], Reader]
File: TypeAlias = Callable[[Path, Gauge, Columns], Reader]
Write: TypeAlias = Callable[[BinaryIO, Iterable[pa.Table], pa.Schema], None]


@dataclass(frozen=True, slots=True)
class Format:
    """One file format.

    Args:
        suffixes: Of file names, with the dot.
        stream: Opens bytes that are read in order, standard input too.
        file: Opens a file that must be read here and there.
        write: Writes tables; None if it is read only.
        holds_places: It holds places and nothing else.
        has_types: Cells keep their types; lists are some of them.
    """

    suffixes: tuple[str, ...]
    stream: Stream | None = None
    file: File | None = None
    write: Write | None = None
    holds_places: bool = False
    has_types: bool = False


def _office(name: str) -> File:
    """Return a reader of Word or Excel files, whose libraries are an extra."""

    def opened(path: Path, gauge: Gauge, columns: Columns) -> Reader:
        try:
            office = import_module("publius.tables.formats.office")
        except ModuleNotFoundError:
            office = None
        if office is None:
            raise DataError(
                "reading Word and Excel files needs: pip install 'publius[office]'"
            )
        reader: Reader = getattr(office, name)(path, gauge, columns)
        return reader

    return opened


FORMATS: dict[str, Format] = {
    "csv": Format(
        (".csv",),
        partial(open_delimited, delimiter=","),
        write=partial(write_delimited, delimiter=","),
    ),
    "docx": Format((".docx",), file=_office("open_document")),
    "geojson": Format(
        (".geojson", ".geo.json"),
        file=open_geojson,
        write=write_geojson,
        holds_places=True,
    ),
    "jsonl": Format(
        (".jsonl", ".ndjson"), open_jsonl, write=write_jsonl, has_types=True
    ),
    "parquet": Format(
        (".parquet",), file=open_parquet, write=write_parquet, has_types=True
    ),
    "tsv": Format(
        (".tsv", ".tab"),
        partial(open_delimited, delimiter="\t"),
        write=partial(write_delimited, delimiter="\t"),
    ),
    "txt": Format((".txt", ".md", ".markdown"), open_lines, write=write_lines),
    "xlsx": Format((".xlsx",), file=_office("open_sheet")),
}

TYPED = tuple(name for name, one in FORMATS.items() if one.has_types)
"""Formats in which cells keep their types."""

DELIMITED = ("csv", "tsv")
"""Formats whose cells are separated by one character."""

READABLE = tuple(name for name, one in FORMATS.items() if not one.holds_places)
"""Formats that a release reads; GeoJSON goes by its suffix."""

WRITABLE = tuple(
    name for name, one in FORMATS.items() if one.write and not one.holds_places
)
"""Formats that any table can be written in."""
