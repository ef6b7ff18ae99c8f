"""publius try: one text, at once."""

import click
from rich.table import Table

from publius.cli import show
from publius.cli.given import given_text
from publius.cli.options import (
    json_option,
    policy_options,
    seed_option,
    settings_from,
    word_options,
)
from publius.cli.retell_options import retell_options, retell_settings
from publius.reporting.statements import draws_alike
from publius.services.retell import retell
from publius.services.trial import try_text


@click.command("try")
@click.argument("text")
@word_options
@policy_options
@retell_options
@seed_option
@json_option
def command(text: str, seed: int | None, as_json: bool, **flags: object) -> None:
    """Release one text and see it beside the original. Nothing is stored or sent.

    TEXT may be - for standard input.

    Example:  publius try "The doctor came to London in winter." --epsilon 4
    """
    secret = given_text(text)
    retelling = retell_settings(flags)
    with show.stages() as watch:
        if retelling is None:
            found = try_text(secret, settings_from(flags), seed, watch=watch)
        else:
            found = retell(secret, retelling, seed, watch=watch)
    if as_json:
        show.as_json(found.to_json())
        return
    table = Table("original", "released", show_lines=True)
    table.add_row(secret, found.released)
    show.RESULTS.print(table, markup=False)
    if seed is not None:
        show.MESSAGES.print("INSECURE: drawn with a seed.")
    kind = "distinct protected" if draws_alike(found.guarantee) else "protected"
    show.RESULTS.print(f"{found.protected_words} {kind} words.")
    for line in found.statements:
        show.RESULTS.print(line, soft_wrap=True, markup=False)
