"""publius times: release a column of repeating times."""

import click

from publius.cli.options import json_option, seed_option
from publius.cli.table_options import (
    asked_level,
    release_table,
    table_options,
    table_request,
)
from publius.materials.quantity import seconds
from publius.pipeline import TimeSettings


@click.command("times")
@click.argument("path", metavar="INPUT", type=click.Path())
@click.option(
    "--column", required=True, metavar="COLUMN", help="The column to protect."
)
@click.option(
    "--level",
    type=float,
    default=1.0,
    show_default=True,
    metavar="L",
    help="Loss between times that lie within the radius.",
)
@click.option(
    "--radius",
    default="30min",
    show_default=True,
    metavar="DURATION",
    help="How far apart two times are that must be hard to tell apart.",
)
@click.option(
    "--period",
    default="24h",
    show_default=True,
    metavar="DURATION",
    help="After which times repeat: 24h, week, year or any other.",
)
@click.option(
    "--resolution",
    metavar="DURATION",
    help="Round to this step first [1min; 1d for stored dates and for a year; for "
    "--unit s or d, and for stored whole numbers, the unit].",
)
@click.option(
    "--unit",
    metavar="DURATION",
    help="Of plain numbers; times then leave as numbers [min if the column is stored "
    "as numbers].",
)
@click.option(
    "--local",
    "is_local",
    is_flag=True,
    help="Accept timestamps without a time zone as local times.",
)
@table_options
@seed_option
@json_option
def command(path: str, column: str, level: float, radius: str, period: str,
            resolution: str | None, unit: str | None, is_local: bool, seed: int | None,
            as_json: bool, **flags: object) -> None:  # fmt: skip
    """Release a column of times of day, week or year.

    INPUT is a .csv, .tsv, .jsonl or .parquet file (also .gz), a folder of such files,
    s3://bucket/prefix, or - for standard input. Folders, S3 and clusters give parts/ in
    Parquet.
    Times are HH:MM, HH:MM:SS, ISO timestamps or, with --unit, plain numbers. All leave
    in one layout, which --period, --resolution and --unit decide and no cell does.
    Of a timestamp only its place in the period is released, never the date.

    Example:  publius times sleep.csv --column wake --level 1 --radius 30min -o out/
    """
    settings = TimeSettings(
        level=asked_level(level),
        radius=seconds(radius),
        period=seconds(period),
        resolution=None if resolution is None else seconds(resolution),
        unit=None if unit is None else seconds(unit),
        is_local=is_local,
        is_dropping=flags["missing"] == "drop",
    )
    request = table_request(path, (column,), settings, seed, flags)
    release_table(path, request, flags, as_json=as_json)
