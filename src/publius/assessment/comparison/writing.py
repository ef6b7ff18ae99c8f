"""Write the results of the lab: CSV, Parquet, JSON, SVG and one HTML page."""

import csv
import io
import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from jinja2 import (
    Environment,
    PackageLoader,
    StrictUndefined,
    Template,
    select_autoescape,
)

from publius.assessment.comparison.rows import Cell
from publius.core.json import finite
from publius.core.stating import state_number
from publius.core.visible import visible
from publius.reporting.made import made
from publius.storage.atomic import write_bytes

Rows = Sequence[Mapping[str, Cell]]


def columns_of(rows: Rows) -> list[str]:
    """Return every column that a row has, in order of appearance."""
    return list(dict.fromkeys(name for row in rows for name in row))


def write_tables(rows: Rows, out: Path, name: str, *, parquet: bool) -> list[Path]:
    """Write rows as CSV and, if asked, Parquet."""
    names = columns_of(rows)
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, names, restval="", lineterminator="\n")
    writer.writeheader()
    writer.writerows({k: "" if v is None else v for k, v in r.items()} for r in rows)
    paths = [out / f"{name}.csv"]
    write_bytes(paths[0], text.getvalue().encode())
    if parquet:
        table = pa.table({n: _column([row.get(n) for row in rows]) for n in names})
        packed = io.BytesIO()
        pq.write_table(table, packed)
        paths.append(out / f"{name}.parquet")
        write_bytes(paths[1], packed.getvalue())
    return paths


def write_json(value: Mapping[str, object], path: Path) -> None:
    """Write plain values; what is not finite is null."""
    write_bytes(path, json.dumps(finite(value), indent=1, allow_nan=False).encode())


def template(name: str) -> Template:
    """Return a template of the lab."""
    return Environment(
        loader=PackageLoader("publius.assessment.comparison"),
        autoescape=select_autoescape(["html", "j2"]),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=lambda it: visible(it) if type(it) is str else it,
    ).get_template(name)


def render(
    title: str,
    notes: Sequence[str],
    pictures: Sequence[tuple[str, str]],
    rows: Rows,
    command: str,
) -> str:
    """Return the self-contained page of an experiment.

    Args:
        title: Of the page.
        notes: Paragraphs.
        pictures: Headings and SVG.
        rows: The table.
        command: What would be typed to make it again, without names of files.
    """
    names = columns_of(rows)
    return template("experiment.html.j2").render(
        title=title,
        notes=notes,
        pictures=pictures,
        columns=names,
        rows=cells_of(rows, names),
        made=made(),
        command=command,
    )


def cells_of(rows: Rows, names: Sequence[str]) -> list[list[dict[str, object]]]:
    """Return what a page shows of every row."""
    return [[_shown(row.get(name)) for name in names] for row in rows]


def _column(values: list[Cell]) -> pa.Array:
    kinds = {type(v) for v in values if v is not None}
    if kinds <= {int}:
        return pa.array(values, pa.int64())
    if kinds <= {int, float}:
        return pa.array(values, pa.float64())
    return pa.array([None if v is None else str(v) for v in values], pa.string())


def _shown(value: Cell) -> dict[str, object]:
    if isinstance(value, float):
        return {"text": state_number(value), "is_number": True}
    if value is None:
        return {"text": "", "is_number": False}
    return {"text": str(value), "is_number": isinstance(value, int)}
