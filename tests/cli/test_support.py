"""One protected cell more or less: what a release looks like must not change.

Two tables that differ in one protected cell are released. File names, layout, types,
schema, groups of rows, manifest and the words of the report must be the same; only the
drawn values and their digests may differ.
"""

import json
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from pyarrow import csv, parquet

from publius.cli.frame import run

pytestmark = pytest.mark.slow

PICTURES = ("rose", "error_curve", "place_map")
FEW = settings(max_examples=3, phases=[Phase.explicit, Phase.generate])
Rows = Sequence[dict[str, object]]
FORMATS = ("csv", "jsonl", "parquet")


def _nothing(*_: object) -> str:
    return ""


@pytest.fixture(autouse=True, scope="module")
def _no_pictures() -> Iterator[None]:
    """Leave pictures out: they show drawn values, and take most of the time."""
    with pytest.MonkeyPatch.context() as patch:
        for name in PICTURES:
            patch.setattr(f"publius.reporting.directional_figures.{name}", _nothing)
        yield


def _write_jsonl(rows: Rows, path: Path) -> None:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))


def _write_parquet(rows: Rows, path: Path) -> None:
    parquet.write_table(pa.Table.from_pylist(list(rows)), path)


def _write_delimited(rows: Rows, path: Path) -> None:
    texts = [{name: str(cell) for name, cell in row.items()} for row in rows]
    delimiter = "\t" if path.suffix == ".tsv" else ","
    csv.write_csv(
        pa.Table.from_pylist(texts), path, csv.WriteOptions(delimiter=delimiter)
    )


def _write_geojson(rows: Rows, path: Path) -> None:
    features = [
        {
            "type": "Feature",
            "geometry": {"type": "Point", "coordinates": [row["lon"], row["lat"]]},
            "properties": {"who": row["who"]},
        }
        for row in rows
    ]
    collection = {"type": "FeatureCollection", "features": features}
    path.write_text(json.dumps(collection))


WRITERS: dict[str, Callable[[Rows, Path], None]] = {
    "csv": _write_delimited,
    "tsv": _write_delimited,
    "jsonl": _write_jsonl,
    "parquet": _write_parquet,
    "geojson": _write_geojson,
}


def _shape(value: object, *, shaped: bool) -> object:
    """Return type and layout of a value: digits and letters lose their identity."""
    if isinstance(value, str):
        plain = re.sub(r"[^\W\d_]+", "a", re.sub(r"\d", "0", value))
        return plain if shaped else str
    if isinstance(value, dict):
        return {name: _shape(part, shaped=shaped) for name, part in value.items()}
    if isinstance(value, list):
        kinds = [_shape(part, shaped=shaped) for part in value]
        return kinds if shaped else {str(kind) for kind in kinds}
    return type(value)


def _data_support(path: Path, *, shaped: bool) -> object:
    """Return what a data file shows besides its values."""
    if path.suffix == ".parquet":
        stored = parquet.ParquetFile(path)
        groups = range(stored.metadata.num_row_groups)
        sizes = [stored.metadata.row_group(group).num_rows for group in groups]
        rows = stored.read().to_pylist()
        about = (str(stored.schema_arrow), stored.schema_arrow.metadata, sizes)
    elif path.suffix == ".jsonl":
        rows = [json.loads(line) for line in path.read_text().splitlines()]
        about = ("jsonl", None, [len(rows)])
    else:
        header, *rows = path.read_text().splitlines()
        about = (header, None, [len(rows)])
    return about, [_shape(row, shaped=shaped) for row in rows]


def support(out: Path, *, shaped: bool = True) -> object:
    """Return all of a release but the drawn values; `shaped` looks at their layout."""
    manifest = json.loads((out / "manifest.json").read_text())
    names = sorted(path.name for path in out.iterdir())
    manifest["files"] = sorted(manifest["files"])
    report = re.sub(r"[0-9a-f]{64}", "", (out / "report.html").read_text())
    data = [_data_support(out / name, shaped=shaped) for name in manifest["files"]]
    return names, manifest, report, data


def _released(rows: Rows, file_format: str, folder: Path, *command: object) -> Path:
    path = folder / f"in.{file_format}"
    WRITERS[file_format](rows, path)
    verb, *options = map(str, command)
    out = folder / "out"
    assert run([verb, str(path), *options, "-o", str(out)]) == 0
    return out


def _assert_same_support(
    tables: Sequence[Rows],
    file_format: str,
    folders: pytest.TempPathFactory,
    *command: object,
    shaped: bool = True,
) -> None:
    first, second = (
        _released(rows, file_format, folders.mktemp("support"), *command)
        for rows in tables
    )
    assert support(first, shaped=shaped) == support(second, shaped=shaped)


def _pair(rows: Rows, row: int, column: str, cell: object) -> tuple[Rows, Rows]:
    """Return the table, and the table with one cell changed."""
    at = row % len(rows)
    changed = [dict(r) for r in rows]
    changed[at][column] = cell
    return rows, changed


def _people(cells: Sequence[object], column: str) -> Rows:
    return [{column: cell, "who": "ab"[i % 2]} for i, cell in enumerate(cells)]


