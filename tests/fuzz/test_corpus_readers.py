"""Readers meet any bytes with a PubliusError or rows; tables come back as written."""

import gzip
import tempfile
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from publius.core.errors import PubliusError
from publius.tables.columns import Columns
from publius.tables.formats.table import READABLE, WRITABLE
from publius.tables.read import open_source
from publius.tables.shards import Cut, shards
from publius.tables.write import write_table

UNICODE = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)
ONE_LINE = UNICODE.filter(lambda text: "\n" not in text and not text.endswith("\r"))
MARKS = st.sampled_from(
    [
        b",",
        b'"',
        b"\n",
        b"\r\n",
        b"\t",
        b"text",
        b'{"text":',
        b"}",
        b"\0",
        b"\xff",
        b"[",
        b"PAR1",
    ]
)
BYTES = st.binary(max_size=200) | st.lists(MARKS, max_size=30).map(b"".join)
ENCODINGS = st.sampled_from(["utf-8", "latin-1", "utf-16", "shift_jis", "utf-7"])
COLUMNS = st.sampled_from(
    [Columns(()), Columns(("text",)), Columns(("text",), "user", ("n",))]
)


def complaint(path: Path, columns: Columns, encoding: str) -> str:
    """Read a file to its end; return the error's text, empty if there was none."""
    try:
        source = open_source(path, columns=columns, encoding=encoding)
        for shard in shards(source.batches(), Cut(rows=3)):
            shard.table.validate(full=True)
            assert shard.table.schema == source.schema
    except PubliusError as error:
        return str(error)
    return ""


@pytest.mark.parametrize("name", READABLE)
@settings(max_examples=200, deadline=None)
@given(content=BYTES, encoding=ENCODINGS, columns=COLUMNS, is_packed=st.booleans())
@example(content=b"", encoding="utf-8", columns=Columns(()), is_packed=True)
@example(content=b"text\n\xc3", encoding="utf-8", columns=Columns(()), is_packed=False)
def test_any_bytes_give_rows_or_a_publius_error(
    name: str, content: bytes, encoding: str, columns: Columns, *, is_packed: bool
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, f"t.{name}")
        path.write_bytes(gzip.compress(content) if is_packed else content)
        assert "\n" not in complaint(path, columns, encoding)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    places=st.lists(st.tuples(st.integers(0, 5000), st.integers(0, 255)), max_size=8),
    cut=st.integers(0, 5000),
)
def test_damaged_archives(places: list[tuple[int, int]], cut: int) -> None:
    packed = bytearray(gzip.compress(b"text\n" + b"abc def\n" * 500))
    for place, byte in places:
        packed[place % len(packed)] = byte
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "t.csv.gz")
        path.write_bytes(packed[: len(packed) - cut % len(packed)])
        assert "abc" not in complaint(path, Columns(()), "utf-8")


@pytest.mark.parametrize("name", sorted(set(READABLE) & set(WRITABLE)))
@settings(max_examples=80, deadline=None)
@given(strategy=st.data())
def test_what_is_written_is_read_back(name: str, strategy: st.DataObject) -> None:
    is_txt = name == "txt"
    texts = strategy.draw(st.lists(ONE_LINE if is_txt else UNICODE, max_size=8))
    users = strategy.draw(st.lists(UNICODE, min_size=len(texts), max_size=len(texts)))
    kept = {} if is_txt else {"user": pa.array(users, pa.large_string())}
    table = pa.table({"text": pa.array(texts, pa.large_string()), **kept})
    middle = strategy.draw(st.integers(0, len(texts)))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, f"t.{name}")
        pieces = [table.slice(0, middle), table.slice(middle)]
        write_table(path, pieces, schema=table.schema, format=name)
        if name == "jsonl" and not texts:
            return
        columns = Columns(("text",), keep=tuple(kept))
        source = open_source(path, columns=columns)
        assert pa.Table.from_batches(source.batches(), source.schema).equals(table)
