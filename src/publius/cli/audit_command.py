"""publius audit: try to refute a claim."""

import math
from pathlib import Path

import click

from publius.assessment.auditing import Verdict
from publius.assessment.auditing.text_events import TEXT_PLAN
from publius.cli import show
from publius.cli.audit_texts import tell_texts, text_plan
from publius.cli.options import json_option, taken
from publius.core.arrays import shortest
from publius.core.errors import RefutedError
from publius.core.stating import state_bound, state_floor
from publius.services.audit import DRAWS, AuditRequest, audit


@click.command("audit")
@click.option(
    "--channel",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="NPZ with 'channel' (or 'log_prob') and 'distance'; or CSV or Parquet.",
)
@click.option(
    "--exec",
    "program",
    metavar="CMD",
    help="A program that releases a word; {word} stands for it.",
)
@click.option(
    "--words",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Public words to try with --exec, one per line.",
)
@click.option(
    "--texts",
    type=click.Path(path_type=Path),
    nargs=2,
    metavar="A B",
    help="Two text files: release both many times and test which one it was.",
)
@click.option(
    "--settings",
    "settings_path",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="With --texts: how they are released [publius.toml, if it is there].",
)
@click.option(
    "--epsilon", type=float, help="The claim to be refuted; --texts has its own."
)
@click.option(
    "--metric",
    default="discrete",
    show_default=True,
    metavar="M",
    help="discrete, a file of distances, or a metric of --embedding such as hop.",
)
@click.option("--embedding", default="glove-50k", metavar="NAME", help="Name or file.")
@click.option(
    "--draws", type=int, help=f"Per word [{DRAWS}] or text [{TEXT_PLAN.draws}]."
)
@click.option("--confidence", type=float, default=0.999, show_default=True)
@json_option
def command(
    texts: tuple[Path, Path] | None,
    settings_path: Path | None,
    draws: int | None,
    confidence: float,
    as_json: bool,
    **flags: object,
) -> None:
    """Refute the claim that a mechanism loses at most ε per unit of distance.

    A channel that is written down is decided exactly. A program is run many times: what
    it is then shown to lose, it loses with the stated confidence. Exit 3 when the claim
    is refuted, with the pair of secrets and the output that do it.

    Two texts are released many times by settings, and tests in surface and embedding
    space tell which one it was. What they show to be lost stands beside what is
    certified for the words in which the texts differ; exit 3 when it is more.

    Example:  publius audit --channel law.npz --epsilon 2

    Example:  publius audit --exec "./noisy {word}" --words words.txt --epsilon 2

    Example:  publius audit --texts one.txt other.txt --settings publius.toml
    """
    asked = taken(AuditRequest, flags)
    if (texts is not None) + ("channel" in asked) + ("program" in asked) != 1:
        raise click.UsageError("give one of --channel, --exec and --texts")
    if texts is not None:
        if "epsilon" in asked:
            raise click.UsageError("--texts takes its claim from the settings")
        plan = text_plan(draws, confidence)
        tell_texts(texts, settings_path, plan, as_json=as_json)
        return
    if "epsilon" not in asked:
        raise click.UsageError("--channel and --exec need the claim, --epsilon")
    if settings_path is not None:
        raise click.UsageError("--settings is for --texts")
    if "program" in asked and "words" not in asked:
        raise click.UsageError("--exec needs --words")
    with show.stages() as watch:
        verdict = audit(
            draws=DRAWS if draws is None else draws,
            confidence=confidence,
            watch=watch,
            **asked,
        )
    _tell(verdict, as_json=as_json)


def _tell(verdict: Verdict, *, as_json: bool) -> None:
    if as_json:
        show.as_json(verdict.to_json())
    else:
        for line in _lines(verdict):
            show.say(line)
    if verdict.refutes_claim:
        raise RefutedError(
            f"the claim of epsilon {shortest(verdict.claim)} is refuted: it is at "
            f"least {state_floor(verdict.epsilon.low, 6)}"
        )


def _lines(verdict: Verdict) -> list[str]:
    epsilon = verdict.epsilon
    is_bounded = math.isfinite(epsilon.value)
    told = state_bound(epsilon.value, 12) if is_bounded else "infinite"
    lines = [f"epsilon is {told}, exactly"]
    if not verdict.is_exact:
        lines = [
            f"epsilon is at least {state_floor(epsilon.low, 6)} "
            f"(estimate {epsilon.value:.6g})",
            f"confidence {epsilon.confidence:g}, {epsilon.n} draws, {verdict.searched} "
            "hypotheses",
        ]
        if not verdict.refutes_claim:
            lines.append("not refuted, which is no proof of the claim")
    pair = f"{verdict.x} and {verdict.other}, at distance {verdict.distance:.6g}"
    return [*lines, f"worst pair: {pair}", f"seen: {verdict.event}"]
