"""GeoJSON: a collection of points, read whole and written as a stream."""

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import BinaryIO

import pyarrow as pa

from publius.core.errors import DataError
from publius.tables.columns import Columns, resolve
from publius.tables.source import Reader
from publius.tables.stream import Gauge, open_binary

BATCH_ROWS = 65_536


def open_geojson(path: Path, gauge: Gauge, columns: Columns) -> Reader:
    """Open a FeatureCollection of points; the whole file is held in memory.

    Args:
        path: The file.
        gauge: Told how much was read.
        columns: The protected ones are what latitude and longitude are to be called;
            other names are those of properties.

    Raises:
        DataError: It is no such collection; the feature is named by its number.
    """
    if len(columns.protected) != 2:
        raise DataError("GeoJSON holds places; release them with publius places")
    lat, lon = columns.protected
    with open_binary(path) as stream:
        features = _features(stream.read())
    points = [_point(feature, row) for row, feature in enumerate(features, start=1)]
    cells: dict[str, list[object]] = {
        lat: [point[1] for point in points],
        lon: [point[0] for point in points],
    }
    needed = [name for name in columns.needed if name not in cells]
    for name in needed:
        cells[name] = [_property(feature, name) for feature in features]
    known = [*cells, *(_names(features) if features else needed)]
    resolve(columns, list(dict.fromkeys(known)), [])
    table = pa.table({name: _column(cells[name], name) for name in columns.needed})
    size = path.stat().st_size

    def read() -> Iterator[pa.RecordBatch]:
        yield from table.to_batches(max_chunksize=BATCH_ROWS)
        gauge.bytes_read = size

    return Reader(columns, table.schema, read)


def write_geojson(
    stream: BinaryIO, tables: Iterable[pa.Table], schema: pa.Schema
) -> None:
    """Write tables as one FeatureCollection of points; latitude and longitude first."""
    lat, lon = schema.names[:2]
    stream.write(b'{"type": "FeatureCollection", "features": [')
    start = b"\n"
    for table in tables:
        start = _write_features(stream, table.to_pylist(), lat, lon, start)
    stream.write(b"\n]}\n")


def _write_features(
    stream: BinaryIO, rows: list[dict[str, object]], lat: str, lon: str, start: bytes
) -> bytes:
    for row in rows:
        north, east = row.pop(lat), row.pop(lon)
        feature = {
            "type": "Feature",
            "geometry": {"type": "Point", "coordinates": [east, north]},
            "properties": row,
        }
        text = json.dumps(feature, ensure_ascii=False, default=str)
        stream.write(start + text.encode("utf-8"))
        start = b",\n"
    return start


def _features(content: bytes) -> list[dict[str, object]]:
    try:
        collection = json.loads(content)
    except (ValueError, RecursionError):
        collection = None  # the error quotes the content
    features = collection.get("features") if isinstance(collection, dict) else None
    if not isinstance(features, list):
        raise DataError("the file is not a GeoJSON FeatureCollection")
    for row, feature in enumerate(features, start=1):
        if not isinstance(feature, dict):
            raise DataError(f"feature {row} is not a GeoJSON feature")
    return features


def _point(feature: dict[str, object], row: int) -> list[float | None]:
    geometry = feature.get("geometry")
    if geometry is None:
        return [None, None]
    if isinstance(geometry, dict) and geometry.get("type") == "Point":
        coordinates = geometry.get("coordinates")
        if (
            isinstance(coordinates, list)
            and len(coordinates) >= 2
            and _are_numbers(coordinates)
        ):
            return [float(coordinates[0]), float(coordinates[1])]
    raise DataError(f"feature {row} is not a point with two coordinates")


def _are_numbers(values: list[object]) -> bool:
    # Compared first: a whole number of JSON may be too long for a float.
    return all(
        type(value) in (int, float) and abs(value) < 1e6  # type: ignore[arg-type]
        for value in values[:2]
    )


def _property(feature: dict[str, object], name: str) -> object:
    properties = feature.get("properties")
    return properties.get(name) if isinstance(properties, dict) else None


def _names(features: list[dict[str, object]]) -> list[str]:
    names: dict[str, None] = {}
    for feature in features:
        properties = feature.get("properties")
        if isinstance(properties, dict):
            names.update(dict.fromkeys(properties))
    return list(names)


def _column(values: list[object], name: str) -> pa.Array:
    try:
        return pa.array(values)
    except (pa.ArrowException, TypeError):
        pass  # its text may quote a value
    raise DataError(f"the property {name!r} must hold one kind of value")
