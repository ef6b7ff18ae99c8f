"""publius mechanisms: every mechanism with its guarantee and parameters."""

import click

from publius.cli import show
from publius.cli.options import json_option
from publius.cli.tables import print_table
from publius.services.mechanisms import mechanisms

HEADINGS = ("name", "material", "metric", "guarantee", "status", "parameters", "card")


@click.command("mechanisms")
@json_option
def command(as_json: bool) -> None:
    """List every mechanism, with its guarantee, parameters and card.

    certified: the loss is computed on the integers that are sampled. idealised: it is
    proved over the reals; the card says what floating point changes. Guarantees:
    metric, the loss grows with the distance of two secrets; local, one bound for any
    two; (ε, δ), per sentence or text; partial, only among some words. The metric is the
    usual one, the parameters stand with their defaults. The card is a page of the
    documentation: the law, its proof, and what was assumed.

    Example:  publius mechanisms --json
    """
    listing = mechanisms()
    if as_json:
        show.as_json(listing.to_json())
        return
    print_table(
        HEADINGS,
        [
            (
                one.name,
                one.material,
                one.metric,
                one.about.kind,
                one.status,
                " ".join(_default(k, v) for k, v in one.about.parameters.items()),
                one.about.card,
            )
            for one in listing.listed
        ],
    )


def _default(name: str, value: object) -> str:
    """Return a parameter with its default, if it has one."""
    if value is None or value == "":
        return name
    return f"{name}={str(value).lower() if isinstance(value, bool) else value}"
