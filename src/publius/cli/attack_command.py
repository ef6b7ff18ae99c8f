"""publius attack: who wrote the released texts?"""

import click

from publius.assessment.attacks import attack_names
from publius.assessment.comparison.inverted import INVERSION, Inverted
from publius.cli import show
from publius.cli.options import json_option, knowledge_option, released_option, taken
from publius.cli.tables import print_table
from publius.cli.word_options import settings_from, word_options
from publius.core.estimate import Estimate
from publius.services.attack import Attacked, AttackRequest, attack


@click.command("attack")
@click.argument("table", metavar="TABLE", type=click.Path())
@click.option("--text", metavar="COLUMN", help="Originals [found by its name].")
@click.option("--author", metavar="COLUMN", required=True, help="Who wrote a row.")
@released_option
@click.option(
    "--attack",
    "attacks",
    multiple=True,
    type=click.Choice([*attack_names(), INVERSION]),
    help="Which attack; may be repeated [delta, koppel, ngram_svm].",
)
@knowledge_option("Train on obfuscated copies or on originals")
@click.option("--id", "key", metavar="COLUMN",
              help="Tells rows of a released file apart [their order].")  # fmt: skip
@click.option("--split", metavar="COLUMN", help="Says train or test [halves].")
@click.option("--least", type=click.IntRange(min=2), default=2, show_default=True,
              help="Documents that an author must have.")  # fmt: skip
@click.option("--threshold", type=click.FloatRange(0, 1), default=0.0,
              help="koppel: share of votes below which it does not know [0].",
              metavar="S")  # fmt: skip
@word_options
@click.option("--input-format", help="If the name of the table does not tell.")
@click.option("--seed", type=click.IntRange(min=0), help="Of the split and attacks.")
@json_option
def command(as_json: bool, **flags: object) -> None:
    """Attack released texts and say how often the author is found.

    The attacker knows the authors of one half of the documents and guesses those of the
    other. A static attacker learns from originals, an adaptive one from copies that
    went through the same mechanism; both are reported, beside the attack on untouched
    texts, chance, and the largest class.

    --attack inversion guesses words. It uses the exact channel of the mechanism that
    --mechanism, --epsilon and the like name, or the manifest in the folder of a
    release, and else only what copies show.

    Example:  publius attack posts.csv --text body --author user --released out/
    """
    asked = taken(AttackRequest, flags)
    settings, is_named = settings_from(flags), _names_mechanism(flags)
    with show.stages() as watch:
        outcome = attack(
            settings=settings, knows_mechanism=is_named, watch=watch, **asked
        )
    if as_json:
        show.as_json(outcome.to_json())
        return
    _tell(outcome)


def _names_mechanism(flags: dict[str, object]) -> bool:
    named = ("mechanism", "epsilon", "level", "metric")
    return any(flags[name] is not None for name in named)


def _tell(outcome: Attacked) -> None:
    sample, results, inverted = outcome.sample, outcome.results, outcome.inverted
    show.left_out(sample.excluded)
    for note in sample.notes:
        show.MESSAGES.print(f"note: {note}", markup=False)
    if results:
        first = results[0].scores.top
        # The first of the k that are reported: the others stand in the JSON.
        ranks = [min(first)] if first else []
        columns = ("accuracy", "macro-F1", "MCC", *(f"top {k}" for k in ranks))
        # Narrow enough for 80 columns: an interval stands below its value.
        rows = []
        for row in results:
            is_untouched = row.target == "original"
            scores = row.scores
            cells = (scores.accuracy, scores.macro_f1, scores.mcc)
            rows.append(
                (
                    row.attack,
                    "(originals)" if is_untouched else row.knowledge.value,
                    *map(show.stacked, (*cells, *(scores.top[k] for k in ranks))),
                )
            )
        print_table(("attack", "attacker", *columns), rows)
        base = results[0].scores
        show.say(
            f"{base.accuracy.n:,} documents of {base.classes} authors; chance "
            f"{base.chance:.3f}, largest class {base.majority:.3f}."
        )
    if inverted is not None:
        _tell_inverted(inverted)
        if inverted.unaligned:
            show.MESSAGES.print(
                f"left out: {inverted.unaligned} documents whose words do not pair"
            )


def _tell_inverted(inverted: Inverted) -> None:
    rows = [
        ("nothing: they stand as they were", shown(inverted.kept), ""),
        (
            "a channel learnt from copies",
            shown(inverted.guessed),
            shown(inverted.with_context),
        ),
    ]
    if inverted.public is not None:
        public = inverted.public
        told = f"{public.channel} channel of {public.mechanism}, {public.prior} prior"
        rows.append((told, shown(public.guessed), shown(public.with_context)))
    print_table(("words guessed by", "alone", "with their neighbours"), rows)


def shown(estimate: Estimate) -> str:
    """Write an estimate with its interval."""
    return f"{estimate.value:.3f} ({estimate.low:.3f}–{estimate.high:.3f})"
