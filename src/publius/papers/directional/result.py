"""What a reproduction returns: a table, the curves of a figure, and remarks."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import NullFormatter
from numpy.typing import ArrayLike

from publius.core.errors import DataError, ParameterError
from publius.papers.experiment import Experiment, Outcome, Request
from publius.reporting.figures import as_svg

Cell: TypeAlias = str | float | int | None

MOST_TICKS = 8
"""Abscissae that are each named on a logarithmic axis; more would overlap."""


@dataclass(frozen=True, slots=True)
class Setting:
    """How an experiment is run.

    Args:
        folder: Of the reference data; None where an experiment needs none.
        seed: Of all draws.
        effort: Scales the number of repetitions; 1 takes seconds to a minute.
    """

    folder: Path | None = None
    seed: int = 0
    effort: float = 1.0

    def __post_init__(self) -> None:
        if not self.effort > 0:
            raise ParameterError(f"effort must be > 0, got {self.effort}")

    def times(self, count: int) -> int:
        """Return a number of repetitions at this effort."""
        return max(2, round(count * self.effort))

    def file(self, name: str) -> Path:
        """Return a file of the reference data.

        Raises:
            DataError: There is no folder, or the file is not in it.
        """
        if self.folder is None:
            raise DataError("this experiment needs reference data; name the folder")
        path = self.folder / name
        if not path.is_file():
            raise DataError(f"the reference data lack {name}")
        return path


@dataclass(frozen=True, slots=True)
class Curve:
    """One line of a figure.

    Args:
        panel: Which of the figure's panels it belongs to.
        label: In the legend.
        x: Abscissa.
        y: Ordinate.
    """

    panel: str
    label: str
    x: tuple[float, ...]
    y: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Reproduction:
    """A table or figure of a paper, ours beside the published numbers.

    Args:
        name: Such as ``thesis-7.8``.
        title: What is shown.
        columns: Of the table; published numbers say so in their heading.
        rows: Of the table; None where the paper gives no number.
        curves: Of the figure.
        axes: Labels of the abscissa and the ordinate.
        remarks: Where and why ours differ.
    """

    name: str
    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    curves: tuple[Curve, ...] = ()
    axes: tuple[str, str] = ("ε", "")
    remarks: tuple[str, ...] = field(default=())

    def __post_init__(self) -> None:
        if any(len(row) != len(self.columns) for row in self.rows):
            raise ParameterError(
                f"{self.name}: every row needs {len(self.columns)} cells"
            )

    def picture(self) -> str:
        """Return the figure as SVG, both axes logarithmic where all values allow.

        A table without curves has none: an empty string, no empty frame.
        """
        if not self.curves:
            return ""
        panels = list(dict.fromkeys(curve.panel for curve in self.curves))
        figure = Figure(figsize=(4.2 * len(panels), 3.2))
        for place, panel in enumerate(panels, start=1):
            axes = figure.add_subplot(1, len(panels), place)
            mine = [curve for curve in self.curves if curve.panel == panel]
            for curve in mine:
                axes.plot(curve.x, curve.y, ".-", label=curve.label, markersize=4)
            across = sorted({x for curve in mine for x in curve.x})
            if _spans(across):
                axes.set_xscale("log")
                # Over one or two decades the usual names of small ticks overlap.
                axes.xaxis.set_minor_formatter(NullFormatter())
                if len(across) <= MOST_TICKS:
                    axes.set_xticks(across, [f"{x:g}" for x in across])
            if _spans([y for curve in mine for y in curve.y]):
                axes.set_yscale("log")
                axes.yaxis.set_minor_formatter(NullFormatter())
            axes.set_title(panel, fontsize=10)
            axes.set_xlabel(self.axes[0])
            axes.set_ylabel(self.axes[1])
            axes.legend(frameon=False, fontsize=7)
        figure.tight_layout()
        return as_svg(figure)


def curve(panel: str, label: str, x: ArrayLike, y: ArrayLike) -> Curve:
    """Return a curve from any sequences of numbers."""
    points = (tuple(np.asarray(z, dtype=np.float64).tolist()) for z in (x, y))
    return Curve(panel, label, *points)


def _spans(values: Sequence[float]) -> bool:
    """Tell values that only a logarithmic axis can show."""
    return bool(values) and min(values) > 0 and max(values) > 30 * min(values)


def as_experiment(
    name: str,
    reproduce: Callable[[Setting], Reproduction],
    *,
    source: str,
    needs: tuple[str, ...],
    quick: float,
) -> Experiment:
    """Return a reproduction in the form of all experiments.

    Args:
        name: What ``publius reproduce`` calls it.
        reproduce: Makes it; the first line of its docstring is the title.
        source: Where the table or figure stands.
        needs: Files of the data folder.
        quick: Effort where a quick run is asked for.
    """

    def run(request: Request) -> Outcome:
        effort = quick if request.quick else 1.0
        made = reproduce(Setting(request.folder, request.seed, effort))
        rows = tuple(dict(zip(made.columns, row, strict=True)) for row in made.rows)
        return Outcome(rows, made.remarks, made.picture())

    title = (reproduce.__doc__ or name).partition("\n")[0]
    return Experiment(name, f"{source}: {title[0].lower()}{title[1:]}", needs, run)
