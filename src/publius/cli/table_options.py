"""Options that the releases of times and of places share, and how they report."""

from collections.abc import Mapping
from pathlib import Path
from typing import TypeVar

import click

from publius.cli import show
from publius.cli.configuration import config_option
from publius.cli.engine_options import chosen_engine, engine_options
from publius.cli.input_options import (
    input_options,
    size_of,
    taken_input,
    tell_check,
    told_files,
)
from publius.cli.journal import JOURNAL
from publius.cli.ledger_options import (
    ledger_options,
    ledger_settings,
    tell_charged,
    warn_of_names,
)
from publius.cli.options import (
    F,
    column_names,
    escape_option,
    keep_option,
    out_option,
    with_options,
)
from publius.cli.private import warn_of_private
from publius.core.errors import ParameterError
from publius.core.stating import state_bound
from publius.engines.workers import workers_for
from publius.pipeline import (
    PlaceSettings,
    ReleaseRequest,
    TimeSettings,
    check,
    release,
)
from publius.reporting.directional import RecordFacts
from publius.reporting.rendering import number
from publius.reporting.summary import Summary
from publius.tables.columns import Columns
from publius.tables.formats.table import FORMATS as FORMATS_KNOWN
from publius.tables.formats.table import READABLE

SettingsT = TypeVar("SettingsT")
FORMATS = (
    "same",
    *(name for name, one in FORMATS_KNOWN.items() if one.write and name != "txt"),
)

_OPTIONS = (
    out_option,
    click.option("--user", metavar="COLUMN",
                 help="Whose record a row is: adds up losses per person."),
    keep_option,
    click.option("--missing", type=click.Choice(["refuse", "drop"]), default="refuse",
                 show_default=True, help="What happens to rows with an empty cell."),
    click.option("--format", "file_format", type=click.Choice(FORMATS), default="same",
                 show_default=True,
                 help="Of the released table; same = as the input, of Excel parquet."),
    click.option("--input-format",
                 type=click.Choice([name for name in READABLE if name != "txt"]),
                 help="If the name of the input does not tell (standard input: csv)."),
    click.option("--encoding", default="utf-8", show_default=True,
                 help="Of a text input."),
    click.option("--resume", is_flag=True, help="Continue an interrupted release."),
    click.option("--show-before", is_flag=True,
                 help="Draw originals, into report-private.html for you alone."),
    escape_option,
    config_option,
)  # fmt: skip


def table_options(function: F) -> F:
    """Add the options that say which table is released and where to."""
    shared = input_options(engine_options(ledger_options(function)))
    return with_options(_OPTIONS, shared)


def table_request(
    path: str,
    protected: tuple[str, ...],
    settings: SettingsT,
    seed: int | None,
    flags: Mapping[str, object],
) -> ReleaseRequest[SettingsT]:
    """Return what these options ask for."""
    asked = flags["input_format"] or ("csv" if path == "-" else None)
    user = None if flags["user"] is None else str(flags["user"])
    workers, charged = workers_for(path, flags["workers"]), ledger_settings(dict(flags))
    read = taken_input(dict(flags))
    out = Path(str(flags["out"]))
    JOURNAL.refuse_in(out)
    return ReleaseRequest(
        path=path,
        out=out,
        columns=Columns(protected, user, column_names(str(flags["keep"]))),
        settings=settings,
        seed=seed,
        workers=workers,
        resume=bool(flags["resume"]),
        format=str(flags["file_format"]),
        input_format=None if asked is None else str(asked),
        encoding=str(flags["encoding"]),
        show_examples=bool(flags["show_before"]),
        ledger=charged,
        escapes=bool(flags["escapes"]),
        **read,
    )


def release_table(
    path: str,
    request: ReleaseRequest[TimeSettings] | ReleaseRequest[PlaceSettings],
    flags: Mapping[str, object],
    *,
    as_json: bool,
) -> None:
    """Release times or places, or say what would be released, and tell of it."""
    with (
        show.watching(size_of(path), request.limit) as watch,
        chosen_engine(flags) as engine,
    ):
        if flags["dry_run"]:
            checked = check(request, watch, engine)
        else:
            summary = release(request, watch, None, engine)
    if flags["dry_run"]:
        # What is shown of the progress has left the terminal by now.
        tell_check(request, checked, as_json=as_json)
        return
    if as_json:
        show.as_json(summary.to_json())
    else:
        _tell(summary, request)
    warn_of_names(request.ledger)
    warn_of_private(request.out)


def _tell(summary: Summary[RecordFacts], request: ReleaseRequest[object]) -> None:
    """Say what was released and what it guarantees."""
    out, facts = request.out, summary.facts
    if not summary.is_secure:
        show.MESSAGES.print("[red]INSECURE:[/red] made with a seed; do not publish it.")
    if JOURNAL.is_quiet:
        return
    lines = told_files(out, facts.rows, list(summary.files))
    report, accuracy = lines[-2].strip(), facts.accuracy
    lines += summary.statements
    lines.append(
        f"The noise moves {facts.kind} by {number(accuracy.mean)} {accuracy.unit} on "
        "average."
    )
    if facts.busiest is not None and not facts.is_limited:
        lines.append(
            f"The person with most records has {facts.busiest} and loses "
            f"{state_bound(facts.person_level)} in all, between {facts.kind} "
            f"{facts.within}."
        )
    lines.append(f"Read {report} before you publish.")
    for line in lines:
        show.say(line)
    tell_charged(request.ledger)


def asked_level(level: float) -> float:
    """Return the level, or raise unless it is finite and > 0."""
    if 0 < level < float("inf"):
        return level
    raise ParameterError(f"--level must be a finite number > 0, got {level}")
