"""publius serve: the verbs as an HTTP service."""

from pathlib import Path

import click

from publius.cli.ledger_options import ledger_options
from publius.cli.serving import port_option, run_server, size_option


@click.command("serve")
@port_option
@size_option
@ledger_options
@click.option("--host", default="127.0.0.1", show_default=True, help="Where to listen.")
@click.option(
    "--name",
    "names",
    multiple=True,
    metavar="HOST",
    help="Name under which another host is reached; may be repeated.",
)
@click.option(
    "--tls-certificate",
    "certificate",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="TLS certificate, PEM.",
)
@click.option(
    "--tls-key",
    "key",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Its private key, PEM.",
)
@click.option(
    "--token-file",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Holds the token of programs, for its owner only; else one is made.",
)
def command(**given: object) -> None:
    """Serve every verb to other programs on this machine, with the same JSON.

    Prints an address that lets one browser in, once, and the token that programs send
    as "Authorization: Bearer TOKEN". The description for machines is at
    /v1/openapi.json. Nothing is logged; uploads lie in a private folder that is removed
    at the end. A host other than 127.0.0.1 needs TLS files and a token file.

    Example:  publius serve --port 8787
    """

    def tell(address: str, token: str) -> None:
        click.echo(f"Publius serves at {address}")
        if given["token_file"] is None:
            click.echo(f"Token of programs: {token}")
        click.echo("Stop with Ctrl-C.")

    run_server(given, tell)
