"""Plots as SVG text, the same bytes for the same numbers."""

import io
from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

import matplotlib as mpl
from matplotlib.figure import Figure

from publius.reporting.axes import ACCENT, INK

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
    svg = text[text.index("<svg") :]
    return svg.replace("<svg", f'<svg role="img" aria-label="{_told(figure)}"', 1)


def _told(figure: Figure) -> str:
    """Return what a figure shows, for those who do not see it."""
    parts = []
    for axes in figure.axes:
        labels = [part for part in (axes.get_ylabel(), axes.get_xlabel()) if part]
        title = [axes.get_title()] if axes.get_title() else []
        parts.append(": ".join([*title, " against ".join(labels)]))
    return escape("; ".join(parts) or "plot", quote=True)


def as_file(figure: Figure, file_format: str) -> bytes:
    """Return a figure as the bytes of an svg, pdf or png file."""
    if file_format == "svg":
        return as_svg(figure).encode()
    out = io.BytesIO()
    varying = {"pdf": ("CreationDate", "Creator", "Producer"), "png": ("Software",)}
    with mpl.rc_context(_STYLE):
        figure.savefig(
            out,
            format=file_format,
            bbox_inches="tight",
            dpi=150,
            metadata=dict.fromkeys(varying[file_format]),
        )
    return out.getvalue()


_PANELS: dict[str, dict[str, str]] = {
    "loss": {"against the k-th nearest": "level_at_kth_neighbour",
             "between any words": "worst_loss"},
    "N_w: stays as it is": {"mean": "unchanged", "worst word": "unchanged_max"},
    "S_w: outputs of 1,000 draws": {"mean": "distinct_outputs",
                                    "worst word": "distinct_outputs_min"},
    "K_w: words that explain it": {"mean": "explanations",
                                   "worst word": "explanations_min"},
    "entropy in bits": {"Hartley": "hartley_bits", "min-entropy": "min_entropy_bits"},
    "distance moved": {"mean": "moved", "before the remap": "moved_without_remap"},
    "replaced by a near word": {"share": "near_share",
                                "before the remap": "near_share_without_remap"},
    "cosine with the original": {"mean": "cosine",
                                 "before the remap": "cosine_without_remap"},
}  # fmt: skip
"""Panels of a calibration: for each its curves, and where their figures stand."""


def calibration_curves(
    rows: Sequence[Mapping[str, float]], file_format: str = "svg"
) -> bytes:
    """Plot what every ε means; a figure that some row does not have is left out."""
    epsilon = [row["epsilon"] for row in rows]
    with mpl.rc_context(_STYLE):
        figure = Figure(figsize=(13, 5.6), layout="constrained")
        for place, (title, curves) in enumerate(_PANELS.items(), start=1):
            axes = figure.add_subplot(2, 4, place)
            for (label, key), style, colour in zip(
                curves.items(), ("o-", ".--"), (INK, ACCENT), strict=True
            ):
                if all(key in row for row in rows):
                    values = [row[key] for row in rows]
                    axes.plot(epsilon, values, style, color=colour, label=label)
            axes.set_title(title, fontsize=10)
            axes.set_xlabel("ε")
            if len(axes.lines) > 1:
                axes.legend(frameon=False, fontsize=8)
        return as_file(figure, file_format)
