"""publius plan: what a release would take, beforehand."""

from pathlib import Path

import click

from publius.cli import show
from publius.cli.engine_options import place_options, workers_for
from publius.cli.input_options import size_of
from publius.cli.options import json_option
from publius.cli.word_options import (
    policy_options,
    settings_from,
    term_options,
    word_options,
)
from publius.core.stating import state_bound
from publius.pipeline import ReleaseRequest
from publius.reporting.rendering import number
from publius.services.plan import Plan, plan
from publius.tables.columns import Columns
from publius.tables.formats.table import READABLE


@click.command("plan")
@click.argument("path", metavar="INPUT")
@click.option("--text", metavar="COLUMN", help="The column to protect.")
@click.option(
    "--author", metavar="COLUMN", help="Add up losses per value of this column."
)
@word_options
@term_options
@policy_options
@click.option(
    "--input-format",
    type=click.Choice(READABLE),
    help="If the name of the input does not tell.",
)
@click.option("--encoding", default="utf-8", show_default=True, help="Of a text input.")
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
            encoding: str, whole: bool, as_json: bool,
            **flags: object) -> None:  # fmt: skip
    """Say what a release of words would take: rows, time, memory, loss.

    INPUT is what release takes, but for standard input. Up to 128 MB it is counted
    whole; of a larger one the beginning is, or that of up to four files. Up to 16,384
    rows are drawn here and thrown away to measure the rate. No cluster is asked:
    --workers says how many processes it would give. Nothing is written or charged.

    Example:  publius plan reviews/ --text body --author user --engine spark --workers 8
    """
    where = {name: flags.pop(name) for name in ("workers", "engine")}
    request = ReleaseRequest(
        path=path,
        out=Path("released"),
        columns=Columns(() if text is None else (text,), author),
        settings=settings_from(flags),
        workers=workers_for(path, where),
        input_format=input_format,
        encoding=encoding,
    )
    with show.watching(size_of(path)) as watch:
        made = plan(request, watch, engine=str(where["engine"]), whole=whole)
    if as_json:
        show.as_json(made.to_json())
        return
    for line in _lines(made):
        show.say(line)


def _lines(made: Plan) -> list[str]:
    """Return the plan in sentences."""
    taken = made.sample
    about = "" if taken.is_whole else "about "
    rate = made.words_per_second
    lines = [
        f"{about}{number(made.rows)} rows, {about}{number(made.words)} protected words",
        f"time: about {_duration(made.seconds)} with {_workers(made)}, of "
        f"{_duration(made.work)} of processor time; the start of Python, of a cluster "
        "and the report come on top",
    ]
    if made.is_in_parts and made.workers > made.parts:
        lines.append(f"only {made.parts} of the workers would have work")
    if taken.memory:
        lines.append(f"memory: about {number(taken.memory / 1e6)} MB per worker")
    lines.append(_exposed(made))
    drawn = f"{number(taken.drawn.rows)} rows drawn here and thrown away"
    told = f"{number(taken.exposure.rows)} rows counted, {drawn}"
    if rate is not None:
        told += f", {number(rate)} words per second of one processor"
    lines.append(f"by a sample: {told}")
    if not taken.is_whole:
        lines.append(
            "Rows that were not counted may be others; --all counts every row."
        )
    return lines


def _exposed(made: Plan) -> str:
    whose = "text" if made.subject is None else "author"
    least = "" if made.sample.is_whole else "about "
    if not made.sample.is_whole and made.subject is None:
        least = "at least "
    loss = f"a loss of up to {state_bound(made.loss)}"
    if not made.sample.cost.pure < float("inf"):
        loss = "a loss without a pure bound"
    return (
        f"most exposed {whose}: {least}{number(made.promises)} protected words, "
        f"{loss} if all of them may differ"
    )


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
