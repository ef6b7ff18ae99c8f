"""publius calibrate: what ε means on public words, over a grid or for a target."""

from collections.abc import Sequence
from importlib import import_module
from pathlib import Path

import click

from publius.assessment.deniability.calibration import QUANTITIES, Row
from publius.cli import show
from publius.cli.options import json_option
from publius.cli.tables import print_table
from publius.cli.word_options import settings_from, term_options, word_options
from publius.core.arrays import shortest
from publius.core.config import WordSettings
from publius.core.errors import ParameterError
from publius.core.stating import state_bound, state_floor
from publius.materials.words.assemble import resolved
from publius.services.calibrate import GRID, CalibrateRequest, calibrate
from publius.storage.atomic import write_bytes

_PLOT_FORMATS = ("svg", "pdf", "png")

APART = 0.05
"""A figure that is farther from its target, as a share of it, was not reached."""

_HIDING = {
    "ε": "epsilon",
    "β": "beta",
    "level": "level_at_kth_neighbour",
    "worst": "worst_loss",
    "N_w": "unchanged",
    "max N_w": "unchanged_max",
    "S_w": "distinct_outputs",
    "K_w": "explanations",
}
_MOVING = {
    "ε": "epsilon",
    "Hartley": "hartley_bits",
    "min-entropy": "min_entropy_bits",
    "moved": "moved",
    "near": "near_share",
    "cosine": "cosine",
}
_BEFORE_REMAP = {
    "ε": "epsilon",
    "moved before remap": "moved_without_remap",
    "near": "near_share_without_remap",
    "cosine": "cosine_without_remap",
}
_TERM_LOSSES = {
    "ε": "epsilon",
    "loss ε": "loss_naive",
    "ε + ln η": "loss_alternative",
    "tight ℓ": "loss_tight",
    "vector": "vector_loss",
}
_TERM_UTILITY = {
    "ε": "epsilon",
    "good": "good_probability",
    "at least": "good_probability_lower",
    "at most": "good_probability_upper",
    "ε for ½: needed": "epsilon_necessary",
    "enough": "epsilon_sufficient",
}
_MEANINGS = {
    "β": "the decay that the mechanism uses",
    "level": "what the median word loses against number {k} of those nearest to it",
    "worst": "the most that is lost between any two words",
    "N_w": "share of draws in which a word stays as it is",
    "max N_w": "the same of the word that stays most often",
    "S_w": "different words in 1,000 draws of one",
    "K_w": "words that may have stood where one is read",
    "Hartley": "S_w in bits",
    "min-entropy": "bits by which the likeliest output is hard to guess",
    "moved": "how far words move in the metric",
    "near": "share of replacements among the {k} nearest words by vector",
    "cosine": "likeness of a word and its replacement; 1 is the same",
}
"""What a reader who is no mathematician is told below the tables."""

_BOUNDS = {
    *("epsilon", "level_at_kth_neighbour", "worst_loss", "vector_loss"),
    *("loss_naive", "loss_alternative", "loss_tight", "unchanged_max"),
    *("good_probability_upper", "epsilon_sufficient"),
}
_LOWER_BOUNDS = {"good_probability_lower", "epsilon_necessary"}


@click.command("calibrate")
@word_options
@term_options
@click.option("--length", type=int, metavar="N", help="syntf: terms of a vector [100].")
@click.option("--grid", metavar="E1,E2,…", help="Values of ε instead of one --epsilon.")
@click.option(
    "--target",
    metavar="NAME=VALUE",
    help=f"Find the ε for a value of: {', '.join(QUANTITIES)}.",
)
@click.option(
    "--plot",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Draw the curves into FILE.svg, FILE.pdf or FILE.png.",
)
@json_option
def command(grid: str | None, target: str | None, plot: Path | None, as_json: bool,
            **flags: object) -> None:  # fmt: skip
    """Show how well words are hidden, and how far they move.

    level: loss against the k-th nearest word (--neighbours). worst: between any words.
    N_w: a word stays. S_w: distinct outputs of 1,000 draws, and Hartley its logarithm.
    K_w: words that explain an output. Entropies are in bits. near: replacements among
    the k nearest words by vector. moved: distance in the metric. The last three speak
    of words as frequent as in the language, the others of 200 evenly spread words.
    Figures are exact for finite mechanisms; otherwise they are drawn, and --json gives
    their intervals.

    Example:  publius calibrate --target unchanged=0.5 --vocabulary 5000
    """
    if plot is not None:
        _plot_format(plot)
    settings = _settings(flags)
    is_single = bool(flags["epsilon"] or flags["level"])
    if is_single and grid is not None:
        raise ParameterError("give --grid, or one --epsilon or --level, not both")
    wanted = None if target is None else _wanted(target)
    request = CalibrateRequest(
        resolved(settings) if is_single else settings,
        _grid(grid, is_single=is_single or wanted is not None),
        wanted,
        is_measured=is_single or grid is not None,
    )
    with show.stages() as watch:
        calibration = calibrate(request, watch=watch)
    if plot is not None:
        _draw(calibration.rows, plot)
    if as_json:
        show.as_json(calibration.to_json())
        return
    _tell(calibration.rows, settings)
    if calibration.target is not None and wanted is not None:
        _tell_target(calibration.target, *wanted)


