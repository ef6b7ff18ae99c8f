"""What the two commands that serve have in common."""

from collections.abc import Callable, Mapping
from importlib import import_module

import click

from publius.accounting.ledger import Ledger
from publius.cli.ledger_options import ledger_settings
from publius.core.errors import ParameterError

port_option = click.option(
    "--port",
    type=int,
    default=0,
    help="Where to listen; any that is free if left out.",
)
size_option = click.option(
    "--max-upload",
    "megabytes",
    type=click.IntRange(min=1),
    default=200,
    show_default=True,
    metavar="MB",
    help="Largest file that is taken.",
)


def run_server(given: Mapping[str, object], tell: Callable[[str, str], None]) -> None:
    """Serve until Ctrl-C.

    Args:
        given: Options of the command.
        tell: Given an address that lets one browser in, and the token of programs.
    """
    try:
        # The studio is an extra, and no other command pays for loading it.
        server = import_module("publius.studio.server")
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("publius"):
            raise
        raise ParameterError(
            "the studio is not installed; do: pip install 'publius[studio]'"
        ) from None
    options = dict(given)
    largest = int(str(options.pop("megabytes"))) * 1_000_000
    ledger = ledger_settings(options)
    if ledger is not None:
        # Found out now, not by the first release that cannot be charged.
        Ledger.open(ledger.file).close()
    serving = server.Serving(largest=largest, ledger=ledger, **options)
    try:
        server.serve(serving, lambda access: tell(access.address(), access.token))
    except KeyboardInterrupt:
        click.echo("Stopped; what was sent is removed.", err=True)
        raise click.exceptions.Exit(130) from None
