"""publius cite: the papers behind a mechanism."""

import click

from publius.cli import show
from publius.cli.options import completing, json_option
from publius.services.cite import OWN, cite
from publius.services.mechanisms import mechanisms


@click.command("cite")
@click.argument(
    "mechanism",
    default=OWN,
    shell_complete=completing(lambda: (one.name for one in mechanisms().listed)),
)
@json_option
def command(mechanism: str, as_json: bool) -> None:
    """Print the papers behind a mechanism as BibTeX, and Publius itself.

    Without a name: Publius alone. A comment says what is Publius's own.

    Example:  publius cite syntf >> references.bib
    """
    citation = cite(mechanism)
    if as_json:
        show.as_json(citation.to_json())
        return
    show.RESULTS.print(citation.bibtex(), markup=False, highlight=False, soft_wrap=True)