HOURS, MINUTES = st.integers(0, 23), st.integers(0, 59)
CLOCKS = st.one_of(
    st.builds("{}:{:02d}".format, HOURS, MINUTES),
    st.builds("{:02d}:{:02d}".format, HOURS, MINUTES),
    st.builds("{:02d}:{:02d}:{:02d}".format, HOURS, MINUTES, MINUTES),
    st.builds("2021-05-03T{:02d}:{:02d}Z".format, HOURS, MINUTES),
    st.builds("2021-05-03 {:02d}:{:02d}:07.5+02:00".format, HOURS, MINUTES),
)
STAMPS = st.one_of(
    st.builds("2021-05-{:02d}T{:02d}:03Z".format, st.integers(1, 31), HOURS),
    st.builds("2021-05-{:02d} {:02d}:03:59.1+02".format, st.integers(1, 31), HOURS),
)
NUMBERS = st.one_of(HOURS, HOURS.map(float), st.floats(0, 23.99).map(lambda x: x))
TABLES = {
    "clock": (CLOCKS, ()),
    "seconds": (CLOCKS, ("--resolution", "1s")),
    "week": (STAMPS, ("--period", "week")),
    "year": (STAMPS, ("--period", "year", "--radius", "3d")),
    "hours": (NUMBERS, ("--unit", "h")),
    "whole hours": (NUMBERS, ("--unit", "h", "--resolution", "1h")),
}


@pytest.mark.parametrize("file_format", FORMATS)
@pytest.mark.parametrize("kind", TABLES)
@FEW
@given(choices=st.data())
def test_times(
    kind: str,
    file_format: str,
    choices: st.DataObject,
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    cells, options = TABLES[kind]
    if file_format == "parquet" and "hours" in kind:
        cells = cells.map(float)
    drawn = choices.draw(st.lists(cells, min_size=1, max_size=3))
    pair = _pair(
        _people(drawn, "t"),
        choices.draw(st.integers(0, 2)),
        "t",
        choices.draw(cells),
    )
    # How many digits a drawn number has says nothing about the secret one.
    shaped = "hours" not in kind or file_format in ("jsonl", "parquet")
    command = ("times", "--column", "t", "--user", "who", *options)
    _assert_same_support(pair, file_format, tmp_path_factory, *command, shaped=shaped)


def test_the_first_hour_is_not_told_by_its_digits(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    """9:59 and 10:00 in the first row were once told apart with certainty."""
    for file_format in FORMATS:
        rows = _people(["9:59", "10:20"], "t")
        pair = _pair(rows, 0, "t", "10:00")
        _assert_same_support(
            pair, file_format, tmp_path_factory, "times", "--column", "t"
        )


DEGREES = st.one_of(st.integers(-89, 89), st.floats(-89, 89).map(lambda x: round(x, 3)))


@pytest.mark.parametrize("file_format", [*FORMATS, "tsv", "geojson"])
@FEW
@given(
    places=st.lists(st.tuples(DEGREES, DEGREES), min_size=1, max_size=3),
    row=st.integers(0, 2),
    column=st.sampled_from(["lat", "lon"]),
    cell=DEGREES,
)
def test_places(
    file_format: str,
    places: list[tuple[float, float]],
    row: int,
    column: str,
    cell: float,
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    kind = float if file_format == "parquet" else lambda degrees: degrees
    rows = [{"lat": kind(lat), "lon": kind(lon), "who": "a"} for lat, lon in places]
    pair = _pair(rows, row, column, kind(cell))
    shaped = file_format in ("jsonl", "parquet")
    command = ("places", "--keep", "who", "--radius", "5km")
    _assert_same_support(pair, file_format, tmp_path_factory, *command, shaped=shaped)


WORDS = ("london", "doctor", "river", "justice", "xqzzyt", "qwrtpl")
TEXTS = st.lists(st.sampled_from(WORDS), min_size=1, max_size=4)
SMALL = ("release", "--text", "body", "--vocabulary", 500, "--mechanism", "exponential")
SHAPES: dict[str, tuple[Any, ...]] = {
    "text": (*SMALL, "--as", "text"),
    "bag": (*SMALL, "--as", "bag", "--length", 5),
    "tf": ("release", "--text", "body", "--as", "tf", "--length", 5,
           "--vocabulary", 500),
}  # fmt: skip


@pytest.mark.parametrize("file_format", FORMATS)
@pytest.mark.parametrize("shape", SHAPES)
@settings(FEW, max_examples=2)
@given(texts=st.lists(TEXTS, min_size=1, max_size=3), cell=TEXTS, word=st.integers(0))
def test_words(
    shape: str,
    file_format: str,
    texts: list[list[str]],
    cell: list[str],
    word: int,
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    """A text keeps its number of words where the guarantee says that this is seen."""
    if shape == "text":
        cell = [*texts[0]]
        cell[word % len(cell)] = WORDS[word % len(WORDS)]
    rows = _people([" ".join(text) for text in texts], "body")
    pair = _pair(rows, 0, "body", " ".join(cell))
    written = "parquet" if (shape, file_format) == ("tf", "csv") else file_format
    command = (*SHAPES[shape], "--author", "who", "--format", written)
    _assert_same_support(
        pair, file_format, tmp_path_factory, *command, shaped=shape == "text"
    )


@pytest.mark.parametrize("file_format", ["csv", "jsonl", "parquet"])
def test_sentences(file_format: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    rows = _people(["I liked it.", "42"], "body")
    pair = _pair(rows, 1, "body", "It was long. And dull. I left.")
    command = ("release", "--text", "body", "--mechanism", "dp-vae", "--sigma", 1,
               "--sentences", 1, "--format", "same")  # fmt: skip
    _assert_same_support(pair, file_format, tmp_path_factory, *command, shaped=False)


def test_no_cell_decides_which_column_is_the_text(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    """A cell of digits once made another column with a usual name the text."""
    for file_format in ("csv", "jsonl"):
        rows = [{"text": "river", "body": "doctor"}]
        pair = _pair(rows, 0, "text", "42")
        command = ("release", "--vocabulary", 500, "--as", "bag", "--length", 5)
        _assert_same_support(
            pair, file_format, tmp_path_factory, *command, shaped=False
        )