def _settings(flags: dict[str, object]) -> WordSettings:
    """Return the settings; a length speaks of vectors, which only SynTF draws."""
    if flags["length"] is None:
        return settings_from(flags)
    settings = settings_from({**flags, "form": "tf"})
    if settings.mechanism.partition(".")[0] != "syntf":
        raise ParameterError("--length is for --mechanism syntf, which draws vectors")
    return settings


def _tell_target(row: Row, name: str, wanted: float) -> None:
    reached = row[QUANTITIES[name].key] or 0.0
    if abs(reached - wanted) > APART * wanted:
        show.RESULTS.print(
            f"No ε gives {name} = {wanted:g} exactly; it jumps over it there."
        )
    show.RESULTS.print(f"Use --epsilon {shortest(row['epsilon'] or 0.0)}.")


def _tell(rows: Sequence[Row], settings: WordSettings) -> None:
    told = [*_print(rows, _HIDING), *_print(rows, _MOVING)]
    for name in told:
        if name in _MEANINGS:
            show.say(f"{name}: {_MEANINGS[name].format(k=settings.neighbours)}")
    if settings.remap != "none":
        _print(rows, _BEFORE_REMAP)
    if rows and "loss_tight" in rows[0]:
        good, terms = rows[0]["good_substitutes"], rows[0]["terms"]
        show.RESULTS.print(
            f"Three bounds on the loss of a term; the least one, times {terms:.0f}, "
            "bounds the loss of a whole vector between any two texts:"
        )
        _print(rows, _TERM_LOSSES)
        show.RESULTS.print(
            f"How often a term becomes one of its {good:.0f} best substitutes, the "
            "bounds of Theorem 5.6, and the ε for one half by Corollary 5.7:"
        )
        _print(rows, _TERM_UTILITY)
    if rows and rows[0]["draws_per_word"]:
        show.RESULTS.print("Drawn, not exact: --json gives the intervals.")


def _print(rows: Sequence[Row], columns: dict[str, str]) -> list[str]:
    """Print a table of the columns that have a value; return their headings."""
    shown = {
        t: key for t, key in columns.items() if any(r[key] is not None for r in rows)
    }
    cells = [[_cell(key, row[key]) for key in shown.values()] for row in rows]
    print_table(tuple(shown), cells, figures=tuple(shown))
    return list(shown)


def _cell(key: str, value: float | None) -> str:
    if value is None:
        return "no bound"
    if key in _LOWER_BOUNDS:
        return state_floor(value)
    return state_bound(value) if key in _BOUNDS else show.figure(value)


def _grid(grid: str | None, *, is_single: bool) -> tuple[float, ...]:
    if grid is None:
        return () if is_single else GRID
    try:
        return tuple(float(value) for value in grid.split(","))
    except ValueError:
        raise ParameterError("--grid takes numbers separated by commas") from None


def _wanted(target: str) -> tuple[str, float]:
    name, _, value = target.partition("=")
    try:
        return name.strip(), float(value)
    except ValueError:
        raise ParameterError("--target takes NAME=VALUE with a number") from None


def _draw(rows: Sequence[Row], path: Path) -> None:
    ordered = sorted(rows, key=lambda row: row["epsilon"] or 0.0)
    plain = [{k: v for k, v in row.items() if v is not None} for row in ordered]
    # matplotlib is heavy, and few calibrations are drawn.
    figures = import_module("publius.reporting.figures")
    write_bytes(path, figures.calibration_curves(plain, _plot_format(path)))


def _plot_format(path: Path) -> str:
    """Return what the name of the file asks for."""
    ending = path.suffix.lower().removeprefix(".")
    if ending not in _PLOT_FORMATS:
        raise ParameterError(
            f"--plot writes .svg, .pdf or .png; {path.name!r} has another ending"
        )
    return ending
