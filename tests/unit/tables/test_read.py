import gzip
import io
import json
import sys
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pytest
from pyarrow import parquet

from publius.core.errors import DataError, ParameterError, UnknownNameError
from publius.tables.columns import Columns
from publius.tables.read import open_source

Write = Callable[[str, bytes], Path]
Capture = pytest.CaptureFixture[str]
Feed = Callable[[bytes], None]
TEXT = Columns(("text",))
ROWS = [{"text": "a\nb", "user": "u1"}, {"text": "Ünï 😀", "user": "u2"}]


def rows(path: Path | str, columns: Columns = TEXT, **options: str) -> list[dict]:
    source = open_source(path, columns=columns, **options)
    return [row for batch in source.batches() for row in batch.to_pylist()]


@pytest.fixture
def file(tmp_path: Path) -> Write:
    def write(name: str, content: bytes) -> Path:
        path = tmp_path / name
        path.write_bytes(content)
        return path

    return write


@pytest.fixture
def stdin(monkeypatch: pytest.MonkeyPatch) -> Feed:
    def feed(content: bytes) -> None:
        stream = io.TextIOWrapper(io.BytesIO(content))
        monkeypatch.setattr(sys, "stdin", stream)

    return feed


def table(name: str) -> bytes:
    """Write ROWS, with a column nobody asks for, in the format of a file name."""
    if name == "t.parquet":
        sink = io.BytesIO()
        parquet.write_table(
            pa.Table.from_pylist([{"x": 1, **row} for row in ROWS]), sink
        )
        return sink.getvalue()
    if "jsonl" in name or "ndjson" in name:
        plain = "".join(json.dumps({"x": 1, **row}) + "\n" for row in ROWS).encode()
    else:
        mark = "\t" if "tsv" in name else ","
        lines = [["x", "text", "user"], *([1, *row.values()] for row in ROWS)]
        quoted = [mark.join(f'"{cell}"' for cell in line) for line in lines]
        plain = "\r\n".join(quoted).encode()
    return gzip.compress(plain) if name.endswith(".gz") else plain


NAMES = ["t.csv", "t.CSV", "t.tsv", "t.jsonl", "t.ndjson", "t.parquet"]
NAMES += ["t.csv.gz", "t.tsv.gz", "t.jsonl.gz"]


@pytest.mark.parametrize("name", NAMES)
def test_every_format_gives_the_needed_columns_in_order(name: str, file: Write) -> None:
    path = file(name, table(name))
    source = open_source(path, columns=Columns(("text",), keep=("user",)))
    (batch,) = source.batches()
    assert batch.schema.names == ["text", "user"] == source.schema.names
    assert batch.schema.field("text").type == pa.large_string()
    assert batch.to_pylist() == ROWS
    assert source.format in name.lower().replace("ndjson", "jsonl")


@pytest.mark.parametrize("name", NAMES)
def test_bytes_read_ends_at_the_size(name: str, file: Write) -> None:
    path = file(name, table(name))
    source = open_source(path, columns=Columns(("text",), "user"))
    list(source.batches())
    assert source.bytes_read == source.size_bytes == path.stat().st_size


@pytest.mark.parametrize("name", NAMES)
def test_a_file_can_be_read_twice(name: str, file: Write) -> None:
    source = open_source(file(name, table(name)), columns=TEXT)
    assert [b.num_rows for b in source.batches()] == [2]
    assert [b.num_rows for b in source.batches()] == [2]


@pytest.mark.parametrize("name", ["t.csv", "t.jsonl", "t.parquet"])
def test_a_missing_column_is_named_with_a_suggestion(name: str, file: Write) -> None:
    with pytest.raises(
        DataError, match=r"no column 'txt'; did you mean text\? col.*user"
    ):
        rows(file(name, table(name)), Columns(("txt",)))
    with pytest.raises(DataError, match="no column 'usr'"):
        rows(file(name, table(name)), Columns(("text",), keep=("usr",)))


@pytest.mark.parametrize("name", ["t.csv", "t.jsonl", "t.parquet"])
def test_the_text_column_is_found(name: str, file: Write) -> None:
    assert rows(file(name, table(name)), Columns(())) == [
        {"text": r["text"]} for r in ROWS
    ]


