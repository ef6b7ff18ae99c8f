"""The frame of all commands: lazy loading, errors in one line, exit codes."""

import io
import os
import re
import shutil
import sys
import textwrap
from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from importlib import import_module
from importlib.metadata import version
from typing import NoReturn

import click

from publius.cli.journal import JOURNAL, with_journal
from publius.core.errors import PubliusError, fault
from publius.core.extras import missing_package
from publius.core.visible import visible
from publius.core.watch import STOPPED

_HELP_ASKED: type[click.UsageError] | tuple[()] = getattr(
    click.exceptions, "NoArgsIsHelpError", ()
)  # raised by a group without a command since click 8.2
_COMMAND = re.compile(r"[a-z-]{1,20}\Z")
_OPTION = re.compile(r"--?[a-z][a-z-]*\Z")

COMMANDS = {
    "attack": "Attack released texts: who wrote them, which words stood there.",
    "autoencoder": "Train and use models that rewrite whole sentences.",
    "audit": "Try to refute a claim; exit 3 with a counter-example.",
    "calibrate": "Deniability of words over a grid of ε; finds ε for a target.",
    "certify": "Compute the exact certificate of a mechanism on an embedding.",
    "cite": "The papers behind a mechanism, as BibTeX.",
    "compare": "Compare mechanisms at equal certified privacy: attack and utility.",
    "embeddings": "List, get, inspect and convert word embeddings.",
    "evaluate": "Measure what released texts are still good for.",
    "explain": "Show what a word is replaced by, and how well it is hidden.",
    "leakage": "Vulnerability, leakage, capacity and refinement of a channel.",
    "ledger": "What each subject has already lost, across releases.",
    "linkage": "Link released places to people: whose journey is this?",
    "mechanisms": "List every mechanism, with its guarantee and parameters.",
    "places": "Release latitudes and longitudes, from metres to continents.",
    "plan": "What a release would take: time, memory, loss; by a sample.",
    "release": "Release a table or folder of texts. The main job.",
    "reproduce": "Make a table or figure of the papers again, beside theirs.",
    "retelling": "Teach the model that writes a text from noisy words.",
    "run": "Do the job that a publius.toml describes.",
    "serve": "Serve the verbs to other programs, with the same JSON.",
    "studio": "See in a browser what gives a text away; release; explore.",
    "times": "Release a column of times of day, week or year.",
    "try": "Release one text and see it beside the original.",
}
"""Every command and its one line; each lives in the module of its name."""

GROUPS = {
    "Release": ("release", "plan", "times", "places", "run", "try", "ledger"),
    "Choose a setting": ("explain", "calibrate", "certify", "compare", "mechanisms"),
    "Look for holes": ("audit", "attack", "linkage", "leakage"),
    "Measure the use": ("evaluate",),
    "Models and papers": (
        "embeddings",
        "autoencoder",
        "retelling",
        "reproduce",
        "cite",
    ),
}
"""How help groups the commands; those that are in no group come last."""

_PLAIN = {
    "is not a valid float range": "is not a number",
    "is not a valid integer range": "is not a whole number",
    "is not a valid float": "is not a number",
    "is not a valid integer": "is not a whole number",
    "is not in the range x>=": "is too small; the least is ",
    ". (Did you mean ": "; did you mean ",
    "'?)": "'?",
}
"""Words of click, and what people say."""

_NARROWEST = 52
"""Columns below which click writes help wider than the terminal."""

_MARGIN = 2
"""Blanks before an option in help."""

_INDENT = 11
"""Of what stands below an option there."""

EXIT_CODES = (
    "Exit codes: 0 done, 1 bad data or setting, 2 usage, 3 claim refuted or budget "
    "exhausted, 130 stopped by Ctrl-C or by whoever watches (--resume continues)."
)


class _Formatter(click.HelpFormatter):
    """Write what an option means below it where nothing fits beside it."""

    def write_dl(
        self,
        rows: Iterable[tuple[str, str]],
        col_max: int = 30,
        col_spacing: int = 2,
    ) -> None:
        most = _INDENT if self.width < _NARROWEST - 2 else col_max
        room = self.width - self.current_indent
        folded = [(_folded(first, room), second) for first, second in rows]
        super().write_dl(folded, most, col_spacing)


def _folded(first: str, room: int) -> str:
    """Return an option whose choices go on in further lines where they do not fit."""
    lines = [""]
    for choice in re.split(r"(?<=\|)", first):
        if len(lines[-1]) + len(choice) > room and lines[-1].strip():
            lines.append(" " * 2 * _MARGIN)
        lines[-1] += choice
    return "\n".join(lines)


class _Context(click.Context):
    formatter_class = _Formatter


