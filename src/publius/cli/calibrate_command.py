"""publius calibrate: deniability over a grid of ε."""

from dataclasses import replace
from pathlib import Path

import click
from rich.table import Table

from publius.accounting.profile import profile, sample_words
from publius.assemble import embedding_for, resolved, word_mechanism
from publius.cli import show
from publius.cli.options import json_option, settings_from, word_options
from publius.config import WordSettings
from publius.core.errors import OutputError, ParameterError
from publius.core.rng import seeded
from publius.reporting.figures import deniability_curves

GRID = (1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0)
SAMPLE = 200
STEPS = 12


@click.command("calibrate")
@word_options
@click.option("--grid", metavar="E1,E2,…", help="Values of ε instead of one --epsilon.")
@click.option(
    "--target",
    metavar="unchanged=P",
    help="Find the ε at which a word stays with mean probability P.",
)
@click.option(
    "--plot",
    type=click.Path(path_type=Path),
    metavar="FILE.svg",
    help="Draw the curves.",
)
@json_option
def command(grid: str | None, target: str | None, plot: Path | None, as_json: bool,
            **flags: object) -> None:  # fmt: skip
    """Show how well words are hidden: N_w unchanged, S_w outputs, K_w explanations.

    All figures are exact for the exponential mechanism and speak of 200 evenly spread
    public words.

    Example:  publius calibrate --grid 2,3,4,5 --vocabulary 5000
    """
    settings = settings_from(flags)
    asked = _grid(grid, settings, given=flags["epsilon"] or flags["level"])
    with show.stages() as progress:
        rows = []
        for epsilon in asked:
            show.tell_stage(progress, f"ε = {epsilon:g}")
            rows.append(measure(replace(settings, epsilon=epsilon, level=None)))
        found = None
        if target is not None:
            found = find_target(settings, _wanted(target))
            rows.append(found)
    if plot is not None:
        _draw(rows, plot)
    if as_json:
        show.as_json({"rows": rows, "found": found})
        return
    table = Table(
        "ε", "level at 10th neighbour", "worst loss", "N_w", "max N_w", "S_w", "K_w"
    )
    for row in rows:
        cells = ("epsilon", "level_at_10th_neighbour", "worst_loss", "unchanged",
                 "unchanged_max", "distinct_outputs", "explanations")  # fmt: skip
        table.add_row(*(f"{row[cell]:.3g}" for cell in cells))
    show.RESULTS.print(table)
    if found is not None:
        show.RESULTS.print(f"Use --epsilon {found['epsilon']:.4g}.")


def measure(settings: WordSettings) -> dict[str, float]:
    """Return the deniability of public words at one ε."""
    settings = resolved(settings)
    embedding = embedding_for(settings.embedding, settings.vocabulary)
    mechanism = word_mechanism(settings)
    promise = mechanism.guarantee()
    found = profile(
        mechanism, sample_words(embedding.size, SAMPLE), embedding.size, seeded(0)
    )
    share = found.mean_unchanged()
    return {
        "epsilon": settings.epsilon,
        "level_at_10th_neighbour": promise.near_level,
        "worst_loss": promise.worst_loss,
        "unchanged": share.value,
        "unchanged_low": share.low,
        "unchanged_high": share.high,
        "unchanged_max": float(found.unchanged.max()),
        "distinct_outputs": float(found.outputs.mean()),
        "distinct_outputs_min": float(found.outputs.min()),
        "explanations": float(found.explanations.mean()),
        "explanations_min": float(found.explanations.min()),
        "words": float(len(found.ids)),
    }


def find_target(settings: WordSettings, unchanged: float) -> dict[str, float]:
    """Search the ε at which words stay with the wanted mean probability."""
    low, high = 0.05, 64.0
    row = measure(replace(settings, epsilon=(low * high) ** 0.5, level=None))
    for _ in range(STEPS):
        if abs(row["unchanged"] - unchanged) < 0.005:
            break
        epsilon = row["epsilon"]
        low, high = (epsilon, high) if row["unchanged"] < unchanged else (low, epsilon)
        row = measure(replace(settings, epsilon=(low * high) ** 0.5, level=None))
    return row


def _grid(grid: str | None, settings: WordSettings, *, given: object) -> list[float]:
    if grid is None:
        return [resolved(settings).epsilon] if given else list(GRID)
    try:
        return [float(value) for value in grid.split(",")]
    except ValueError:
        raise ParameterError("--grid takes numbers separated by commas") from None


def _wanted(target: str) -> float:
    name, _, value = target.partition("=")
    try:
        share = float(value)
    except ValueError:
        share = -1.0
    if name != "unchanged" or not 0 < share < 1:
        raise ParameterError("--target takes unchanged=P with P between 0 and 1")
    return share


def _draw(rows: list[dict[str, float]], path: Path) -> None:
    try:
        path.write_text(
            deniability_curves(sorted(rows, key=lambda r: r["epsilon"])), "utf-8"
        )
    except OSError as error:
        raise OutputError(f"cannot write {path.name}: {error.strerror}") from None
