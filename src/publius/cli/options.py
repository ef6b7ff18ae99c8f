"""Options that commands share, and how they become what a verb is asked."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any, TypeVar

import click

F = TypeVar("F", bound=Callable[..., Any])
KNOWLEDGE = {None: "both", True: "adaptive", False: "static"}
"""What --adaptive, --static or neither of them asks for."""


def taken(request: type[Any], flags: dict[str, object]) -> dict[str, object]:
    """Take out of flags what a request has fields for; what nobody gave is left out."""
    named = [field.name for field in fields(request) if field.name in flags]
    values = {name: flags.pop(name) for name in named}
    return {name: it for name, it in values.items() if it is not None and it != ()}


def column_names(listed: str) -> tuple[str, ...]:
    """Return the names in a list with commas."""
    return tuple(filter(None, listed.split(",")))


def with_options(options: Sequence[Callable[[F], F]], function: F) -> F:
    """Add options to a command, the first of them on top."""
    for option in reversed(options):
        function = option(function)
    return function


def usual_option(name: str, usual: float, told: str | None = None) -> Callable[[F], F]:
    """Return the option of a number that has a usual value, which its help shows."""
    return click.option(f"--{name.replace('_', '-')}", type=type(usual),
                        default=usual, show_default=True, help=told)  # fmt: skip


def knowledge_option(told: str) -> Callable[[Any], Any]:
    """Return the option that says what an attacker or analyst has learnt from."""
    return click.option(
        "--adaptive/--static",
        "knowledge",
        default=None,
        callback=lambda _context, _option, asked: KNOWLEDGE[asked],
        help=f"{told} [adaptive, and static beside it].",
    )


Completion = Callable[[click.Context, click.Parameter, str], list[str]]


def completing(names: Callable[[], Iterable[str]]) -> Completion:
    """Return what the tab key finds: known names that begin as typed."""
    return lambda _context, _parameter, typed: sorted(
        name for name in names() if name.startswith(typed)
    )


class Verbs(click.Group):
    """Commands of one subject, each listed with its whole first sentence."""

    def format_commands(
        self, ctx: click.Context, formatter: click.HelpFormatter
    ) -> None:
        """List the commands; click would cut their sentences to the width."""
        told = [
            (name, command.get_short_help_str(limit=10_000))
            for name in self.list_commands(ctx)
            if (command := self.get_command(ctx, name)) is not None
        ]
        with formatter.section("Commands"):
            formatter.write_dl(told)


out_option = click.option("-o", "--out", type=click.Path(path_type=Path), required=True,
                          help="Folder for data, report and manifest.")  # fmt: skip
keep_option = click.option("--keep", metavar="COLUMNS", default="",
                           help="Columns to pass on UNPROTECTED, separated by commas.",
                           )  # fmt: skip
released_option = click.option("--released", metavar="COLUMN|FILE", required=True,
                               type=click.Path(),
                               help="Released texts: a column, a file or a release "
                               "folder, row by row.")  # fmt: skip
json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON.")
escape_option = click.option(
    "--escape-formulas",
    "escapes",
    is_flag=True,
    help="Put an apostrophe before cells of csv and tsv that begin with = + - @, a tab "
    "or a carriage return: spreadsheets would compute them.",
)
seed_option = click.option(
    "--seed",
    type=click.IntRange(min=0),
    help="For tests only: marks the release INSECURE.",
)
