"""Tables that fit the terminal: lines break between words, figures are never cut."""

from collections.abc import Callable, Collection, Sequence
from typing import TypeAlias

from rich.box import SIMPLE_HEAD
from rich.cells import cell_len
from rich.table import Table
from rich.text import Text

from publius.cli import show
from publius.core.visible import visible

Cell: TypeAlias = str | Text

_GAP = 2
"""Blanks behind a cell: its padding and the line between columns, which is blank."""

_FRAME = 2
"""Blanks at the two ends of a line."""


def print_table(
    headings: Sequence[str],
    rows: Sequence[Sequence[Cell]],
    *,
    title: str = "",
    figures: Collection[str] = (),
) -> None:
    """Print a table, or one block of lines per row where the terminal is too narrow.

    Args:
        headings: Of the columns; all empty for a table without a head.
        rows: Their cells.
        title: Stands above.
        figures: Headings of columns whose cells are aligned at their right end.
    """
    rows = [[_shown(cell) for cell in row] for row in rows]
    columns = [[heading, *column] for heading, column in _columns(headings, rows)]
    room = show.RESULTS.width - _FRAME - _GAP * len(columns)
    widths = _widths(columns, room)
    if widths is None:
        _print_blocks(headings, rows, title)
        return
    table = Table(
        box=SIMPLE_HEAD if any(headings) else None,
        padding=(0, 1, 0, 0),
        pad_edge=False,
        show_header=any(headings),
        title=Text(title) if title else None,
        title_justify="left",
    )
    for heading, width in zip(headings, widths, strict=True):
        side = "right" if heading in figures else "left"
        table.add_column(heading, width=width, justify=side)  # type: ignore[arg-type]
    for row in rows:
        table.add_row(*(_plain(cell) for cell in row))
    show.RESULTS.print(table, crop=False)


def _columns(
    headings: Sequence[str], rows: Sequence[Sequence[Cell]]
) -> list[tuple[str, list[Cell]]]:
    return [
        (heading, [row[place] for row in rows])
        for place, heading in enumerate(headings)
    ]


def _shown(cell: Cell) -> Cell:
    """Return a cell without what a terminal would obey: texts may hold anything."""
    if isinstance(cell, Text):
        return cell
    return visible(cell.replace("\r\n", "\n"))


def _plain(cell: Cell) -> Text:
    """Return a cell that is printed as it is written: brackets are no markup."""
    return cell if isinstance(cell, Text) else Text(cell)


def _widths(columns: Sequence[Sequence[Cell]], room: int) -> list[int] | None:
    """Return the widths of columns; None if a word would have to be broken."""
    most = [_longest(column, str.splitlines) for column in columns]
    least = [_longest(column, str.split) for column in columns]
    if sum(most) <= room:
        return most
    spare = room - sum(least)
    if spare < 0:
        return None
    wanted = sum(most) - sum(least)
    return [
        low + spare * (high - low) // wanted
        for low, high in zip(least, most, strict=True)
    ]


def _longest(column: Sequence[Cell], cut: Callable[[str], list[str]]) -> int:
    return max(
        (cell_len(part) for cell in column for part in cut(str(cell))), default=0
    )


def _print_blocks(
    headings: Sequence[str], rows: Sequence[Sequence[Cell]], title: str
) -> None:
    if title:
        show.say(title)
    for row in rows:
        for heading, cell in zip(headings, row, strict=True):
            told = " ".join(str(cell).split())
            if told:
                show.say(f"{heading}: {told}" if heading else told)
        show.say("")
