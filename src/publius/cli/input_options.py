"""Options about an input: how it is read, how much of it, whether anything is drawn."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from publius.cli import show
from publius.cli.options import F, with_options
from publius.core.guarantee import Unit
from publius.core.visible import visible_name
from publius.engines.store import address_of
from publius.pipeline import ReleaseRequest
from publius.pipeline.check import Checked
from publius.pipeline.release import AnySettings
from publius.reporting.rendering import counted

_SHOWN = 10
"""Files of a release that are named one by one."""

delimiter_option = click.option(
    "--delimiter",
    metavar="C",
    help=r"Between the cells of a csv input, such as ';' or '\t' [what stands between "
    "its names].",
)

_OPTIONS = (
    delimiter_option,
    click.option("--limit", type=click.IntRange(min=1), metavar="N",
                 help="Release the first N rows only, to see what comes out."),
    click.option("--force", "replaces", is_flag=True,
                 help="Remove a release that lies in the output folder and begin "
                      "anew. Whoever has seen both knows more than one of them tells."),
    click.option("--dry-run", is_flag=True,
                 help="Read the input, build the mechanism, say what would be "
                      "guaranteed; draw, write and charge nothing."),
)  # fmt: skip


def input_options(function: F) -> F:
    """Add these options."""
    return with_options(_OPTIONS, function)


def taken_input(flags: dict[str, object]) -> dict[str, Any]:
    """Take these options, but --dry-run, out of the flags of a command."""
    return {name: flags.pop(name) for name in ("delimiter", "limit", "replaces")}


def size_of(path: str) -> int | None:
    """Return the bytes of a file or a folder of files, for the progress bar."""
    place = Path(path)
    if path == "-" or not place.exists():
        return None
    files = place.iterdir() if place.is_dir() else [place]
    return sum(file.stat().st_size for file in files if file.is_file()) or None


def told_files(out: Path, rows: int, files: Sequence[str]) -> list[str]:
    """Return lines that say where a release lies; many parts share one."""
    is_remote = address_of(out).startswith("s3://")
    place = address_of(out) if is_remote else str(out)
    names = [*files, "report.html", "manifest.json"]
    if len(files) > _SHOWN:
        every = f"{files[0]} … {files[-1]} ({len(files)} files)"
        names[: len(files)] = [every]
    return [f"{counted(rows, 'row')} → {place}", *(f"  {place}/{n}" for n in names)]


def tell_check(
    request: ReleaseRequest[AnySettings], checked: Checked, *, as_json: bool
) -> None:
    """Say what a release would be that was checked without a draw."""
    summary, columns = checked.summary, checked.columns
    if as_json:
        show.as_json({"dry_run": True, **summary.to_json()})
        return
    seen = checked.exposure
    lines = [
        f"{counted(seen.rows, 'row')} would leave as {checked.format} in "
        f"{request.out}.",
        f"  protected: {_listed(columns.protected)}",
        f"  kept, UNPROTECTED: {_listed(columns.keep) or 'no column'}",
    ]
    if columns.subject is not None:
        subject = visible_name(columns.subject)
        lines.append(f"  losses are added up per: {subject}")
    if seen.words is not None:
        unit = summary.facts.guarantee.unit
        each = "protected word" if unit is Unit.TOKEN else unit
        lines.append(
            f"  {counted(seen.words, 'guarantee')} would be spent, one for each {each}"
        )
    lines += summary.statements
    lines.append("Nothing was drawn, written or charged.")
    for line in lines:
        show.say(line)


def _listed(names: Sequence[str]) -> str:
    return ", ".join(map(visible_name, names))
