"""publius evaluate: what are the released texts still good for?"""

from collections.abc import Callable

import click

from publius.assessment.evaluation.classify import ANALYSTS
from publius.assessment.evaluation.report import Measure
from publius.cli import show
from publius.cli.evaluate_pairs import tell_pairs
from publius.cli.options import F, json_option, knowledge_option, released_option, taken
from publius.cli.tables import print_table
from publius.core.estimate import Estimate
from publius.language.models.causal import fetch_language_model
from publius.language.models.encoder import fetch_encoder
from publius.language.models.trigrams import fetch_trigrams
from publius.services.evaluate import (
    MOST_COMPARED,
    MOST_READ,
    EvaluateRequest,
    Evaluation,
    PairEvaluation,
    evaluate,
)

FETCHED = {
    "get_encoder": ("sentence encoder", fetch_encoder),
    "get_language_model": ("language model", fetch_language_model),
    "get_trigrams": ("trigram model", fetch_trigrams),
}

RISK = "Risk, not use: how often whoever has the originals finds the one behind a text"


def _get(ctx: click.Context, option: click.Parameter, is_asked: bool) -> None:
    """Fetch what an option names, and stop."""
    if is_asked and not ctx.resilient_parsing:
        name, fetch = FETCHED[str(option.name)]
        show.RESULTS.print(f"the {name} is in {fetch()}", soft_wrap=True)
        ctx.exit()


def _getting(flag: str, told: str) -> Callable[[F], F]:
    """Return the option that fetches something and stops."""
    return click.option(flag, is_flag=True, is_eager=True, expose_value=False,
                        callback=_get, help=f"Fetch {told} and stop.")  # fmt: skip


@click.command("evaluate")
@click.argument("table", metavar="TABLE", type=click.Path())
@click.option("--text", metavar="COLUMN", help="Originals [found by its name].")
@click.option("--text2", metavar="COLUMN", help="The other sentence of a pair.")
@click.option("--label", metavar="COLUMN", help="Topic, sentiment or other class.")
@click.option("--score", metavar="COLUMN", help="Similarity of pairs, by people.")
@released_option
@click.option("--released2", metavar="COLUMN|FILE", type=click.Path(),
              help="The same of the other sentences.")  # fmt: skip
@click.option("--id", "key", metavar="COLUMN",
              help="Tells rows of a released file apart [their order].")  # fmt: skip
@click.option(
    "--classifier",
    "classifiers",
    multiple=True,
    type=click.Choice(sorted(ANALYSTS)),
    help="Which classifier; may be repeated [svm, naive_bayes].",
)
@knowledge_option("Train on released texts or on originals")
@click.option("--split", metavar="COLUMN", help="Says train or test [halves].")
@click.option(
    "--pairs",
    type=click.IntRange(min=2),
    default=MOST_COMPARED,
    show_default=True,
    help="Documents that similarity and retrieval compare.",
)
@click.option(
    "--read",
    type=click.IntRange(min=2),
    default=MOST_READ,
    show_default=True,
    help="Documents that the causal language model reads.",
)
@click.option(
    "--no-language-model",
    "is_unread",
    is_flag=True,
    help="Leave the causal language model out: it takes most of the time.",
)
@click.option("--embedding", default="glove-50k", metavar="NAME", help="Word vectors.")
@click.option("--input-format", help="If the name of the table does not tell.")
@click.option("--seed", type=click.IntRange(min=0), help="Of the split and intervals.")
@_getting("--get-encoder", "the sentence encoder (84 MB)")
@_getting("--get-language-model", "the causal language model (93 MB)")
@_getting("--get-trigrams", "trigrams of spoken English (28 MB), which only judge,")
@json_option
def command(is_unread: bool, as_json: bool, **flags: object) -> None:
    """Measure what is left of the use of released texts.

    Classes are predicted from released texts by an analyst who trained on originals
    (static) or on released texts (adaptive). Similarity, retrieval of the original,
    METEOR and perplexity are measured on pairs of original and released test texts. A
    sentence encoder, a causal language model, trigrams of spoken English and WordNet
    take part when they are on this machine (--get-encoder, --get-language-model,
    --get-trigrams, publius embeddings get wordnet).

    With --text2 the rows are pairs of sentences: --score correlates their similarity
    with the judgement of people, --label classifies entailment or paraphrase.

    Example:  publius evaluate posts.csv --text body --label topic --released out/
    """
    if is_unread:
        flags["read"] = 0
    request = evaluate.asked(**taken(EvaluateRequest, flags))
    if request.missing:
        raise click.UsageError(request.missing)
    with show.stages() as watch:
        evaluation = evaluate(request, watch=watch)
    if as_json:
        show.as_json(evaluation.to_json())
    elif isinstance(evaluation, PairEvaluation):
        tell_pairs(evaluation.reports)
    else:
        _tell(evaluation)


def _tell(evaluation: Evaluation) -> None:
    sample, results = evaluation.sample, evaluation.classified
    show.left_out(sample.excluded)
    for note in sample.notes:
        show.MESSAGES.print(f"note: {note}", markup=False)
    rows = []
    for row in results:
        scores = row.scores
        rows.append(
            (
                row.classifier,
                "(originals)" if row.target == "original" else row.knowledge,
                *map(show.stacked, (scores.accuracy, scores.macro_f1, scores.mcc)),
            )
        )
    print_table(("classifier", "analyst", "accuracy", "macro-F1", "MCC"), rows)
    base = results[0].scores
    show.say(
        f"{base.accuracy.n:,} test documents of {base.classes} classes; chance "
        f"{base.chance:.3f}, largest class {base.majority:.3f}."
    )
    of_use = [measure for measure in evaluation.measures if not measure.is_risk]
    risks = [measure for measure in evaluation.measures if measure.is_risk]
    print_table(("measure", "released", "original"), list(map(_row, of_use)))
    if risks:
        print_table(
            ("risk", "released"), [_row(measure)[:2] for measure in risks], title=RISK
        )


def _row(measure: Measure) -> tuple[str, str, str]:
    before = "" if measure.original is None else _shown(measure.original)
    name = measure.name + (f" ({measure.detail})" if measure.detail else "")
    return name, _shown(measure.estimate), before


def _shown(estimate: Estimate) -> str:
    """Write an estimate with its interval."""
    value, low, high = map(show.figure, (estimate.value, estimate.low, estimate.high))
    return f"{value} ({low}–{high})"
