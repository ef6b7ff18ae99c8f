from pathlib import Path

import pyarrow as pa
import pytest
from pyarrow import parquet

from publius.core.errors import DataError
from publius.tables.columns import Columns
from publius.tables.read import open_source
from publius.tables.shards import Cut, shards


def _degrees(path: Path) -> pa.Table:
    columns = Columns(("lat", "lon"), is_typed=True)
    return pa.Table.from_batches(open_source(path, columns=columns).batches())


def test_parquet_keeps_the_type_of_a_typed_column(tmp_path: Path) -> None:
    path = tmp_path / "places.parquet"
    parquet.write_table(pa.table({"lat": [1.5, None], "lon": [2, 3]}), path)
    assert _degrees(path).to_pydict() == {"lat": [1.5, None], "lon": [2, 3]}
    with pytest.raises(DataError, match="strings"):
        open_source(path, columns=Columns(("lat",)))


@pytest.mark.parametrize("cell", ["1", "1.5", '"1"', "null"])
def test_jsonl_reads_a_typed_column_as_strings_whatever_it_holds(
    cell: str, tmp_path: Path
) -> None:
    path = tmp_path / "places.jsonl"
    path.write_text('{"lat": %s, "lon": 2.5}\n{"lat": 2, "lon": 3}\n' % cell)  # noqa: UP031 - braces of JSON
    written = None if cell == "null" else cell.strip('"')
    table = _degrees(path)
    assert table.column("lat").to_pylist() == [written, "2"]
    assert table.schema.field("lat").type == pa.large_string()


def test_delimited_cells_stay_strings(tmp_path: Path) -> None:
    path = tmp_path / "places.csv"
    path.write_text("lat,lon\n1.50,2\n")
    assert _degrees(path).to_pydict() == {"lat": ["1.50"], "lon": ["2"]}


def test_shards_of_numbers_are_cut_by_rows() -> None:
    batch = pa.record_batch({"lat": [float(i) for i in range(10)]})
    sizes = [shard.table.num_rows for shard in shards([batch], Cut(rows=4))]
    assert sizes == [4, 4, 2]
