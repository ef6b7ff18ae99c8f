import datetime
import decimal
import errno
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pyarrow as pa
import pytest
from pyarrow import parquet

from publius.core.errors import DataError, OutputError, UnknownNameError
from publius.storage.atomic import replacing
from publius.tables.columns import Columns
from publius.tables.formats.table import TYPED, WRITABLE
from publius.tables.read import open_source
from publius.tables.write import write_table

HARD = ['say "hi"', "", "a\0b", "tab\tcomma,", "\u2028😀", "שלום", "'", "\\n", " x "]


def strings(values: list[str | None]) -> pa.Table:
    return pa.table({"text": pa.array(values, pa.large_string())})


def read_back(path: Path, columns: Columns) -> list[dict]:
    source = open_source(path, columns=columns)
    return [row for batch in source.batches() for row in batch.to_pylist()]


@pytest.mark.parametrize("name", WRITABLE)
def test_hard_texts_survive(tmp_path: Path, name: str) -> None:
    path = tmp_path / f"t.{name}"
    write_table(
        path, [strings(HARD), strings(["end"])], schema=strings([]).schema, format=name
    )
    assert [row["text"] for row in read_back(path, Columns(("text",)))] == [
        *HARD,
        "end",
    ]


@pytest.mark.parametrize("name", ["csv", "tsv", "jsonl", "parquet"])
def test_line_breaks_and_kept_columns_survive(tmp_path: Path, name: str) -> None:
    breaks = ["a\nb", "\r\n", "c\r", "\n"]
    whole = strings(breaks).append_column("user", [["u1", "u\n2", "", "u4"]])
    path = tmp_path / f"t.{name}"
    write_table(path, [whole], schema=whole.schema, format=name)
    assert read_back(path, Columns(("text",), "user")) == whole.to_pylist()


@pytest.mark.parametrize("name", WRITABLE)
def test_a_null_keeps_its_row(tmp_path: Path, name: str) -> None:
    path = tmp_path / f"t.{name}"
    whole = strings(["a", None, "b"])
    write_table(path, [whole], schema=whole.schema, format=name)
    texts = [row["text"] for row in read_back(path, Columns(("text",)))]
    assert texts == ["a", None if name in TYPED else "", "b"]


@pytest.mark.parametrize("name", WRITABLE)
def test_no_rows(tmp_path: Path, name: str) -> None:
    path = tmp_path / f"t.{name}"
    write_table(path, [], schema=strings([]).schema, format=name)
    if name == "jsonl":
        assert path.read_bytes() == b""
    else:
        assert read_back(path, Columns(("text",))) == []


