"""The frame of all commands: lazy loading, errors in one line, exit codes."""

import sys
from collections.abc import Sequence
from importlib import import_module
from importlib.metadata import version

import click

from publius.core.errors import PubliusError

COMMANDS = {
    "calibrate": "Deniability of words over a grid of ε; finds ε for a target.",
    "certify": "Compute the exact certificate of a mechanism on an embedding.",
    "embeddings": "List, get, inspect and convert word embeddings.",
    "explain": "Show what a word is replaced by, and how well it is hidden.",
    "release": "Release a table or folder of texts. The main job.",
    "try": "Release one text and see it beside the original.",
}
"""Every command and its one line; each lives in the module of its name."""


class _Lazy(click.Group):
    """A group that imports a command when it is called, so that --help is quick."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        return sorted(COMMANDS)

    def get_command(
        self,
        ctx: click.Context,
        cmd_name: str,
    ) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        module = import_module(f"publius.cli.{cmd_name.replace('-', '_')}_command")
        command: click.Command = module.command
        return command

    def format_commands(
        self, ctx: click.Context, formatter: click.HelpFormatter
    ) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(sorted(COMMANDS.items()))


@click.group(cls=_Lazy, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(version("publius"), prog_name="publius")
def cli() -> None:
    """Publish without being recognised.

    Publius releases text under metric differential privacy, with a certificate that it
    computes about itself.

    Example:  publius release reviews.csv --text body --epsilon 4 -o released/
    """


def main(arguments: Sequence[str] | None = None) -> None:
    """Run a command: 0 done, 1 bad data or setting, 2 usage, 3 refuted or spent."""
    sys.exit(run(arguments))


def run(arguments: Sequence[str] | None = None) -> int:
    """Run a command and return its exit code."""
    try:
        result = cli.main(arguments, prog_name="publius", standalone_mode=False)
    except (click.exceptions.Abort, KeyboardInterrupt):
        return _fail("stopped; what was committed can be continued with --resume", 130)
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except PubliusError as error:
        return _fail(str(error), error.exit_code)
    except OSError as error:
        # The text of an operating-system error names a path of the caller's own.
        return _fail(f"{error.strerror or 'input or output failed'}", 1)
    except MemoryError:
        return _fail("not enough memory; use a smaller vocabulary or fewer workers", 1)
    return result if isinstance(result, int) else 0


def _fail(message: str, code: int) -> int:
    line = " ".join(message.split())
    click.echo(f"publius: {line}", err=True)
    return code
