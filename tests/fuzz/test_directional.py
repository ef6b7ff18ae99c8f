"""Whatever is written in a cell, only errors of ours escape, and they quote nothing."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from publius.core.errors import PubliusError
from publius.materials.quantity import DAY, WEEK, YEAR, metres, seconds
from publius.materials.times.clock import Clock
from publius.tables.columns import Columns
from publius.tables.formats.geojson import open_geojson
from publius.tables.stream import Gauge

CELLS = st.one_of(
    st.text(max_size=50),
    st.from_regex(r"\A[0-9:TZ+\- .]{0,30}\Z"),
    st.from_regex(r"\A\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d)?(Z|[+-]\d\d:\d\d)?\Z"),
    st.floats().map(str),
)


@given(
    cells=st.lists(CELLS, max_size=4),
    period=st.sampled_from([DAY, WEEK, YEAR, 3600]),
    unit=st.sampled_from([None, 60]),
)
@example(cells=["0001-02-29T00:00Z"], period=YEAR, unit=None)
@example(cells=["1e308"], period=DAY, unit=60)
@example(cells=["06:30", "\x00"], period=DAY, unit=60)
@example(cells=["٠٦:٣٠"], period=DAY, unit=60)
def test_clocks_read_or_refuse(cells: list[str], period: int, unit: int | None) -> None:
    said = ""
    try:
        clock = Clock(period, unit=unit)
        steps = clock.read(cells)
    except PubliusError as error:
        said = str(error)
    assert not any(cell in said for cell in cells if len(cell) > 12)
    if said:
        return
    assert ((steps >= 0) & (steps < clock.modulus)).all()
    assert len(clock.write(steps)) == len(cells)


@given(
    text=st.one_of(st.text(max_size=20), st.from_regex(r"\A[0-9.]{0,8} ?[a-z]{0,6}\Z"))
)
def test_quantities_are_read_or_refused(text: str) -> None:
    for read in (seconds, metres):
        try:
            assert read(text) > 0
        except PubliusError:
            continue


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3)
    | st.dictionaries(st.sampled_from(["type", "features", "geometry", "properties",
                                       "coordinates", "a"]), inner, max_size=4),
    max_leaves=12,
)  # fmt: skip


@given(value=JSON)
@example(value={"features": [{"geometry": {"type": "Point", "coordinates": [1, "x"]}}]})
@example(
    value={"features": [{"geometry": {"type": "Point", "coordinates": [10**400, 1]}}]}
)
@example(value={"features": [{"geometry": None, "properties": []}]})
def test_geojson_is_read_or_refused(value: Any, tmp_path_factory: Any) -> None:
    path: Path = tmp_path_factory.mktemp("fuzz") / "x.geojson"
    path.write_text(json.dumps(value))
    columns = Columns(("lat", "lon"), is_typed=True)
    try:
        list(open_geojson(path, Gauge(), columns).read())
    except PubliusError:
        return


@pytest.mark.parametrize("content", [b"", b"\xff\xfe", b"[" * 100_000])
def test_broken_geojson_is_refused(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "x.geojson"
    path.write_bytes(content)
    with pytest.raises(PubliusError):
        open_geojson(path, Gauge(), Columns(("lat", "lon"), is_typed=True))
