"""publius plan: what a release would take, beforehand."""

import time
from collections.abc import Mapping, Sequence
from pathlib import Path

import click

from publius.cli import show
from publius.cli.engine_options import place_options
from publius.cli.input_options import delimiter_option, size_of
from publius.cli.options import json_option
from publius.cli.retell_options import retell_options, retell_settings
from publius.cli.table_options import asked_level
from publius.cli.word_options import (
    policy_options,
    settings_from,
    term_options,
    word_options,
)
from publius.core.errors import ParameterError
from publius.core.stating import state_bound
from publius.engines.workers import workers_for
from publius.materials.quantity import metres, seconds
from publius.pipeline import PlaceSettings, ReleaseRequest, TimeSettings
from publius.pipeline.release import AnySettings
from publius.reporting.rendering import counted, number
from publius.services.plan import Plan, plan
from publius.tables.columns import Columns
from publius.tables.formats.table import READABLE


@click.command("plan")
@click.argument("path", metavar="INPUT", type=click.Path())
@click.option("--text", metavar="COLUMN", help="The column to protect.")
@click.option(
    "--author",
    "--user",
    metavar="COLUMN",
    help="Add up losses per value of this column.",
)
@click.option("--column", metavar="COLUMN", help="Plan a release of these times.")
@click.option(
    "--lat", metavar="COLUMN", help="Plan a release of places: their latitudes."
)
@click.option("--lon", metavar="COLUMN", help="Longitudes of the places.")
@click.option(
    "--radius",
    metavar="LENGTH",
    help="Of times and places: within it a record loses --level [30min; 200m].",
)
@click.option("--period", metavar="DURATION", help="After which times repeat [24h].")
@click.option("--unit", metavar="DURATION", help="Of times that are plain numbers.")
@word_options
@term_options
@policy_options
@retell_options
@click.option(
    "--input-format",
    type=click.Choice(READABLE),
    help="If the name of the input does not tell.",
)
@click.option("--encoding", default="utf-8", show_default=True, help="Of a text input.")
@delimiter_option
@click.option(
    "--all",
    "whole",
    is_flag=True,
    help="Count every row of a larger input than 128 MB too: rows, words and losses "
    "are then exact.",
)
@place_options
@json_option
def command(path: str, text: str | None, author: str | None, input_format: str | None,
            encoding: str, delimiter: str | None, whole: bool, as_json: bool,
            **flags: object) -> None:  # fmt: skip
    """Say what a release would take: rows, time, memory, loss.

    INPUT is what release, times and places take, but for standard input. Up to 128 MB
    it is counted whole; of a larger one the beginning is, or that of up to four files,
    and what is scaled from it has an interval. Up to 16,384 rows, of times and places
    65,536, of retellings 64, are drawn here and thrown away to measure the rate. No
    cluster is asked: --workers says how many processes it would give. Nothing is
    written or charged.

    Example:  publius plan reviews/ --text body --author user --engine spark --workers 8

    Example:  publius plan visits.parquet --lat lat --lon lon --radius 200m --user id
    """
    booting = time.process_time()
    where = {name: flags.pop(name) for name in ("workers", "engine")}
    given = {name: flags.pop(name) for name in ("column", "lat", "lon")}
    columns, settings = _asked(text, given, flags)
    request: ReleaseRequest[AnySettings] = ReleaseRequest(
        path=path,
        out=Path("released"),
        columns=Columns(columns, author),
        settings=settings,
        workers=workers_for(path, where["workers"]),
        input_format=input_format,
        encoding=encoding,
        delimiter=delimiter,
    )
    with show.watching(size_of(path)) as watch:
        made = plan(
            request,
            watch,
            engine=str(where["engine"]),
            whole=whole,
            booting=booting,
        )
    if as_json:
        show.as_json(made.to_json())
        return
    for line in _lines(made):
        show.say(line)


