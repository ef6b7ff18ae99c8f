"""Types of columns that were written as text: numbers and truth values.

Only kept columns are looked at, which leave unprotected: no secret cell decides a type.
"""

from collections.abc import Iterable

import pyarrow as pa
import pyarrow.compute as pc

_NO_VALUE = r"\A\z"
_KINDS: tuple[tuple[pa.DataType, str], ...] = (
    (pa.bool_(), r"\A(?:true|false|True|False|TRUE|FALSE)\z"),
    (pa.int64(), r"\A-?(?:0|[1-9][0-9]{0,17})\z"),
    (
        pa.float64(),
        r"\A-?(?:0|[1-9][0-9]{0,14})(?:\.[0-9]{1,15})?(?:[eE][-+]?[0-9]{1,2})?\z",
    ),
)
"""What every cell must look like; a leading zero is part of a code, not of a number."""


def value_types(batches: Iterable[pa.RecordBatch]) -> dict[str, pa.DataType]:
    """Return the type of each column whose cells all are numbers or truth values.

    Empty cells fit every type; a column of nothing else stays as it is.
    """
    fitting: dict[str, set[int]] = {}
    filled: set[str] = set()
    for batch in batches:
        for name in batch.schema.names:
            cells = batch.column(name)
            empty = pc.match_substring_regex(cells, _NO_VALUE)
            if not pc.all(empty).as_py():
                filled.add(name)
            left = fitting.setdefault(name, set(range(len(_KINDS))))
            for kind in tuple(left):
                looks = pc.match_substring_regex(cells, _KINDS[kind][1])
                if not pc.all(pc.or_(empty, looks)).as_py():
                    left.discard(kind)
    return {
        name: _KINDS[min(left)][0]
        for name, left in fitting.items()
        if left and name in filled
    }


def as_typed(batch: pa.RecordBatch, schema: pa.Schema) -> pa.RecordBatch:
    """Return rows of strings with the types of a schema; empty values are null."""
    columns = []
    for field in schema:
        cells = batch.column(field.name)
        if field.type != cells.type:
            empty = pc.match_substring_regex(cells, _NO_VALUE)
            if pa.types.is_boolean(field.type):
                cells = pc.utf8_lower(cells)
            cells = pc.if_else(empty, None, cells).cast(field.type)
        columns.append(cells)
    return pa.record_batch(columns, schema=schema)
