"""publius explain: what a word is replaced by."""

import click
import numpy as np
from rich.table import Table

from publius.accounting.profile import DRAWS, profile
from publius.assemble import embedding_for, resolved, word_mechanism
from publius.cli import show
from publius.cli.options import json_option, settings_from, word_options
from publius.core.arrays import UNKNOWN
from publius.core.errors import DataError
from publius.core.rng import seeded
from publius.reporting.story import replacements
from publius.text.tokenizer import fold


@click.command("explain")
@click.argument("word")
@word_options
@click.option(
    "--best",
    type=click.IntRange(min=1),
    default=15,
    show_default=True,
    help="How many replacements to show.",
)
@json_option
def command(word: str, best: int, as_json: bool, **flags: object) -> None:
    """Show the replacement distribution of a word, its deniability and its neighbours.

    Example:  publius explain london --epsilon 4
    """
    settings = resolved(settings_from(flags))
    embedding = embedding_for(settings.embedding, settings.vocabulary)
    number = int(embedding.vocabulary.encode([fold(word)])[0])
    if number == UNKNOWN:
        raise DataError(
            "this word is not in the vocabulary: it would be replaced by a draw that "
            "is the same for every unknown word"
        )
    with show.stages() as progress:
        mechanism = word_mechanism(
            settings, lambda text: show.tell_stage(progress, text)
        )
        words = embedding.vocabulary.words
        found = replacements(mechanism, number, words, best=best)
        measured = profile(mechanism, np.array([number]), embedding.size, seeded(0))
    distance = embedding.space(settings.metric).rows(np.array([number]))[0]
    near = [i for i in np.argsort(distance, kind="stable")[: best + 1] if i != number]
    shown = sum(item.share for item in found)
    result = {
        "word": words[number],
        "mechanism": mechanism.name,
        "epsilon": settings.epsilon,
        "metric": settings.metric,
        "exact": measured.n == 0,
        "replacements": [{"word": i.word, "probability": i.share} for i in found],
        "other_words": max(0.0, 1 - shown),
        "unchanged": float(measured.unchanged[0]),
        "distinct_outputs": float(measured.outputs[0]),
        "explanations": float(measured.explanations[0]),
        "draws": DRAWS,
        "neighbours": [
            {"word": words[i], "distance": float(distance[i])} for i in near
        ],
    }
    if as_json:
        show.as_json(result)
        return
    table = Table(
        "released as",
        "probability",
        title=f"{words[number]} at ε = {settings.epsilon:g}",
    )
    for item in found:
        table.add_row(item.word, f"{item.share:.4f}")
    table.add_row("any other word", f"{max(0.0, 1 - shown):.4f}")
    show.RESULTS.print(table)
    show.RESULTS.print(
        f"In {DRAWS:,} draws it stays {measured.unchanged[0] * DRAWS:,.0f} times and "
        f"gives {measured.outputs[0]:,.0f} different words; "
        f"{measured.explanations[0]:,.0f} words would give it at least once."
    )
    show.RESULTS.print("Nearest: " + ", ".join(words[i] for i in near[:10]))
