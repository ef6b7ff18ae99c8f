import gzip
from pathlib import Path

import pytest

from publius.core.errors import DataError
from publius.tables.columns import Columns
from publius.tables.read import open_source

NONE = Columns(())


def rows(path: Path, columns: Columns = NONE) -> list[dict]:
    source = open_source(path, columns=columns)
    return [row for batch in source.batches() for row in batch.to_pylist()]


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"", []),
        (b"\n", [""]),
        (b"a", ["a"]),
        (b"a\n\nb\n", ["a", "", "b"]),
        (b"a\r\nb\rc\r\n", ["a", "b\rc"]),
        (b"\xef\xbb\xbfa\x0c\xe2\x80\xa8b\n", ["a\x0c\u2028b"]),
        (b"a\0b\n", ["a\0b"]),
    ],
)
def test_a_row_per_line(tmp_path: Path, content: bytes, expected: list[str]) -> None:
    path = tmp_path / "t.txt"
    path.write_bytes(content)
    assert [row["text"] for row in rows(path)] == expected


def test_long_and_many_lines(tmp_path: Path) -> None:
    path = tmp_path / "t.txt"
    expected = ["x" * 10_000_000, *("é" * 100 for _ in range(20_000)), "y" * 3_000_000]
    path.write_text("\n".join(expected))
    assert [row["text"] for row in rows(path)] == expected


def test_a_text_file_has_no_other_column(tmp_path: Path) -> None:
    path = tmp_path / "t.txt"
    path.write_text("a\n")
    with pytest.raises(DataError, match="no column 'user'; columns: text"):
        rows(path, Columns((), "user"))


def test_a_folder_has_a_row_per_file(tmp_path: Path) -> None:
    (tmp_path / "b.txt").write_bytes(b"two\nlines\r\n")
    (tmp_path / "a.TXT").write_text("é")
    (tmp_path / "c.txt.gz").write_bytes(gzip.compress(b"packed"))
    (tmp_path / ".hidden.txt").write_text("no")
    (tmp_path / "notes.md").write_text("# yes")
    (tmp_path / "notes.rst").write_text("no")
    (tmp_path / "d.txt").mkdir()
    assert rows(tmp_path, Columns((), keep=("file",))) == [
        {"text": "é", "file": "a.TXT"},
        {"text": "two\nlines\r\n", "file": "b.txt"},
        {"text": "packed", "file": "c.txt.gz"},
        {"text": "# yes", "file": "notes.md"},
    ]


def test_a_folder_of_many_files(tmp_path: Path) -> None:
    for i in range(2500):
        (tmp_path / f"{i:04}.txt").write_text(str(i))
    source = open_source(tmp_path, columns=NONE)
    texts = [t for batch in source.batches() for t in batch["text"].to_pylist()]
    assert texts == [str(i) for i in range(2500)]
    assert source.format == "folder"
    assert source.bytes_read == source.size_bytes


def test_files_are_placed_and_not_named(tmp_path: Path) -> None:
    (tmp_path / "alice.txt").write_text("fine")
    (tmp_path / "bob.txt").write_bytes(b"caf\xe9")
    with pytest.raises(DataError, match="file 2 in the order of names") as caught:
        rows(tmp_path)
    assert "bob" not in str(caught.value)
    assert caught.value.__context__ is None


def test_a_folder_without_texts(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"no table, .txt or .md file; folders in it"):
        rows(tmp_path)


def test_file_names_are_not_the_text(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("a")
    with pytest.raises(DataError, match="its column 'text', not 'file'"):
        rows(tmp_path, Columns(("file",)))
