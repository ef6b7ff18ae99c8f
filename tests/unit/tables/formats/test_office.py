"""Word and Excel files in."""

import gc
import warnings
import zipfile
from contextlib import suppress
from datetime import date
from pathlib import Path

import pyarrow as pa
import pytest
from pyarrow import parquet

docx = pytest.importorskip("docx")
openpyxl = pytest.importorskip("openpyxl")

import publius as pb
from publius.core.errors import DataError, ParameterError, UnknownNameError
from publius.tables.columns import Columns
from publius.tables.read import open_source


@pytest.fixture
def letter(tmp_path: Path) -> Path:
    made = docx.Document()
    made.core_properties.author = "Zyxwinska"
    made.add_heading("A letter")
    made.add_paragraph("The people came.")
    made.add_paragraph("")
    table = made.add_table(rows=1, cols=2)
    table.cell(0, 0).text = "world"
    table.cell(0, 1).text = "again"
    made.sections[0].header.paragraphs[0].text = "Zyxwinska & Co"
    made.save(tmp_path / "letter.docx")
    return tmp_path / "letter.docx"


@pytest.fixture
def book(tmp_path: Path) -> Path:
    made = openpyxl.Workbook()
    for row in (
        ["body", "stars", "when", "code", None],
        ["the people", 5, date(2024, 1, 2), "007", None],
        ["a world", 4.0, None, "12", None],
        [None, None, None, None, None],
        [3, 2.5, None, "x", None],
    ):
        made.active.append(row)
    made.create_sheet("other").append(["Zyxwinska"])
    made.save(tmp_path / "book.xlsx")
    return tmp_path / "book.xlsx"


def rows(path: Path, columns: Columns) -> pa.Table:
    source = open_source(path, columns=columns)
    return pa.Table.from_batches(list(source.batches()), schema=source.schema)


def test_paragraphs_are_rows_and_nothing_else_is_read(letter: Path) -> None:
    read = rows(letter, Columns()).column("text").to_pylist()
    assert read == ["A letter", "The people came.", "world", "again"]


def test_the_first_sheet_is_a_table(book: Path) -> None:
    read = rows(book, Columns(("body",), None, ("stars", "when", "code")))
    assert read.column("body").to_pylist() == ["the people", "a world", "3"]
    assert read.column("stars").to_pylist() == ["5", "4", "2.5"]
    assert read.column("when").to_pylist() == ["2024-01-02", "", ""]


def test_kept_columns_of_a_sheet_keep_their_types(book: Path) -> None:
    asked = Columns(("body",), "code", ("stars", "code"), types_kept=True)
    read = rows(book, asked)
    assert read.schema.field("stars").type == pa.float64()
    assert read.schema.field("code").type == pa.large_string()
    assert read.column("code").to_pylist() == ["007", "12", "x"]


@pytest.mark.parametrize("name", ["x.docx", "x.xlsx"])
def test_damaged_files_are_one_error(tmp_path: Path, name: str) -> None:
    for content in (b"", b"no archive", b"PK\x03\x04 cut"):
        (tmp_path / name).write_bytes(content)
        with pytest.raises(DataError, match="cannot be read as"):
            rows(tmp_path / name, Columns())


