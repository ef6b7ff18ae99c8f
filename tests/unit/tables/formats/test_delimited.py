from pathlib import Path

import pytest

from publius.core.errors import DataError
from publius.tables.columns import Columns
from publius.tables.formats import delimited
from publius.tables.read import open_source

TEXT = Columns(("text",))


def texts(path: Path, content: bytes, columns: Columns = TEXT) -> list[str]:
    path.write_bytes(content)
    source = open_source(path, columns=columns)
    return [t for batch in source.batches() for t in batch.column(0).to_pylist()]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "t.csv"


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b'id,text\n1,"a\nb"\n2,c\n', ["a\nb", "c"]),
        (b'id,text\r\n1,"a\r\nb"\r\n2,c', ["a\r\nb", "c"]),
        (b"id,text\r1,a\r2,b", ["a", "b"]),
        (b'id,text\n1,"say ""hi"""\n2,5" disk\n', ['say "hi"', '5" disk']),
        (b"id,text\n1,\n2,\n", ["", ""]),
        (b"text,id\n007,1\nNA,2\n1.50,3\n", ["007", "NA", "1.50"]),
        (b"id,text\n1,a\0b\n", ["a\0b"]),
        (b"id,text\n\n1,a\n\n\n2,b\n\n", ["a", "b"]),
        (b"id,text\n", []),
        (b"id,text", []),
        (b"\xef\xbb\xbftext\na\n", ["a"]),
    ],
)
def test_cells_are_read_as_they_are_written(
    path: Path, content: bytes, expected: list[str]
) -> None:
    assert texts(path, content) == expected


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "the table is empty; its first line must name the columns"),
        (b"\n\n", "the table is empty"),
        (b"id,text\n1,a\n2,SECRET,b\n", "row 3 has 3 fields where the header, row 1"),
        (b"id,text\n1,a\nSECRET\n", "row 3 has 1 field where"),
        (b'id,text\n1,"x\ny"\n2,SECRET,b\n', "row 3 has 3 fields"),
        (
            b"id,text\n" + b"1,a\n" * 400_000 + b"SECRET\n",
            "row 400002 has 1 field where",
        ),
        (b'id,text\n1,a\n2,"SECRET\n3,b\n', "quotation mark .* row 2 or later"),
        (b"text,text\na,SECRET\n", "2 columns are called 'text'"),
    ],
)
def test_broken_tables_are_placed_and_not_quoted(
    path: Path, content: bytes, message: str
) -> None:
    with pytest.raises(DataError, match=message) as caught:
        texts(path, content)
    assert "SECRET" not in str(caught.value)
    assert caught.value.__cause__ is None
    assert caught.value.__context__ is None


@pytest.mark.parametrize("quote", [b"", b'"'])
def test_a_cell_of_ten_megabytes(path: Path, quote: bytes) -> None:
    small = b"1,a\n\n" * 100_000
    large = quote + b"x" * 10_000_000 + quote
    found = texts(path, b"id,text\n" + small + b"2," + large + b"\n" + small)
    assert [len(text) for text in found] == [1] * 100_000 + [10_000_000] + [1] * 100_000


def test_a_character_across_the_end_of_a_block(path: Path) -> None:
    rows = [f"{'a' * shift},{'é' * 300_000}" for shift in range(9)]
    content = "\n".join(["id,text", *rows]).encode()
    assert texts(path, content) == ["é" * 300_000] * 9


def test_a_first_line_longer_than_a_block(path: Path) -> None:
    assert texts(path, b"x" * 3_000_000 + b",text\n1,a\n") == ["a"]


def test_rows_beyond_the_limit_are_refused(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(delimited, "LARGEST_ROW", 4 << 20)
    with pytest.raises(DataError, match="a row after row 1 is longer than 4 MiB"):
        texts(path, b'text\na\n"' + b"x" * 20_000_000)


def test_nothing_after_an_open_quotation_mark_is_released(path: Path) -> None:
    path.write_bytes(b"text\n" + b"abc\n" * 400_000 + b'"abc\nabc\n')
    seen: list[str] = []
    batches = open_source(path, columns=TEXT).batches()
    with pytest.raises(DataError, match="never closed"):
        seen.extend(text for batch in batches for text in batch["text"].to_pylist())
    assert set(seen) == {"abc"}


def test_tsv_keeps_commas(tmp_path: Path) -> None:
    assert texts(tmp_path / "t.tsv", b'id\ttext\n1\ta,b\n2\t"c\td"\n') == [
        "a,b",
        "c\td",
    ]


@pytest.mark.parametrize(
    ("header", "row", "found"),
    [
        (b"id,stars,opinion", b"1,5,great", "opinion"),
        (b"user,Body,n", b"u,a b,1", "Body"),
        (b"review,text", b"a,b", "text"),
    ],
)
def test_the_text_column_is_found(
    path: Path, header: bytes, row: bytes, found: str
) -> None:
    path.write_bytes(header + b"\n" + row + b"\n")
    assert open_source(path, columns=Columns(())).columns.protected == (found,)


def test_an_unclear_text_column_lists_the_names(path: Path) -> None:
    with pytest.raises(DataError, match="name it with --text; columns: a, b, c"):
        texts(path, b"a,b,c\nx,y,1\n", Columns(()))


def test_what_is_read_ahead_does_not_count_as_done(path: Path) -> None:
    path.write_bytes(b"text\n" + (b"people of the world\n" * 1000) * 400)
    source = open_source(path, columns=TEXT)
    done = [source.bytes_read for _ in source.batches()]
    assert done[:-1] == [delimited.BLOCK * (k + 1) for k in range(len(done) - 1)]
    assert len(done) > 5
    assert source.bytes_read == source.size_bytes
