"""Plots as SVG text, the same bytes for the same numbers."""

import io
import math
from collections.abc import Mapping, Sequence
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.figure import Figure

from publius.core.arrays import FloatArray
from publius.core.guarantee import Guarantee

INK = "#22314a"
ACCENT = "#c8553d"

_STYLE: dict[Any, Any] = {
    "svg.hashsalt": "publius",
    "svg.fonttype": "none",
    "font.family": "sans-serif",
    "font.size": 10,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.edgecolor": INK,
    "axes.labelcolor": INK,
    "xtick.color": INK,
    "ytick.color": INK,
}


def as_svg(figure: Figure) -> str:
    """Return a figure as an SVG element without anything that varies."""
    out = io.StringIO()
    with mpl.rc_context(_STYLE):
        figure.savefig(
            out,
            format="svg",
            bbox_inches="tight",
            metadata=dict.fromkeys(("Date", "Creator", "Format", "Type")),
        )
    text = out.getvalue()
    return text[text.index("<svg") :]


def unchanged_histogram(unchanged: FloatArray) -> str:
    """Plot how likely words are to stay as they are."""
    with mpl.rc_context(_STYLE):
        figure = Figure(figsize=(5.2, 2.6))
        axes = figure.add_subplot()
        axes.hist(unchanged, bins=np.linspace(0, 1, 26).tolist(), color=INK)
        axes.axvline(float(unchanged.mean()), color=ACCENT, linewidth=2)
        axes.set_xlabel("probability that a word stays as it is (line: mean)")
        axes.set_ylabel("public words")
        return as_svg(figure)


def odds_curve(promise: Guarantee) -> str:
    """Plot the largest factor by which the odds between two words can change."""
    reach = promise.landmarks.diameter
    reach = reach if math.isfinite(reach) and reach > 0 else 1.0
    distance = np.linspace(0, reach, 101)
    loss = [promise.at(float(d)).pure for d in distance]
    with mpl.rc_context(_STYLE):
        figure = Figure(figsize=(5.2, 2.6))
        axes = figure.add_subplot()
        axes.plot(distance, loss, color=INK, linewidth=2)
        near = promise.landmarks.near
        if math.isfinite(near):
            axes.plot([near], [promise.near_level], "o", color=ACCENT)
            axes.annotate("tenth nearest word", (near, promise.near_level), (6, -12),
                          textcoords="offset points", color=ACCENT)  # fmt: skip
        axes.set_xlabel("distance between two words")
        axes.set_ylabel("loss (log of the odds)")
        axes.set_ylim(bottom=0)
        return as_svg(figure)


def deniability_curves(rows: Sequence[Mapping[str, float]]) -> str:
    """Plot N_w, S_w and K_w over ε."""
    epsilon = [row["epsilon"] for row in rows]
    panels = {
        "N_w: stays as it is": ("unchanged", "unchanged_max"),
        "S_w: outputs of 1,000 draws": ("distinct_outputs", "distinct_outputs_min"),
        "K_w: words that explain it": ("explanations", "explanations_min"),
    }
    with mpl.rc_context(_STYLE):
        figure = Figure(figsize=(10, 2.8))
        for place, (title, (mean, extreme)) in enumerate(panels.items(), start=1):
            axes = figure.add_subplot(1, 3, place)
            axes.plot(
                epsilon, [row[mean] for row in rows], "o-", color=INK, label="mean"
            )
            worst = [row[extreme] for row in rows]
            axes.plot(epsilon, worst, ".--", color=ACCENT, label="worst word")
            axes.set_title(title, fontsize=10)
            axes.set_xlabel("ε")
        axes.legend(frameon=False)
        return as_svg(figure)
