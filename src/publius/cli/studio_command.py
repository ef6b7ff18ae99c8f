"""publius studio: the pages for people."""

import webbrowser

import click

from publius.cli.ledger_options import ledger_options
from publius.cli.serving import port_option, run_server, size_option


@click.command("studio")
@port_option
@size_option
@ledger_options
@click.option(
    "--open/--no-open",
    "is_opened",
    default=True,
    show_default=True,
    help="Open the page in the browser.",
)
def command(is_opened: bool, **given: object) -> None:
    """See what gives a text away, release a table, explore a mechanism: in a browser.

    Everything stays on this machine: the page is served at 127.0.0.1 and loads nothing
    from elsewhere. The printed address lets one browser in, once.

    Example:  publius studio
    """

    def tell(address: str, _: str) -> None:
        click.echo(f"Publius studio: {address}")
        click.echo("Stop with Ctrl-C.")
        if is_opened:
            webbrowser.open(address)

    run_server(given, tell)