@pytest.mark.parametrize("name", ["t.csv", "t.tsv", "t.jsonl"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32"])
def test_encodings_with_byte_order_marks(name: str, encoding: str, file: Write) -> None:
    path = file(name, table(name).decode().encode(encoding))
    named = "utf-8" if encoding == "utf-8-sig" else encoding
    assert rows(path, Columns(("text",), "user"), encoding=named) == ROWS


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("t.csv", b"id,text\n1,caf\xe9\n"),
        ("t.csv", b"id,t\xe9xt,text\n1,a,\xe9\n"),
        ("t.jsonl", b'{"text": "caf\xe9"}\n'),
        ("t.txt", b"caf\xe9\n"),
    ],
)
def test_what_is_not_utf8_names_the_remedy(
    name: str, content: bytes, file: Write
) -> None:
    path = file(name, content)
    with pytest.raises(DataError, match=r"not UTF-8.*--encoding latin-1") as caught:
        rows(path)
    assert caught.value.__context__ is None
    assert "é" in json.dumps(rows(path, encoding="latin-1"), ensure_ascii=False)


def test_a_broken_row_that_is_not_utf8(file: Write, capfd: Capture) -> None:
    with pytest.raises(DataError, match="not UTF-8"):
        rows(file("t.csv", b"id,text\n\xe9,b,\xe9\n"))
    assert capfd.readouterr().err == ""


def test_bytes_outside_the_named_encoding(file: Write) -> None:
    with pytest.raises(DataError, match="the input is not ASCII"):
        rows(file("t.txt", b"\xff"), encoding="ascii")


@pytest.mark.parametrize("encoding", ["klingon", "hex", "utf-8\0", ""])
def test_unknown_encodings_are_refused(encoding: str, file: Write) -> None:
    with pytest.raises(ParameterError, match="unknown encoding"):
        rows(file("t.txt", b"a"), encoding=encoding)


def test_a_damaged_archive_is_refused(file: Write) -> None:
    packed = gzip.compress(b"text\n" + b"abc" * 1000)
    with pytest.raises(DataError, match="damaged or cut short"):
        rows(file("t.csv.gz", packed[:-9]))


def test_unknown_suffix_and_format(file: Write) -> None:
    path = file("t.doc", b"abc\n")
    with pytest.raises(
        ParameterError, match=r"cannot tell the format of 't\.doc'.*csv"
    ):
        rows(path)
    with pytest.raises(UnknownNameError, match="did you mean 'jsonl'"):
        rows(path, input_format="json")
    assert rows(path, input_format="txt") == [{"text": "abc"}]


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="does not exist"):
        rows(tmp_path / "no.csv")


def test_stdin_is_text_lines_by_default(stdin: Feed) -> None:
    stdin(b"one\ntwo")
    source = open_source("-", columns=Columns(()))
    assert source.size_bytes is None
    assert source.identity is None
    texts = [t for batch in source.batches() for t in batch["text"].to_pylist()]
    assert texts == ["one", "two"]
    with pytest.raises(DataError, match="only once"):
        list(source.batches())


@pytest.mark.parametrize("name", ["t.csv", "t.tsv", "t.jsonl", "t.csv.gz"])
def test_stdin_in_other_formats(name: str, stdin: Feed) -> None:
    stdin(table(name))
    found = rows("-", Columns(("text",), "user"), input_format=name.split(".")[1])
    assert found == ROWS


def test_stdin_longer_than_the_head(stdin: Feed) -> None:
    stdin(b"text\n" + b"0123456789abcde\n" * 200_000)
    assert len(rows("-", input_format="csv")) == 200_000


def test_a_row_too_long_for_a_pipe(stdin: Feed) -> None:
    stdin(b'text\na\n"' + b"x" * 40_000_000)
    with pytest.raises(DataError, match="longer than 16 MiB"):
        rows("-", input_format="csv")


def test_parquet_from_stdin_is_refused() -> None:
    with pytest.raises(ParameterError, match="name a file instead"):
        rows("-", input_format="parquet")


def test_identity_changes_with_the_file(file: Write) -> None:
    first = open_source(file("t.txt", b"a\n"), columns=TEXT).identity
    second = open_source(file("t.txt", b"a\nb\n"), columns=TEXT).identity
    assert first is not None
    assert second is not None
    assert (first.size, second.size) == (2, 4)
    assert first != second
