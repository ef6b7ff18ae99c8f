"""Plots of the lab: trade-offs with intervals, and curves beside published ones."""

from collections.abc import Mapping, Sequence
from typing import Any

import matplotlib as mpl
from matplotlib.figure import Figure

from publius.lab.experiment import Cell
from publius.reporting.figures import as_svg

COLOURS = (
    "#22314a", "#c8553d", "#4a7c59", "#8a6fb0", "#c49a2c", "#3c8dad", "#99527a",
    "#6b705c", "#1f9e89", "#e07a9b",
)  # fmt: skip
_STYLE: dict[Any, Any] = {
    "font.family": "sans-serif",
    "font.size": 10,
    "axes.spines.top": False,
    "axes.spines.right": False,
}

Rows = Sequence[Mapping[str, Cell]]


def trade_off(rows: Rows) -> str:
    """Plot utility over attack, one line per contender, the front ringed."""
    with mpl.rc_context(_STYLE):
        figure = Figure(figsize=(7, 4.8))
        axes = figure.add_subplot()
        for place, (name, mine) in enumerate(_grouped(rows).items()):
            colour = COLOURS[place % len(COLOURS)]
            x, y = _column(mine, "attack"), _column(mine, "utility")
            xerr, yerr = _error(mine, "attack"), _error(mine, "utility")
            axes.errorbar(x, y, xerr=xerr, yerr=yerr, fmt="o-", color=colour,
                          label=name, markersize=4, linewidth=1.2,
                          elinewidth=0.6)  # fmt: skip
            for row, a, u in zip(mine, x, y, strict=True):
                if row["level"] is not None:
                    axes.annotate(f"{row['level']:g}", (a, u), (4, 3), fontsize=7,
                                  textcoords="offset points", color=colour)  # fmt: skip
                if row.get("front"):
                    axes.plot([a], [u], "o", markersize=10, fillstyle="none",
                              color=colour)  # fmt: skip
        axes.set_xlabel("attack: share of authors found (strongest attack)")
        axes.set_ylabel("utility: share of classes found")
        axes.legend(frameon=False, fontsize=8)
        return as_svg(figure)


def over_level(rows: Rows, measure: str, label: str) -> str:
    """Plot a measure over the certified level against near words."""
    with mpl.rc_context(_STYLE):
        figure = Figure(figsize=(7, 3.6))
        axes = figure.add_subplot()
        for place, (name, mine) in enumerate(_grouped(rows).items()):
            colour = COLOURS[place % len(COLOURS)]
            shown = [row for row in mine if row["near_level"] is not None]
            if not shown or mine[0]["level"] is None:
                value = _column(mine, measure)[0]
                axes.axhline(value, color=colour, linestyle=":", label=name)
                continue
            axes.errorbar(
                _column(shown, "near_level"), _column(shown, measure),
                yerr=_error(shown, measure), fmt="o-", color=colour, label=name,
                markersize=4, linewidth=1.2, elinewidth=0.6,
            )  # fmt: skip
        axes.set_xlabel("certified level against the tenth nearest word")
        axes.set_ylabel(label)
        axes.legend(frameon=False, fontsize=8)
        return as_svg(figure)


def lines(series: Mapping[str, Sequence[tuple[float, float]]], x: str, y: str) -> str:
    """Plot named series; those whose name begins with "published" are dashed."""
    with mpl.rc_context(_STYLE):
        figure = Figure(figsize=(7, 4))
        axes = figure.add_subplot()
        for place, (name, points) in enumerate(series.items()):
            style = "s--" if name.startswith("published") else "o-"
            axes.plot(*zip(*points, strict=True), style, label=name, markersize=4,
                      color=COLOURS[place % len(COLOURS)])  # fmt: skip
        axes.set_xlabel(x)
        axes.set_ylabel(y)
        axes.legend(frameon=False, fontsize=8)
        return as_svg(figure)


def bars(groups: Mapping[str, Mapping[str, float]], y: str) -> str:
    """Plot groups of bars, one colour per member."""
    with mpl.rc_context(_STYLE):
        figure = Figure(figsize=(7, 3.6))
        axes = figure.add_subplot()
        names = list(dict.fromkeys(n for group in groups.values() for n in group))
        width = 0.8 / max(1, len(names))
        for place, name in enumerate(names):
            x = [i + place * width for i in range(len(groups))]
            height = [group.get(name, 0.0) for group in groups.values()]
            axes.bar(x, height, width, label=name, color=COLOURS[place % len(COLOURS)])
        axes.set_xticks([i + 0.4 - width / 2 for i in range(len(groups))])
        axes.set_xticklabels(list(groups), fontsize=8)
        axes.axhline(0, color="#22314a", linewidth=0.6)
        axes.set_ylabel(y)
        axes.legend(frameon=False, fontsize=8)
        return as_svg(figure)


def _grouped(rows: Rows) -> dict[str, list[Mapping[str, Cell]]]:
    groups: dict[str, list[Mapping[str, Cell]]] = {}
    for row in rows:
        groups.setdefault(str(row["contender"]), []).append(row)
    return groups


def _column(rows: Rows, name: str) -> list[float]:
    return [float(row[name] or 0) for row in rows]


def _error(rows: Rows, name: str) -> list[list[float]]:
    value, low, high = (_column(rows, f"{name}{end}") for end in ("", "_low", "_high"))
    return [
        [v - lo for v, lo in zip(value, low, strict=True)],
        [h - v for v, h in zip(value, high, strict=True)],
    ]
