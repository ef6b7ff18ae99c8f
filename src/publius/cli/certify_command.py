"""publius certify: the exact certificate of a mechanism on an embedding."""

from pathlib import Path

import click

from publius.cli import show
from publius.cli.options import json_option
from publius.cli.tables import print_table
from publius.cli.word_options import settings_from, word_options
from publius.core.stating import state_bound
from publius.services.certify import certify


@click.command("certify")
@word_options
@click.option(
    "--dump-channel",
    type=click.Path(path_type=Path),
    metavar="FILE.npz",
    help="Write words, log_prob and distance for others to check.",
)
@json_option
def command(dump_channel: Path | None, as_json: bool, **flags: object) -> None:
    """Compute the exact ε of the mechanism that runs, with the pair that attains it.

    The certificate is computed anew from the public embedding, also where the package
    ships the weights; exit 3 if it does not hold.

    Example:  publius certify --epsilon 4 --vocabulary 2000 --json
    """
    with show.stages() as watch:
        certification = certify(settings_from(flags), dump_channel, watch=watch)
    if as_json:
        show.as_json(certification.to_json())
        return
    print_table(
        ("", ""),
        [(key, _cell(value)) for key, value in certification.to_json().items()],
    )


def _cell(value: object) -> str:
    if isinstance(value, list):
        return " – ".join(value)
    return state_bound(value, 6) if isinstance(value, float) else str(value)