def test_jsonl_is_utf8_and_holds_other_types(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    row = {
        "text": "é",
        "share": float("nan"),
        "day": datetime.date(2024, 2, 29),
        "price": decimal.Decimal("1.50"),
        "tags": ["a"],
    }
    whole = pa.Table.from_pylist([row])
    write_table(path, [whole], schema=whole.schema, format="jsonl")
    assert "é".encode() in path.read_bytes()
    expected = row | {"share": None, "day": "2024-02-29", "price": "1.50"}
    assert json.loads(path.read_bytes()) == expected


@pytest.mark.parametrize(
    ("name", "kept", "message"),
    [
        ("csv", pa.array([[1]]), "csv cannot hold these columns"),
        ("jsonl", pa.array([b"\xff"]), "jsonl cannot hold these columns"),
        ("jsonl", pa.array([[float("inf")]]), "jsonl cannot hold these columns"),
        ("txt", pa.array([1]), "txt holds the text alone and 1 more"),
    ],
)
def test_what_a_format_cannot_hold_leaves_no_file(
    tmp_path: Path, name: str, kept: pa.Array, message: str
) -> None:
    whole = strings(["a"]).append_column("kept", kept)
    with pytest.raises(OutputError, match=message) as caught:
        write_table(tmp_path / "t", [whole], schema=whole.schema, format=name)
    assert caught.value.__context__ is None
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("text", ["a\nb", "a\r"])
def test_txt_refuses_line_breaks_by_row(tmp_path: Path, text: str) -> None:
    tables = [strings(["a", "b\rc"]), strings(["c", text])]
    with pytest.raises(OutputError, match="row 4 has line breaks"):
        write_table(tmp_path / "t", tables, schema=tables[0].schema, format="txt")
    assert list(tmp_path.iterdir()) == []


def test_an_unknown_format(tmp_path: Path) -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'parquet'"):
        write_table(tmp_path / "t", [], schema=strings([]).schema, format="parkett")


@pytest.mark.parametrize("name", WRITABLE)
def test_an_error_in_the_rows_keeps_the_old_file(tmp_path: Path, name: str) -> None:
    path = tmp_path / "t"
    path.write_bytes(b"old")

    def tables() -> Iterator[pa.Table]:
        yield strings(["a"])
        raise DataError("row 2 is broken")

    with pytest.raises(DataError, match="row 2"):
        write_table(path, tables(), schema=strings([]).schema, format=name)
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


SCRIPT = """
import resource, sys
from pathlib import Path
import pyarrow as pa
from publius.core.errors import OutputError
from publius.tables.write import write_table
resource.setrlimit(resource.RLIMIT_FSIZE, (50_000, 50_000))
noise = Path("/dev/urandom").open("rb").read(200_000).hex()
table = pa.table({"text": [noise[i:i + 100] for i in range(0, len(noise), 100)]})
for name in sys.argv[2:]:
    try:
        write_table(Path(sys.argv[1], name), [table], schema=table.schema, format=name)
    except OutputError as error:
        print(error)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="needs a limit on file sizes")
def test_a_file_that_outgrows_its_limit_leaves_nothing(tmp_path: Path) -> None:
    command = [sys.executable, "-c", SCRIPT, str(tmp_path), *WRITABLE]
    done = subprocess.run(command, capture_output=True, check=True, text=True)  # noqa: S603 - our own script
    assert done.stdout.count("grew beyond the size limit") == len(WRITABLE)
    assert list(tmp_path.iterdir()) == []


def test_a_full_disk_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    with (
        pytest.raises(OutputError, match=r"cannot write t\.csv: the disk is full"),
        replacing(tmp_path / "t.csv") as stream,
    ):
        stream.write(b"a")
    assert list(tmp_path.iterdir()) == []


def test_an_interrupt_leaves_nothing(tmp_path: Path) -> None:
    def tables() -> Iterator[pa.Table]:
        yield strings(["half"])
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_table(tmp_path / "t", tables(), schema=strings([]).schema, format="csv")
    assert list(tmp_path.iterdir()) == []


def test_groups_of_parquet_rows_do_not_tell_how_tables_were_cut(tmp_path: Path) -> None:
    whole = strings([f"text {i}" for i in range(9_000)])
    written = []
    for cuts in ([], [1], [5_000, 5_001, 8_999]):
        ends = [0, *cuts, whole.num_rows]
        parts = [whole.slice(a, b - a) for a, b in pairwise(ends)]
        path = tmp_path / "t.parquet"
        write_table(path, parts, schema=whole.schema, format="parquet")
        written.append(path.read_bytes())
    assert written[0] == written[1] == written[2]
    groups = parquet.ParquetFile(path).metadata.num_row_groups
    assert groups == 3


def test_lists_of_terms_survive_in_parquet(tmp_path: Path) -> None:
    lists = pa.array([[1, 2], [], None], pa.large_list(pa.int32()))
    whole = pa.table({"terms": lists})
    path = tmp_path / "t.parquet"
    write_table(path, [whole, whole], schema=whole.schema, format="parquet")
    assert parquet.read_table(path).column(0).to_pylist() == lists.to_pylist() * 2
