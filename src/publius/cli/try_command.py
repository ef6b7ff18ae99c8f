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
from publius.core.stating import state_bound, state_odds
from publius.reporting.repeated import equal_draws
from publius.services.trial import try_text


@click.command("try")
@click.argument("text")
@word_options
@policy_options
@seed_option
@json_option
def command(text: str, seed: int | None, as_json: bool, **flags: object) -> None:
    """Release one text and see it beside the original. Nothing is stored or sent.

    TEXT may be - for standard input.

    Example:  publius try "The doctor came to London in winter." --epsilon 4
    """
    secret = given_text(text)
    with show.stages() as watch:
        found = try_text(secret, settings_from(flags), seed, watch=watch)
    if as_json:
        show.as_json(found.to_json())
        return
    promise, words = found.guarantee, found.protected_words
    table = Table("original", "released", show_lines=True)
    table.add_row(secret, found.released)
    show.RESULTS.print(table, markup=False)
    alike = equal_draws(promise)
    show.RESULTS.print(
        f"{words} distinct protected words. {alike}"
        if alike is not None
        else f"{words} protected words; odds between near words change by at most "
        f"×{state_odds(promise.near_level)} each (level "
        f"{state_bound(promise.near_level)}), between any two words by at most "
        f"×{state_odds(promise.worst_loss)} (loss {state_bound(promise.worst_loss)})."
    )
    if seed is not None:
        show.MESSAGES.print("INSECURE: drawn with a seed.")
