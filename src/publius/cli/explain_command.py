"""publius explain: what a word is replaced by, and who else could have been there."""

import click

from publius.assessment.deniability.explanation import LAW_DRAWS, Explanation
from publius.cli import show
from publius.cli.options import json_option
from publius.cli.tables import print_table
from publius.cli.word_options import settings_from, term_options, word_options
from publius.core.arrays import shortest
from publius.language.tokenizer import fold
from publius.materials.words.assemble import word_tokenizer
from publius.mechanisms.profile import DRAWS
from publius.services.explain import explain

GENERALISING = "generalising"
"""The mechanism to try on words of a hierarchy."""


@click.command("explain")
@click.argument("word")
@word_options
@term_options
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

    The deniability set holds the words that would be released as this word at least
    once in 1,000 draws on average: who sees it cannot rule them out. It is complete up
    to 4,472 words, on the metric like, and on hops after a calibration; otherwise the
    nearest words and the likeliest replacements are asked, so that there may be more.

    Example:  publius explain london
    """
    with show.stages() as watch:
        settings = settings_from(dict(flags))
        explanation = explain(word, settings, best, watch=watch)
    if as_json:
        show.as_json(explanation.to_json())
    else:
        if word_tokenizer(settings).is_stop_word(word):
            show.say(
                f"{word} is a stop word: only with --protect all does a release "
                "replace it, as this says."
            )
        if settings.block and explanation.word != fold(word):
            show.say(f"A blocked word is treated as its stand-in, {explanation.word}.")
        if explanation.stand_in:
            show.say(
                f"{explanation.word} is never written: it is taken for "
                f"{explanation.stand_in}."
            )
        if explanation.word_class:
            show.say(
                f"{explanation.word} is taken for any word of its class, "
                f"{explanation.word_class}."
            )
        _tell(explanation, best)


def _tell(explanation: Explanation, best: int) -> None:
    is_related = ["relation"] if explanation.relations else []
    rows = [
        (word, _share(float(figure)), *explanation.relations[number : number + 1])
        for number, (word, figure) in enumerate(
            zip(
                explanation.replacements.words,
                explanation.replacements.figures,
                strict=True,
            )
        )
    ]
    rows.append(
        ("any other word", _share(explanation.others), *([""] if is_related else []))
    )
    print_table(
        ("released as", "probability", *is_related),
        rows,
        title=f"{explanation.word} at ε = {shortest(explanation.settings.rate)}",
        figures=("probability",),
    )
    if explanation.shares:
        parts = (
            f"{name} {_share(share)}" for name, share in explanation.shares.items()
        )
        show.say("By relation: " + ", ".join(parts) + ".")
        if explanation.settings.mechanism != GENERALISING:
            show.warn(f"--mechanism {GENERALISING} favours general words.")
    if not explanation.is_exact:
        show.say(f"Drawn {LAW_DRAWS:,} times, not exact.")
    measured = explanation.profile
    show.say(
        f"In {DRAWS:,} draws it stays {measured.unchanged[0] * DRAWS:,.0f} times and "
        f"gives {_words(measured.outputs[0], 'different ')}; "
        f"{_words(measured.explanations[0])}"
        f"{'' if explanation.is_exhaustive else ' or more'} would give it at least "
        f"once. Hartley entropy {measured.hartley[0]:.1f} bits, min-entropy "
        f"{measured.min_entropy[0]:.2f} bits."
    )
    show.say("Nearest: " + ", ".join(explanation.neighbours.words[:10]))
    nobody = "no other word" if explanation.is_exhaustive else "no near word"
    others = len(explanation.deniable.words) - best
    more = f" and {others:,} more" if others > 0 else ""
    named = ", ".join(explanation.deniable.words[:best]) or nobody
    show.say(f"Could also have been written: {named}{more}")


def _words(count: float, kind: str = "") -> str:
    return f"{count:,.0f} {kind}word{'' if round(count) == 1 else 's'}"


def _share(value: float) -> str:
    """Return a probability so that a small one is not shown as none."""
    return f"{value:.4f}" if value >= 1e-3 or value == 0 else f"{value:.1e}"
