"""publius places: release latitudes and longitudes."""

import click

from publius.cli import show
from publius.cli.ledger_options import warn_of_names
from publius.cli.options import json_option, seed_option
from publius.cli.private import warn_of_private
from publius.cli.table_options import (
    asked_level,
    size_of,
    table_options,
    table_request,
    tell,
)
from publius.materials.places.treatment import LAWS
from publius.materials.quantity import metres
from publius.pipeline import PlaceSettings, release


@click.command("places")
@click.argument("path", metavar="INPUT")
@click.option("--lat", default="lat", show_default=True, metavar="COLUMN",
              help="Latitudes in degrees, WGS84.")  # fmt: skip
@click.option("--lon", default="lon", show_default=True, metavar="COLUMN",
              help="Longitudes in degrees, WGS84.")  # fmt: skip
@click.option(
    "--level",
    type=float,
    default=1.0,
    show_default=True,
    metavar="L",
    help="Loss between places that lie within the radius.",
)
@click.option(
    "--radius",
    default="200m",
    show_default=True,
    metavar="LENGTH",
    help="How far apart two places are that must be hard to tell apart.",
)
@click.option(
    "--mechanism",
    type=click.Choice(sorted(LAWS)),
    default="purkayastha",
    show_default=True,
    help="Law of the noise on the globe.",
)
@click.option(
    "--points",
    metavar="TABLE",
    help="Public points of interest (columns lat, lon, name) to move places to.",
)
@table_options
@seed_option
@json_option
def command(path: str, lat: str, lon: str, level: float, radius: str, mechanism: str,
            points: str | None, seed: int | None, as_json: bool,
            **flags: object) -> None:  # fmt: skip
    """Release places on the globe, from metres to continents.

    INPUT is a .csv, .tsv, .jsonl, .parquet (also .gz) or .geojson file, or - for
    standard input.

    Example:  publius places visits.csv --level 1 --radius 200m --user id -o out/
    """
    settings = PlaceSettings(
        level=asked_level(level),
        radius=metres(radius),
        mechanism=mechanism,
        points=points,
        is_dropping=flags["missing"] == "drop",
    )
    request = table_request(path, (lat, lon), settings, seed, flags)
    with show.watching(size_of(path)) as watch:
        summary = release(request, watch)
    if as_json:
        show.as_json(summary.to_json())
    else:
        tell(summary, request)
    warn_of_names(request.ledger)
    warn_of_private(request.out)
