"""publius try: one text, at once."""

import click

from publius.cli import show
from publius.cli.given import given_text, is_file_name
from publius.cli.options import json_option, seed_option
from publius.cli.retell_options import retell_options, retell_settings
from publius.cli.tables import print_table
from publius.cli.word_options import (
    policy_options,
    settings_from,
    warn_of_metric,
    word_options,
)
from publius.materials.words.assemble import word_embedding
from publius.materials.words.remarks import is_long_enough, language_remarks
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

    Example:  publius try "The doctor came to London in winter." --epsilon 3
    """
    secret = given_text(text)
    retelling = retell_settings(flags)
    if is_file_name(text):
        show.warn(
            "Note: this is the name of a file, and the name itself is taken for the "
            "text; for what stands in the file use publius release, or try - < FILE."
        )
    with show.stages() as watch:
        if retelling is None:
            settings = settings_from(flags)
            warn_of_metric(settings)
            trial = try_text(secret, settings, seed, watch=watch)
        else:
            trial = retell(secret, retelling, seed, watch=watch)
    if as_json:
        show.as_json(trial.to_json())
        return
    print_table(("original", "released"), [(secret, trial.released)])
    if seed is not None:
        show.MESSAGES.print("INSECURE: drawn with a seed.")
    kind = "distinct protected" if draws_alike(trial.guarantee) else "protected"
    show.say(f"{trial.protected_words} {kind} words.")
    if retelling is None and not trial.protected_words:
        show.warn(
            "Nothing here is protected: no word was replaced. Stop words and "
            "punctuation stay as they are; --protect all replaces stop words too."
        )
    for line in trial.statements:
        show.say(line)
    _warn_of_language(secret, None if retelling else flags)


def _warn_of_language(secret: str, flags: dict[str, object] | None) -> None:
    """Say that a text is not of the language that replaces it; None: a model's."""
    if not is_long_enough(secret):
        return
    known = None if flags is None else word_embedding(settings_from(flags)).vocabulary
    for line in language_remarks(secret, known):
        show.warn(line)
