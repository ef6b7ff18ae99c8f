"""Options of a release of rewritten sentences, and how it reports."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from publius.cli import show
from publius.core.errors import ParameterError
from publius.corpus.columns import Columns
from publius.reporting.page import number
from publius.rewriting import SentenceRequest, SentenceSettings, release_sentences

if TYPE_CHECKING:
    from publius.reporting.sentences import SentenceSummary

F = TypeVar("F", bound=Callable[..., Any])
MECHANISM = "dp-vae"

_OPTIONS = (
    click.option("--sigma", type=float, metavar="S",
                 help="dp-vae: deviation of the noise, instead of --epsilon."),
    click.option("--delta", type=float, metavar="D",
                 help="dp-vae: δ at which ε is stated [1e-6]."),
    click.option("--model", metavar="FILE",
                 help="dp-vae: a trained model [the one that comes with Publius]."),
    click.option("--decoding",
                 type=click.Choice(["greedy", "beam", "top-k", "nucleus"]),
                 help="dp-vae: how words are chosen; it costs no privacy [greedy]."),
    click.option("--device", type=click.Choice(["auto", "cpu", "cuda"]),
                 help="dp-vae: where the network runs [auto]."),
)  # fmt: skip
_OWN = ("sigma", "delta", "model", "decoding", "device")


@dataclass(frozen=True, slots=True)
class SentenceRelease:
    """Which table is released, and where to."""

    path: str
    out: Path
    columns: Columns


def sentence_options(function: F) -> F:
    """Add the options that rewrite sentences."""
    for option in reversed(_OPTIONS):
        function = option(function)
    return function


def sentence_flags(flags: dict[str, object]) -> dict[str, object] | None:
    """Take the flags of rewritten sentences out; None if words are to be replaced."""
    own = {name: flags.pop(name) for name in _OWN}
    given = {name: value for name, value in own.items() if value is not None}
    if str(flags.get("mechanism") or "").removesuffix(".v1") != MECHANISM:
        for name in given:
            raise ParameterError(f"--{name} is for --mechanism {MECHANISM}")
        return None
    for name, value in flags.items():
        if name not in ("mechanism", "epsilon", "form") and value not in (None, ()):
            raise ParameterError(
                f"--{name.replace('_', '-')} has no meaning for {MECHANISM}, which "
                "rewrites whole sentences; leave it out"
            )
    if flags.get("form") not in (None, "text"):
        raise ParameterError(f"{MECHANISM} releases texts; leave --as out")
    if flags.get("epsilon") is not None:
        given["epsilon"] = flags["epsilon"]
    return given


def rewrite_table(
    asked: SentenceRelease,
    settings: dict[str, object],
    how: dict[str, object],
    *,
    size: int | None,
    as_json: bool,
) -> None:
    """Run the release and say what it promises."""
    build: Callable[..., SentenceSettings] = SentenceSettings
    request: Callable[..., SentenceRequest] = SentenceRequest
    chosen = build(**settings)
    with show.watching(size) as watch:
        summary = release_sentences(
            request(asked.path, asked.out, asked.columns, chosen, **how), watch
        )
    if as_json:
        show.as_json(summary.to_json())
    else:
        _tell(summary, asked.out)


def _tell(summary: "SentenceSummary", out: Path) -> None:
    if not summary.is_secure:
        show.MESSAGES.print("[red]INSECURE:[/red] made with a seed; do not publish it.")
    exposure = summary.exposure
    lines = [f"{number(exposure.rows)} rows → {out}"]
    lines += [f"  {out / name}" for name in summary.files]
    lines += [f"  {out / name}" for name in ("report.html", "manifest.json")]
    lines.append(
        f"One sentence loses ε = {number(summary.sentence_epsilon)} at δ = "
        f"{summary.delta:g}; the text with most sentences ({exposure.longest}) loses "
        f"ε = {number(summary.text_epsilon)}."
    )
    if summary.author_epsilon is not None:
        lines.append(
            f"The author with most sentences has {exposure.busiest} and loses ε = "
            f"{number(summary.author_epsilon)} in all."
        )
    lines.append(f"Read {out / 'report.html'} before you publish.")
    for line in lines:
        show.RESULTS.print(line, soft_wrap=True, markup=False)
