"""publius mechanisms: every mechanism with its guarantee and parameters."""

import click
from rich.box import SIMPLE
from rich.table import Table

from publius.cli import show
from publius.cli.options import json_option
from publius.services.mechanisms import mechanisms


@click.command("mechanisms")
@json_option
def command(as_json: bool) -> None:
    """List every mechanism, with its guarantee and parameters.

    certified: the loss is computed on the integers that are sampled. idealised: it is
    proved over the reals; the card says what floating point changes. Guarantees:
    metric, the loss grows with the distance of two secrets; local, one bound for any
    two; (ε, δ), per sentence or text; partial, only among some words.

    Example:  publius mechanisms --json
    """
    found = mechanisms()
    if as_json:
        show.as_json(found.to_json())
        return
    table = Table(box=SIMPLE, padding=(0, 1, 0, 0))
    for name in ("name", "for", "metric", "guarantee", "status"):
        table.add_column(name, no_wrap=True)
    table.add_column("parameters", overflow="fold")
    for one in found.listed:
        about = one.about
        parameters = " ".join(f"{k}={v}" for k, v in about.parameters.items())
        table.add_row(
            one.name, one.material, one.metric, about.kind, one.status, parameters
        )
    show.RESULTS.print(table)