def _asked(
    text: str | None, given: Mapping[str, object], flags: dict[str, object]
) -> tuple[tuple[str, ...], AnySettings]:
    """Return the protected columns, and the settings of what stands in them."""
    column, lat, lon = (given[name] for name in ("column", "lat", "lon"))
    kinds = [text is not None, column is not None, lat is not None or lon is not None]
    if sum(kinds) > 1:
        raise ParameterError("plan one of --text, --column, and --lat with --lon")
    names = ("level", "mechanism", "radius", "period", "unit")
    level, mechanism, radius, period, unit = (flags[name] for name in names)
    if kinds[1] or kinds[2]:
        _refuse_others(flags, names if kinds[1] else names[:3])
    within = asked_level(1.0 if level is None else float(str(level)))
    if column is not None:
        times = TimeSettings(
            level=within,
            radius=seconds(str(radius or "30min")),
            period=seconds(str(period or "24h")),
            unit=None if unit is None else seconds(str(unit)),
            is_local=True,
            is_dropping=True,
        )
        return (str(column),), times
    if kinds[2]:
        places = PlaceSettings(
            level=within,
            radius=metres(str(radius or "200m")),
            mechanism=str(mechanism or "purkayastha"),
            is_dropping=True,
        )
        return (str(lat or "lat"), str(lon or "lon")), places
    for name in names[2:]:
        if flags.pop(name) is not None:
            raise ParameterError(f"--{name} is for times and places")
    retelling = retell_settings(flags)
    settings = settings_from(flags) if retelling is None else retelling
    return (() if text is None else (text,)), settings


def _refuse_others(flags: Mapping[str, object], taken: Sequence[str]) -> None:
    """Refuse options that words alone have."""
    for name, value in flags.items():
        if name not in taken and value not in (None, (), False):
            raise ParameterError(
                f"--{name.replace('_', '-')} is not for what --column, --lat and --lon "
                "name"
            )


def _lines(made: Plan) -> list[str]:
    """Return the plan in sentences."""
    taken = made.sample
    about = "" if taken.is_whole else "about "
    rate = made.words_per_second
    rows, words = (
        f"{about}{counted(value, name)}{_between(made, key)}"
        for value, name, key in (
            (made.rows, "row", "rows"),
            (made.words, f"protected {made.unit[:-1]}", "protected_words"),
        )
    )
    least, most = (_duration(bound) for bound in made.spans["seconds"])
    lines = [
        f"{rows}, {words}",
        f"time: about {_duration(made.seconds)} ({least} to {most}) with "
        f"{_workers(made)}, from start to end; {_duration(made.cpu_seconds)} of "
        f"processor time; {_left_out(made)}",
    ]
    if made.is_in_parts and made.workers > made.parts:
        lines.append(f"only {made.parts} of the workers would have work")
    if taken.memory:
        lines.append(f"memory: about {number(taken.memory / 1e6)} MB per worker")
    lines.append(_exposed(made))
    drawn = f"{counted(taken.drawn.rows, 'row')} drawn here and thrown away"
    told = f"{counted(taken.exposure.rows, 'row')} counted, {drawn}"
    if rate is not None:
        told += f", {number(rate)} {made.unit} per second of one processor"
    lines.append(f"by a sample: {told}")
    if not taken.is_whole:
        lines.append(
            "Intervals hold if rows lie in no order. Rows that were not counted may be "
            "others; --all counts every row."
        )
    return lines


def _left_out(made: Plan) -> str:
    """Say what the time of a cluster holds, and what comes on top."""
    if made.cluster is None:
        return f"the start of {made.engine} and a ledger's pass come on top"
    if not any(made.cluster):
        return "a ledger's pass comes on top"
    used, taken = map(number, made.cluster)
    return (
        f"{taken} s of it, and {used} s of processor time, are {made.engine} itself, "
        "as measured on one machine; a ledger's pass comes on top"
    )


def _between(made: Plan, key: str) -> str:
    """Return the interval of a figure that was scaled."""
    if made.sample.is_whole:
        return ""
    least, most = made.spans[key]
    return f" ({number(least)} to {number(most)})"


def _exposed(made: Plan) -> str:
    whose = "author" if made.is_of_words else "person"
    if made.subject is None:
        whose = "text" if made.is_of_words else "record"
    least = "" if made.sample.is_whole else "about "
    if not made.sample.is_whole and made.subject is None and made.is_of_words:
        least = "at least "
    loss = f"a loss of up to {state_bound(made.loss)}"
    if not made.sample.cost.pure < float("inf"):
        loss = "a loss without a pure bound"
    if not made.is_of_words:
        loss = f"a loss of {state_bound(made.near_loss)} within the radius, {loss[7:]}"
    guarantees = f"{least}{counted(made.guarantees, f'protected {made.unit[:-1]}')}"
    if made.subject is not None:
        guarantees += _between(made, "guarantees")
    return f"most exposed {whose}: {guarantees}, {loss} if all of them may differ"


def _workers(made: Plan) -> str:
    if made.workers == 1:
        return f"one worker of {made.engine}"
    return f"{made.workers} workers of {made.engine}, each on a processor of its own"


def _duration(seconds: float) -> str:
    if seconds < 120:
        return f"{number(seconds)} s"
    if seconds < 7200:
        return f"{number(seconds / 60)} minutes"
    return f"{number(seconds / 3600)} hours"