class _Lazy(click.Group):
    """A group that imports a command when it is called, so that --help is quick."""

    context_class = _Context

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        return sorted(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command:
        if cmd_name not in COMMANDS:
            _refuse_command(cmd_name, ctx)
        module = import_module(f"publius.cli.{cmd_name.replace('-', '_')}_command")
        return _fitted(with_journal(module.command))

    def format_commands(
        self,
        ctx: click.Context,  # noqa: ARG002
        formatter: click.HelpFormatter,
    ) -> None:
        grouped = {name for names in GROUPS.values() for name in names}
        others = tuple(sorted(COMMANDS.keys() - grouped))
        for title, names in (GROUPS | {"More": others}).items():
            if not names:
                continue
            with formatter.section(title):
                formatter.write_dl([(name, COMMANDS[name]) for name in names])


@click.group(
    cls=_Lazy,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog=EXIT_CODES,
)
@click.version_option(version("publius"), prog_name="publius")
def cli() -> None:
    """Publish without being recognised.

    Publius releases text under metric differential privacy, with a certificate that it
    computes about itself.

    Example:  publius release reviews.csv --text body -o released/
    """


def main(arguments: Sequence[str] | None = None) -> None:
    """Run a command and end with its exit code: see ``EXIT_CODES``."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal may not know → or ε
    code = run(arguments)
    sys.stdout.flush()
    sys.stderr.flush()
    # Arrow may still read ahead; ending the interpreter under its threads aborts.
    os._exit(code)


def run(arguments: Sequence[str] | None = None) -> int:
    """Run a command and return its exit code."""
    JOURNAL.begin()
    code = _run(arguments)
    JOURNAL.write("end", code=code)
    return code


def _run(arguments: Sequence[str] | None) -> int:
    try:
        result = cli.main(
            arguments,
            prog_name="publius",
            standalone_mode=False,
            terminal_width=_help_width(),
        )
    except _HELP_ASKED as error:
        error.show()
        return int(error.exit_code)
    except (click.exceptions.Abort, KeyboardInterrupt):
        return _fail(STOPPED, 130)
    except Exception as error:  # noqa: BLE001 - the text of others may quote a secret
        return _fail(*_explained(error))
    return result if isinstance(result, int) else 0


def _fitted(command: click.Command) -> click.Command:
    """Return a command whose help fits narrow terminals, and those inside it."""
    command.context_class = _Context
    if isinstance(command, click.Group):
        for inner in command.commands.values():
            _fitted(inner)
    return command


def _help_width() -> int | None:
    """Return how wide help is on a narrow terminal; None where click knows."""
    columns = shutil.get_terminal_size().columns
    return columns - 1 if columns < _NARROWEST else None


def _explained(error: Exception) -> tuple[str, int]:
    """Return one line about an error, without a secret, and the exit code."""
    if isinstance(error, PubliusError):
        return str(error), error.exit_code
    if isinstance(error, click.ClickException):
        return _usage(error), error.exit_code
    if isinstance(error, OSError):
        # The rest of its text names a path of the caller's own.
        return error.strerror or "input or output failed", 1
    if isinstance(error, MemoryError):
        return "not enough memory; use a smaller vocabulary or fewer workers", 1
    if isinstance(error, ModuleNotFoundError) and (told := missing_package(error)):
        return told, 1
    return fault(error), 1


def _refuse_command(name: str, context: click.Context) -> NoReturn:
    """Say that there is no such command; what may be a text is not repeated."""
    if not _COMMAND.match(name):
        raise click.UsageError("the first argument must be a command", context)
    if name == "help":
        raise click.UsageError("help stands behind a command: publius release --help")
    close = get_close_matches(name, COMMANDS, n=1)
    hint = f"; did you mean {close[0]}?" if close else ""
    raise click.UsageError(f"no command {name!r}{hint}", context)


def _usage(error: click.ClickException) -> str:
    """Return what is wrong with the arguments, without those that may be a text."""
    message = error.format_message()
    if message.startswith("Got unexpected extra argument"):
        message = "there are too many arguments; put quotation marks around a text"
    if isinstance(error, click.NoSuchOption) and not _OPTION.match(error.option_name):
        message = "an argument begins with a hyphen; put -- before a text that does"
    for theirs, ours in _PLAIN.items():
        message = message.replace(theirs, ours)
    context = error.ctx if isinstance(error, click.UsageError) else None
    path = context.command_path if context is not None else "publius"
    end = " See" if message.endswith("?") else "; see"
    return f"{message.rstrip('.')}{end} {path} --help"


def _fail(message: str, code: int) -> int:
    line = visible(" ".join(message.split()))
    JOURNAL.write("error", message=line)
    click.echo(_for_people(f"publius: {line}"), err=True)
    return code


def _for_people(line: str) -> str:
    """Return a line broken between words where a terminal shows it."""
    if not sys.stderr.isatty():
        return line
    return textwrap.fill(
        line,
        shutil.get_terminal_size().columns,
        break_long_words=False,
        break_on_hyphens=False,
    )
