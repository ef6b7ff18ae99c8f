"""publius leakage: what a channel tells about its secrets."""

from pathlib import Path

import click

from publius.cli import show
from publius.cli.options import json_option, usual_option
from publius.cli.tables import print_table
from publius.core.stating import state_number
from publius.services.leakage import leakage

MEANING = {
    "secrets": "what may be secret: rows of the channel",
    "outputs": "what may be seen: columns of the channel",
    "prior_vulnerability": "what the best guess gains before anything is seen",
    "posterior_vulnerability": "what it gains on average after an output is seen",
    "multiplicative_leakage": "after ÷ before; 1 means that seeing it does not help "
    "this guess",
    "additive_leakage": "after − before; 0 means that seeing it does not help this "
    "guess",
    "bayes_capacity": "the largest after ÷ before under any prior and any gain that is "
    "never negative",
    "min_entropy_leakage_bits": "logarithm of after ÷ before, for naming the secret",
    "shannon_leakage_bits": "mutual information of secret and output",
    "confusability": "secrets that every output leaves possible, at least; 1 means "
    "that some output gives a secret away",
    "metric_epsilon": "the largest log-ratio of two rows per unit of their distance",
    "refined_by": "True: whoever sees the other channel gains no more, whatever the "
    "prior and the gain",
    "witness": "the other channel is this one followed by this table",
    "separating_gain": "a gain for which the other channel gives more",
}
"""What each figure says."""

MOST_SHOWN = 6
"""Rows and columns of a table that is printed."""


@click.command("leakage")
@click.argument("channel", metavar="FILE", type=click.Path(path_type=Path))
@click.option(
    "--prior",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Probabilities of the secrets, one row or column [uniform].",
)
@click.option(
    "--gain",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="A gain function, one row per action [1 for naming the secret].",
)
@click.option(
    "--refined-by",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Another channel: is it at least as secure for everybody?",
)
@usual_option(
    "tolerance", 1e-9, "How far a row may sum from 1; nothing is renormalised."
)
@json_option
def command(as_json: bool, **asked: object) -> None:
    """Measure vulnerability, leakage and capacity of a channel.

    FILE is NPZ with an array 'channel' (and 'distance'), CSV without header, Parquet or
    NPY: one row per secret, one column per output.

    Example:  publius leakage law.npz --refined-by other.csv
    """
    with show.stages() as watch:
        figures = leakage(watch=watch, **asked)
    _tell(figures.to_json(), as_json=as_json)


def _tell(result: dict[str, object], *, as_json: bool) -> None:
    if as_json:
        show.as_json(result)
        return
    matrices = {key: value for key, value in result.items() if isinstance(value, list)}
    rows = [
        (key, _cell(value), MEANING.get(key, ""))
        for key, value in result.items()
        if key not in matrices and (value is not None or key == "metric_epsilon")
    ]
    print_table(("figure", "value", "meaning"), rows)
    for key, value in matrices.items():
        show.say(f"{key}: {MEANING[key]}")
        for line in _lines(value):
            show.say(f"  {line}")


def _cell(value: object) -> str:
    if value is None:
        return "unbounded"
    return state_number(value, 8) if isinstance(value, float) else str(value)


def _lines(rows: list[list[float]]) -> list[str]:
    """Write a small table row by row; a terminal has no place for a large one."""
    if max(len(rows), len(rows[0])) > MOST_SHOWN:
        return [f"{len(rows)} × {len(rows[0])} numbers, in --json"]
    return ["  ".join(state_number(value, 4) for value in row) for row in rows]
