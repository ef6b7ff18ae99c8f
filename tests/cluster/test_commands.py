"""The commands with --engine, as a user types them, on clusters of this machine."""

from pathlib import Path

import pyarrow as pa
import pytest
from pyarrow import parquet
from test_refused import publius

from conftest import files

pytestmark = [pytest.mark.cluster, pytest.mark.filterwarnings("ignore")]


@pytest.fixture(scope="module")
def tables(spot: Path) -> Path:
    """A folder of times and a folder of places."""
    place = spot / "secret" / "tables"
    days = pa.table(
        {"wake": ["06:30", "07:15", "23:50"] * 40, "who": ["a", "b", "c"] * 40}
    )
    spots = pa.table(
        {"lat": [52.5, 48.8] * 60, "lon": [13.4, 2.35] * 60, "who": ["a"] * 120}
    )
    for name, table in {"times": days, "places": spots}.items():
        (place / name).mkdir(parents=True)
        parquet.write_table(table.slice(0, 50), place / name / "a.parquet")
        parquet.write_table(table.slice(50), place / name / "b.parquet")
    return place


@pytest.mark.parametrize("engine", ["spark", "ray"])
def test_times_and_places_on_an_engine(
    tables: Path, tmp_path: Path, engine: str
) -> None:
    kinds = {"times": ["--column", "wake"], "places": ["--radius", "200m"]}
    for kind, options in kinds.items():
        given = [kind, str(tables / kind), *options, "--user", "who", "--seed", "1"]
        here = publius(*given, "-o", str(tmp_path / f"{kind}-here"))
        there = publius(*given, "-o", str(tmp_path / kind), "--engine", engine)
        assert (here.returncode, there.returncode) == (0, 0), there.stderr
        assert files(tmp_path / kind) == files(tmp_path / f"{kind}-here")
        assert there.stderr.strip() == "INSECURE: made with a seed; do not publish it."
