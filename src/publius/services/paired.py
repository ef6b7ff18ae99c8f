"""Originals beside what left of them, wherever the released texts are."""

import pyarrow as pa

from publius.core.errors import DataError
from publius.tables.formats.memory import Input, as_column

RELEASED = "(released)"
"""Column under which released texts in memory are joined to their originals."""


def with_released(
    table: Input, released: object, column: str = RELEASED
) -> tuple[Input, str]:
    """Return the originals and the name of the released texts beside them.

    Args:
        table: A path or an Arrow table.
        released: Name of a column, file or folder; or the texts themselves.
        column: What texts in memory are to be called.
    """
    if isinstance(released, str):
        return table, released
    if not isinstance(table, pa.Table):
        raise DataError("released texts in memory need their originals in memory too")
    texts = as_column(released)
    if len(texts) != table.num_rows:
        raise DataError(
            f"{table.num_rows} originals need as many released texts, got {len(texts)}"
        )
    return table.append_column(column, texts), column
