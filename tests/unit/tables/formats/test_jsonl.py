import io
import json
import sys
from pathlib import Path

import pyarrow as pa
import pytest

from publius.core.errors import DataError
from publius.tables.columns import Columns
from publius.tables.read import open_source

TEXT = Columns(("text",))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "t.jsonl"


def write(path: Path, *rows: object) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def column(path: Path, name: str) -> pa.ChunkedArray:
    source = open_source(path, columns=Columns(("text",), keep=(name,)))
    return pa.Table.from_batches(source.batches(), source.schema).column(name)


@pytest.mark.parametrize(
    ("values", "kind", "expected"),
    [
        ([1, None, 2], pa.int64(), [1, None, 2]),
        ([4, 4.5], pa.float64(), [4.0, 4.5]),
        ([True, False], pa.bool_(), [True, False]),
        (["2024-01-01", "x"], pa.large_string(), ["2024-01-01", "x"]),
        ([1, "x", None], pa.large_string(), ["1", "x", None]),
        ([True, 1], pa.large_string(), ["true", "1"]),
        ([[1, 2], {"a": "é"}], pa.large_string(), ["[1, 2]", '{"a": "\\u00e9"}']),
        ([2**70, 1], pa.large_string(), [str(2**70), "1"]),
        ([None, None], pa.large_string(), [None, None]),
    ],
)
def test_a_kept_column_has_one_type(
    path: Path, values: list, kind: pa.DataType, expected: list
) -> None:
    write(path, *({"text": "a", "x": value} for value in values))
    found = column(path, "x")
    assert found.type == kind
    assert found.to_pylist() == expected


def test_types_are_those_of_the_whole_file(path: Path) -> None:
    filler = [{"text": "a" * 1000, "x": 1}] * 3000
    write(path, *filler, {"text": "b", "x": 0.5, "new": "key"}, {"text": "c"})
    assert column(path, "x").to_pylist()[-3:] == [1.0, 0.5, None]
    assert column(path, "new").to_pylist()[-2:] == ["key", None]


def test_a_pipe_that_changes_its_mind_is_refused(
    monkeypatch: pytest.MonkeyPatch, path: Path
) -> None:
    filler = [{"text": "a" * 1000, "x": 1}] * 3000
    content = write(path, *filler, {"text": "b", "x": "SECRET"}).read_bytes()
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))
    asked = Columns(("text",), keep=("x",))
    source = open_source("-", columns=asked, input_format="jsonl")
    with pytest.raises(DataError, match="int64 values at first; line 3001") as caught:
        list(source.batches())
    assert "SECRET" not in str(caught.value)


def test_missing_and_null_texts_are_null(path: Path) -> None:
    write(path, {"text": "a"}, {"text": None}, {"other": 1})
    (batch,) = open_source(path, columns=TEXT).batches()
    assert batch.column(0).to_pylist() == ["a", None, None]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('{"text": 5}', "column 'text' must hold strings; line 3 does not"),
        ('{"text": ["SECRET"]}', "must hold strings; line 3"),
        ('{"text": "SECRET"', "line 3 is not a JSON object"),
        ('"SECRET"', "line 3 is not a JSON object"),
        ('[{"text": "SECRET"}]', "one object in each line, with no list around them"),
        ("[" * 100_000, "line 3 is not a JSON object"),
        ('{"text": "SE\0CRET"}', "line 3 is not a JSON object"),
        ('{"text": "SECRET\\ud800"}', "surrogate pair in line 3"),
        ('{"text": "a", "x": ' + "9" * 5000 + "}", "line 3 is not a JSON object"),
    ],
)
def test_broken_lines_are_placed_and_not_quoted(
    path: Path, line: str, message: str
) -> None:
    path.write_text(f'{{"text": "a"}}\n\n{line}\n')
    with pytest.raises(DataError, match=message) as caught:
        list(open_source(path, columns=TEXT).batches())
    assert "SECRET" not in str(caught.value)
    assert caught.value.__context__ is None


def test_line_numbers_count_across_blocks(path: Path) -> None:
    rows = [{"text": "a" * 1000}] * 3000
    write(path, *rows, {"text": 1})
    with pytest.raises(DataError, match="line 3001"):
        list(open_source(path, columns=TEXT).batches())


def test_a_line_of_ten_megabytes(path: Path) -> None:
    write(path, {"text": "x" * 10_000_000}, {"text": "\u2028\0é"})
    texts = [
        text
        for batch in open_source(path, columns=TEXT).batches()
        for text in batch.column(0).to_pylist()
    ]
    assert [len(text) for text in texts] == [10_000_000, 3]


@pytest.mark.parametrize("content", [b"", b"\n \r\n"])
def test_an_empty_file_is_told_as_empty(path: Path, content: bytes) -> None:
    path.write_bytes(content)
    with pytest.raises(DataError, match="the table is empty"):
        open_source(path, columns=TEXT)