@pytest.mark.slow
@pytest.mark.parametrize("part", range(1, 20))
def test_a_cut_file_is_one_error(book: Path, letter: Path, part: int) -> None:
    for path in (book, letter):
        content = path.read_bytes()
        cut = bytearray(content)
        cut[len(content) * part // 20] ^= 0xFF
        path.write_bytes(bytes(cut))
        with suppress(DataError):  # any other error fails the test
            rows(path, Columns(("body",) if path == book else ()))
        gc.collect()  # a file that is left open is a warning now, not in another test
        path.write_bytes(content)


def test_a_workbook_cannot_come_from_standard_input() -> None:
    with pytest.raises(ParameterError, match="standard input"):
        open_source("-", columns=Columns(), input_format="xlsx")


def test_markdown_is_read_by_lines(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("# The people\n\n- of the world\n")
    read = rows(tmp_path / "a.md", Columns()).column("text").to_pylist()
    assert read == ["# The people", "", "- of the world"]


BOX = (
    '<w:r><mc:AlternateContent xmlns:mc="http://schemas.openxmlformats.org/'
    'markup-compatibility/2006"><mc:Choice Requires="wps"><w:txbxContent><w:p><w:r>'
    "<w:t>Once only</w:t></w:r></w:p></w:txbxContent></mc:Choice><mc:Fallback>"
    "<w:txbxContent><w:p><w:r><w:t>Once only</w:t></w:r></w:p></w:txbxContent>"
    "</mc:Fallback></mc:AlternateContent></w:r>"
)


def test_what_stands_in_a_text_box_is_read_once(letter: Path) -> None:
    boxed = letter.with_name("boxed.docx")
    with zipfile.ZipFile(letter) as old, zipfile.ZipFile(boxed, "w") as new:
        for name in old.namelist():
            content = old.read(name)
            if name == "word/document.xml":
                mark = b"The people came.</w:t></w:r>"
                assert content.count(mark) == 1
                content = content.replace(mark, mark + BOX.encode())
            new.writestr(name, content)
    read = rows(boxed, Columns()).column("text").to_pylist()
    assert read.count("Once only") == 1


@pytest.mark.parametrize("word", ["people", "\u2764", "\u20ac", "\u00a9"])
def test_no_word_of_a_paragraph_decides_whether_it_is_a_row(
    tmp_path: Path, word: str
) -> None:
    made = docx.Document()
    for text in (word, " \xa0\t", "the end"):
        made.add_paragraph(text)
    made.save(tmp_path / "letter.docx")
    read = rows(tmp_path / "letter.docx", Columns()).column("text").to_pylist()
    assert read == [word, "the end"]


def test_the_times_of_a_sheet_leave_as_parquet(tmp_path: Path) -> None:
    made = openpyxl.Workbook()
    for row in (["wake", "who"], ["07:30", "a"], ["08:30", "b"]):
        made.active.append(row)
    made.save(tmp_path / "book.xlsx")
    pb.release_times(
        str(tmp_path / "book.xlsx"), "wake", 1, "30min", out=tmp_path / "out"
    )
    assert parquet.read_table(tmp_path / "out" / "data.parquet").num_rows == 2


def test_what_is_only_read_is_refused_before_anything_is_drawn(tmp_path: Path) -> None:
    with pytest.raises(UnknownNameError, match="no output format 'xlsx'"):
        pb.release(["a world"], vocabulary=60, out=tmp_path / "out", format="xlsx")
    assert not (tmp_path / "out").exists()


def test_no_warning_about_a_cell_is_heard(tmp_path: Path) -> None:
    made = openpyxl.Workbook()
    for row in (["body"], ["a"], [447700900123], ["z"]):
        made.active.append(row)
    made.active["A3"].number_format = "yyyy-mm-dd"  # no day has so large a number
    made.save(tmp_path / "book.xlsx")
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        read = rows(tmp_path / "book.xlsx", Columns()).column("body").to_pylist()
    assert not [one for one in heard if "447700900123" in str(one.message)]
    assert (read[0], read[2]) == ("a", "z")


def test_that_other_sheets_are_not_read_is_told(book: Path, tmp_path: Path) -> None:
    told: list[str] = []
    pb.release(book, "body", out=tmp_path / "out", vocabulary=60, keep=("stars",),
               watch=pb.Watch(note=told.append))  # fmt: skip
    assert told[0].startswith("Only the first sheet is read; the workbook has 1 more")
    assert "Zyxwinska" not in told[0]
    other = openpyxl.load_workbook(book)
    other["other"].delete_rows(1)
    other.create_sheet("empty")
    other.save(book)
    assert open_source(book, columns=Columns(("body",))).reader.notes == ()
