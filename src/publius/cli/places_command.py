"""publius places: release latitudes and longitudes."""

from contextlib import suppress
from dataclasses import replace

import click

from publius.cli import show
from publius.cli.options import json_option, seed_option
from publius.cli.table_options import (
    asked_level,
    release_table,
    table_options,
    table_request,
)
from publius.core.errors import UnknownNameError
from publius.materials.places.treatment import (
    LAWS,
    place_mechanism,
    refuse_own_points,
)
from publius.materials.quantity import metres
from publius.numerics.geometry.earth import RADIUS
from publius.pipeline import PlaceSettings
from publius.reporting.rendering import number

DEFAULT_LAW = "purkayastha"

FAR = 5.0
"""A law that moves places so many times as far is not chosen without a word."""


class LawName(click.Choice[str]):
    """Names of laws; the registered one and that of the class mean the same."""

    def convert(
        self,
        value: str,
        param: click.Parameter | None,
        ctx: click.Context | None,
    ) -> str:
        """Return the name in the table."""
        if value not in LAWS:
            with suppress(UnknownNameError):
                value = place_mechanism(value)
        return super().convert(value, param, ctx)


@click.command("places")
@click.argument("path", metavar="INPUT", type=click.Path())
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
    type=LawName(sorted(LAWS)),
    default=DEFAULT_LAW,
    show_default=True,
    help="Law of the noise on the globe; vmf moves places much farther unless the "
    "radius is that of a continent.",
)
@click.option(
    "--points",
    metavar="TABLE",
    type=click.Path(),
    help="Public points of interest (columns lat, lon, name) to move places to.",
)
@click.option(
    "--trajectories",
    type=click.IntRange(min=1),
    metavar="K",
    help="Release at most K records of each person (--user), spread over all of them; "
    "--level then is the loss of all of them together.",
)
@table_options
@seed_option
@json_option
def command(path: str, lat: str, lon: str, level: float, radius: str, mechanism: str,
            points: str | None, trajectories: int | None, seed: int | None,
            as_json: bool, **flags: object) -> None:  # fmt: skip
    """Release places on the globe, from metres to continents.

    INPUT is a .csv, .tsv, .jsonl, .parquet (also .gz) or .geojson file, a folder of
    such files but .geojson, s3://bucket/prefix, or - for standard input. Folders, S3
    and clusters give parts/ in Parquet.

    Example:  publius places visits.csv --level 1 --radius 200m --user id -o out/

    Example:  publius places visits.csv --user id --trajectories 10 -o out/
    """
    refuse_own_points(path, points)
    settings = PlaceSettings(
        level=asked_level(level),
        radius=metres(radius),
        mechanism=mechanism,
        points=points,
        trajectories=trajectories,
        is_dropping=flags["missing"] == "drop",
    )
    request = table_request(path, (lat, lon), settings, seed, flags)
    _warn_of_distance(settings)
    release_table(path, request, flags, as_json=as_json)


def _warn_of_distance(settings: PlaceSettings) -> None:
    """Say before anything is drawn that the other law moves places far less."""
    moved, other = (
        replace(settings, mechanism=name).law().mean_angle() * RADIUS
        for name in (settings.mechanism, DEFAULT_LAW)
    )
    if moved > FAR * other:
        show.warn(
            f"Note: {settings.mechanism} moves places by {_length(moved)} on average; "
            f"--mechanism {DEFAULT_LAW} has the same loss within "
            f"{_length(settings.radius)} and moves them by {_length(other)}."
        )


def _length(length: float) -> str:
    return f"{number(length / 1000)} km" if length >= 1000 else f"{number(length)} m"
