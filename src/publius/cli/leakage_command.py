"""publius leakage: what a channel tells about its secrets."""

import math
from pathlib import Path

import click
import numpy as np
from rich.table import Table

from publius.auditing.files import read_channel, read_table
from publius.cli import show
from publius.cli.options import json_option
from publius.core.arrays import FloatArray
from publius.information import Channel, confusability


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
    channel, distance = _channel(channel_path, tolerance)
    prior = None if prior_path is None else read_table(prior_path).ravel()
    gain = None if gain_path is None else read_table(gain_path)
    result: dict[str, object] = {
        "secrets": channel.shape[0],
        "outputs": channel.shape[1],
        "prior_vulnerability": float(channel.prior_vulnerability(prior, gain)),
        "posterior_vulnerability": float(channel.posterior_vulnerability(prior, gain)),
        "multiplicative_leakage": float(channel.leakage(prior, gain)),
        "additive_leakage": float(channel.additive_leakage(prior, gain)),
        "bayes_capacity": float(channel.bayes_capacity()),
        "min_entropy_leakage_bits": channel.min_entropy_leakage(prior),
        "shannon_leakage_bits": channel.shannon_leakage(prior),
        "confusability": confusability(channel),
    }
    if distance is not None:
        epsilon = channel.metric_epsilon(distance)
        result["metric_epsilon"] = epsilon if math.isfinite(epsilon) else None
    if other_path is not None:
        proof = channel.refinement(_channel(other_path, tolerance)[0])
        result["refined_by"] = proof.holds
        result["witness"] = _rows(proof.witness)
        result["separating_gain"] = _rows(proof.gain)
    _tell(result, as_json=as_json)


def _channel(path: Path, tolerance: float) -> tuple[Channel, FloatArray | None]:
    found = read_channel(path)
    law = np.exp(found.values) if found.is_log else found.values
    return Channel(law, tolerance=tolerance), found.distance


def _rows(table: FloatArray | None) -> list[list[float]] | None:
    return None if table is None else [[float(v) for v in row] for row in table]


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
