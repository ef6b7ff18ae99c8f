"""Results as a notebook shows them."""

from collections.abc import Iterable, Sequence
from html import escape

from publius.core.stating import state_number
from publius.core.visible import visible


def html_table(
    title: str, columns: Sequence[str], rows: Iterable[Sequence[object]]
) -> str:
    """Return a table with a caption; every cell is escaped."""
    head = "".join(f"<th>{escape(name)}</th>" for name in columns)
    body = "".join(
        "<tr>" + "".join(f"<td>{escape(_cell(cell))}</td>" for cell in row) + "</tr>"
        for row in rows
    )
    return (
        f"<table><caption>{escape(title)}</caption>"
        f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
    )


def _cell(value: object) -> str:
    return state_number(value, 4) if isinstance(value, float) else visible(str(value))
