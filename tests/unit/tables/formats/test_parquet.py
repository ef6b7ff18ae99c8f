from pathlib import Path

import pyarrow as pa
import pytest
from pyarrow import parquet

from publius.core.errors import DataError
from publius.tables.columns import Columns
from publius.tables.read import open_source


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "t.parquet"


def read(path: Path, columns: Columns) -> pa.Table:
    source = open_source(path, columns=columns)
    return pa.Table.from_batches(source.batches(), source.schema)


@pytest.mark.parametrize(
    "kind",
    [
        pa.string(),
        pa.large_string(),
        pa.dictionary(pa.int32(), pa.string()),
    ],
)
def test_every_kind_of_string_is_text(path: Path, kind: pa.DataType) -> None:
    table = pa.table({"n": [1, 2, 3], "text": pa.array(["a", None, "é"]).cast(kind)})
    parquet.write_table(table, path)
    found = read(path, Columns((), keep=("n",)))
    assert found.schema.types == [pa.large_string(), pa.int64()]
    assert found.to_pydict() == {"text": ["a", None, "é"], "n": [1, 2, 3]}


def test_kept_columns_keep_their_types(path: Path) -> None:
    table = pa.table(
        {
            "text": ["a"],
            "tags": pa.array([["x", "y"]]),
            "when": pa.array([0], pa.timestamp("us", "UTC")),
            "kind": pa.array(["k"]).dictionary_encode(),
        }
    )
    parquet.write_table(table, path)
    found = read(path, Columns(("text",), keep=("kind", "when", "tags")))
    assert found.column_names == ["text", "kind", "when", "tags"]
    assert found.schema.field("when").type == table.schema.field("when").type
    assert found.schema.field("kind").type == pa.string()
    assert found.to_pylist() == [{n: table[n][0].as_py() for n in found.column_names}]


def test_many_row_groups_and_large_texts(path: Path) -> None:
    texts = ["x" * 10_000_000, *map(str, range(20_000))]
    parquet.write_table(pa.table({"text": texts}), path, row_group_size=3000)
    source = open_source(path, columns=Columns(()))
    batches = list(source.batches())
    assert [t for b in batches for t in b["text"].to_pylist()] == texts
    assert max(batch.num_rows for batch in batches) <= 4096


def test_text_must_be_strings(path: Path) -> None:
    parquet.write_table(pa.table({"text": [1], "b": [b"x"]}), path)
    with pytest.raises(DataError, match="'text' must hold strings, not int64"):
        read(path, Columns(("text",)))
    with pytest.raises(DataError, match="no column holds texts; columns: text, b"):
        read(path, Columns(()))


def test_bytes_that_are_no_unicode_are_refused(path: Path) -> None:
    bad = pa.array([b"SECRET\xff"]).view(pa.string())
    parquet.write_table(pa.table({"text": bad}), path)
    with pytest.raises(DataError, match="damaged after row") as caught:
        read(path, Columns(("text",)))
    assert "SECRET" not in str(caught.value)
    assert caught.value.__context__ is None


@pytest.mark.parametrize("content", [b"", b"PAR1", b"PAR1" * 9, b"text\nSECRET\n"])
def test_what_is_no_parquet_is_refused(path: Path, content: bytes) -> None:
    path.write_bytes(content)
    with pytest.raises(DataError, match="cannot be read as Parquet") as caught:
        read(path, Columns(("text",)))
    assert caught.value.__context__ is None


def test_a_file_cut_inside_is_refused(path: Path) -> None:
    parquet.write_table(pa.table({"text": [str(i) for i in range(50_000)]}), path)
    whole = path.read_bytes()
    path.write_bytes(whole[:1000] + bytes(5000) + whole[6000:])
    with pytest.raises(DataError, match="damaged after row"):
        read(path, Columns(("text",)))
