"""Plots of the lab: trade-offs with intervals, and curves beside published ones."""

from collections.abc import Mapping, Sequence
from typing import Any

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from publius.assessment.comparison.rows import Cell
from publius.reporting.figures import as_svg

COLOURS = (
    "#22314a", "#c8553d", "#4a7c59", "#8a6fb0", "#c49a2c", "#3c8dad", "#99527a",
    "#6b705c", "#1f9e89", "#e07a9b",
)  # fmt: skip
GREY = "#8b909c"
_STYLE: dict[Any, Any] = {
    "font.family": "sans-serif",
    "font.size": 10,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
}
LEVEL_NAMES = {
    "word": "certified level against the tenth nearest word",
    "document": "certified loss between any two documents",
}

Rows = Sequence[Mapping[str, Cell]]


def trade_off(rows: Rows) -> str:
    """Plot utility over attack, one line per contender, and the front of them."""
    with mpl.rc_context(_STYLE):
        figure = Figure(figsize=(8.6, 5.2), facecolor="none")
        axes = figure.add_subplot(facecolor="none")
        axes.grid(visible=True, color="#ece8de", linewidth=0.8)
        _front(axes, rows)
        for place, (name, mine) in enumerate(_grouped(rows).items()):
            colour, marker = _look(mine, place)
            x, y = _column(mine, "attack"), _column(mine, "utility")
            is_end = mine[0]["level"] is None
            axes.errorbar(x, y, xerr=_error(mine, "attack"),
                          yerr=_error(mine, "utility"), fmt=f"{marker}-", color=colour,
                          label=None if is_end else name, markersize=5, linewidth=1.4,
                          elinewidth=0.5)  # fmt: skip
            for row, a, u in zip(mine, x, y, strict=True):
                text = name if is_end else f"{row['level']:g}"
                axes.annotate(text, (a, u), (5, -10), textcoords="offset points",
                              fontsize=8.5 if is_end else 7.5,
                              color="#4b5263" if is_end else colour)  # fmt: skip
        _majority(axes, rows)
        axes.set_xlabel("authors found by the strongest attack  (← better)")
        axes.set_ylabel("classes found by the best analyst  (better →)")
        _legend(axes)
        return as_svg(figure)


def _front(axes: Axes, rows: Rows) -> None:
    """Draw the edge that nothing measured goes beyond."""
    points = sorted(
        (_float(row["attack"]), _float(row["utility"]))
        for row in rows
        if row.get("front")
    )
    if len(points) > 1:
        axes.step(*zip(*points, strict=True), where="post", color="#d8c9a5",
                  linewidth=7, alpha=0.6, solid_capstyle="round",
                  label="Pareto front", zorder=0)  # fmt: skip


def _majority(axes: Axes, rows: Rows) -> None:
    """Mark what naming the largest class gives without reading anything."""
    for name, draw in (("attack", axes.axvline), ("utility", axes.axhline)):
        value = rows[0].get(f"{name}_majority")
        if value is not None:
            draw(_float(value), color=GREY, linestyle=":", linewidth=0.9)


def over_level(
    rows: Rows, measure: str, label: str, equal_privacy: str = "word"
) -> str:
    """Plot a measure over the certified level, the baselines as horizontal lines."""
    with mpl.rc_context(_STYLE):
        figure = Figure(figsize=(8.6, 3.9), facecolor="none")
        axes = figure.add_subplot(facecolor="none")
        axes.grid(visible=True, color="#ece8de", linewidth=0.8)
        for place, (name, mine) in enumerate(_grouped(rows).items()):
            colour, marker = _look(mine, place)
            if mine[0]["level"] is None:
                value = _column(mine, measure)[0]
                axes.axhline(value, color=colour, linestyle="--", linewidth=1)
                axes.annotate(name, (0.01, value), (0, 3), textcoords="offset points",
                              xycoords=axes.get_yaxis_transform(), fontsize=8,
                              color="#4b5263")  # fmt: skip
                continue
            axes.errorbar(
                _column(mine, "level"), _column(mine, measure),
                yerr=_error(mine, measure), fmt=f"{marker}-", color=colour, label=name,
                markersize=5, linewidth=1.4, elinewidth=0.6,
            )  # fmt: skip
        levels = [_float(row["level"]) for row in rows if row["level"] is not None]
        if levels and max(levels) > 10 * min(levels):
            axes.set_xscale("log")
            ticks = sorted(set(levels))
            axes.set_xticks(ticks, [f"{level:g}" for level in ticks])
            axes.minorticks_off()
        axes.set_xlabel(LEVEL_NAMES[equal_privacy])
        axes.set_ylabel(label)
        _legend(axes)
        return as_svg(figure)


def lines(series: Mapping[str, Sequence[tuple[float, float]]], x: str, y: str) -> str:
    """Plot named series; those whose name begins with "published" are dashed.

    A published series has the colour of the series of the same name.
    """
    with mpl.rc_context(_STYLE):
        figure = Figure(figsize=(8.6, 4.2), facecolor="none")
        axes = figure.add_subplot(facecolor="none")
        axes.grid(visible=True, color="#ece8de", linewidth=0.8)
        own = list(dict.fromkeys(name.removeprefix("published ") for name in series))
        for name, points in series.items():
            place = own.index(name.removeprefix("published "))
            style = "s--" if name.startswith("published") else "o-"
            axes.plot(*zip(*points, strict=True), style, label=name, markersize=4,
                      color=COLOURS[place % len(COLOURS)])  # fmt: skip
        axes.set_xlabel(x)
        axes.set_ylabel(y)
        _legend(axes)
        return as_svg(figure)


def bars(groups: Mapping[str, Mapping[str, float]], y: str) -> str:
    """Plot groups of bars, one colour per member."""
    with mpl.rc_context(_STYLE):
        figure = Figure(figsize=(8.6, 3.6), facecolor="none")
        axes = figure.add_subplot(facecolor="none")
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
        _legend(axes)
        return as_svg(figure)


def _legend(axes: Axes) -> None:
    if not axes.get_legend_handles_labels()[1]:
        return
    axes.legend(frameon=False, fontsize=8.5, loc="upper left", bbox_to_anchor=(1.01, 1))


def _look(rows: Rows, place: int) -> tuple[str, str]:
    """Return colour and marker; baselines without a level are grey diamonds."""
    if rows[0]["level"] is None:
        return GREY, "D"
    return COLOURS[place % len(COLOURS)], "os^vPX*"[place % 7]


def _grouped(rows: Rows) -> dict[str, list[Mapping[str, Cell]]]:
    groups: dict[str, list[Mapping[str, Cell]]] = {}
    for row in rows:
        groups.setdefault(str(row["contender"]), []).append(row)
    return groups


def _column(rows: Rows, name: str) -> list[float]:
    return [_float(row[name]) for row in rows]


def _float(value: Cell) -> float:
    return float(value) if value is not None else 0.0


def _error(rows: Rows, name: str) -> list[list[float]]:
    value, low, high = (_column(rows, f"{name}{end}") for end in ("", "_low", "_high"))
    return [
        [v - lo for v, lo in zip(value, low, strict=True)],
        [h - v for v, h in zip(value, high, strict=True)],
    ]
