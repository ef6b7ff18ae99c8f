"""What every experiment is: a name, the files it needs, and rows beside the paper's."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from publius.assessment.comparison.rows import Cell, Row
from publius.core.errors import DataError, ParameterError


def _silent(_: str) -> None:
    """Discard progress messages."""


@dataclass(frozen=True, slots=True)
class Request:
    """How an experiment is asked to run.

    Args:
        folder: Data laid out like the shared data (``authorship/``, ``topic/`` …).
        quick: Reduced sizes, under twenty minutes on two cores.
        seed: Of the noise and of the attacks.
        progress: Told the present stage.
    """

    folder: Path
    quick: bool = False
    seed: int = 0
    progress: Callable[[str], None] = field(default=_silent, repr=False)

    def path(self, name: str) -> Path:
        """Return a file of the data folder, or raise if it is not there."""
        file = self.folder / name
        if not file.is_file():
            where = f"folder {str(self.folder)!r}"
            is_there = self.folder.is_dir()
            told = f"the {where} lacks it" if is_there else f"there is no {where}"
            raise DataError(f"{name} is needed, and {told}; say where with --data")
        return file


@dataclass(frozen=True, slots=True)
class Outcome:
    """What an experiment found.

    Args:
        rows: One table; published numbers stand in columns that begin with
            ``published``.
        notes: How data and method differ from the paper, and what was seen.
        figure: SVG text, or empty.
        shown: Columns that a terminal shows; empty is all.
    """

    rows: tuple[Row, ...]
    notes: tuple[str, ...] = ()
    figure: str = ""
    shown: tuple["Shown", ...] = ()


@dataclass(frozen=True, slots=True)
class Shown:
    """A column in a terminal, where there is little room.

    Args:
        name: Of the column.
        heading: There.
        digits: Of fractions after the point; None is three digits that count.
        has_interval: Show the columns ``name low`` and ``name high`` too.
        beside: Another column, shown after a stroke, such as the published number.
    """

    name: str
    heading: str
    digits: int | None = None
    has_interval: bool = False
    beside: str = ""

    def __post_init__(self) -> None:
        if self.digits is None and (self.has_interval or self.beside):
            raise ParameterError("several numbers in a cell need a number of digits")


@dataclass(frozen=True, slots=True)
class Experiment:
    """A table or figure of a paper that can be made again.

    Args:
        name: What ``publius reproduce`` calls it.
        title: One line.
        needs: Files of the data folder.
        run: Makes the table.
    """

    name: str
    title: str
    needs: tuple[str, ...]
    run: Callable[[Request], Outcome]


def by_name(*made: Experiment) -> dict[str, Experiment]:
    """Return experiments by what ``publius reproduce`` calls them."""
    return {one.name: one for one in made}


def number(value: Cell) -> float:
    """Return a cell as a number; NaN for an empty one."""
    return float(value) if value is not None else float("nan")
