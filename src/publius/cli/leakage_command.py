"""publius leakage: what a channel tells about its secrets."""

from pathlib import Path

import click
from rich.table import Table

from publius.cli import show
from publius.cli.options import json_option
from publius.services.leakage import LeakageRequest, leakage


@click.command("leakage")
@click.argument("channel_path", metavar="FILE", type=click.Path(path_type=Path))
@click.option(
    "--prior",
    "prior_path",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Probabilities of the secrets, one row or column [uniform].",
)
@click.option(
    "--gain",
    "gain_path",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="A gain function, one row per action [1 for naming the secret].",
)
@click.option(
    "--refined-by",
    "other_path",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Another channel: is it at least as secure for everybody?",
)
@click.option(
    "--tolerance",
    type=float,
    default=1e-9,
    show_default=True,
    help="How far a row may sum from 1; nothing is renormalised.",
)
@json_option
def command(
    channel_path: Path,
    prior_path: Path | None,
    gain_path: Path | None,
    other_path: Path | None,
    tolerance: float,
    as_json: bool,
) -> None:
    """Measure vulnerability, leakage and capacity of a channel.

    FILE is NPZ with an array 'channel' (and 'distance'), CSV without header, Parquet or
    NPY: one row per secret, one column per output.

    Example:  publius leakage law.npz --refined-by other.csv
    """
    request = LeakageRequest(channel_path, prior_path, gain_path, other_path, tolerance)
    with show.stages() as watch:
        found = leakage(request, watch=watch)
    _tell(found.to_json(), as_json=as_json)


def _tell(result: dict[str, object], *, as_json: bool) -> None:
    if as_json:
        show.as_json(result)
        return
    table = Table("", "", show_header=False)
    for key, value in result.items():
        if value is None and key != "metric_epsilon":
            continue
        shown = "unbounded" if value is None else value
        table.add_row(key, f"{shown:.8g}" if isinstance(shown, float) else str(shown))
    show.RESULTS.print(table)
