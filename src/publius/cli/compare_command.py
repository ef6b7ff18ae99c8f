"""publius compare: many mechanisms on one corpus at equal certified privacy."""

from collections.abc import Mapping
from pathlib import Path

import click

from publius.assessment.attacks import attack_names
from publius.assessment.comparison.cell import MOST_AUTHORS, Rows
from publius.assessment.comparison.equal_privacy import EQUAL_PRIVACY, TERMS
from publius.assessment.comparison.page import finding
from publius.assessment.comparison.rows import Cell
from publius.assessment.evaluation.classify import ANALYSTS
from publius.cli import show
from publius.cli.options import json_option, taken
from publius.cli.tables import print_table
from publius.cli.word_options import settings_from
from publius.core.errors import ParameterError
from publius.core.stating import state_bound
from publius.services.compare import VOCABULARY, CompareRequest, compare

_SHOWN = {
    "contender": "contender",
    "level": "level",
    "worst_loss": "worst loss",
    "document_loss": "per document",
    "kept_words": "kept",
    "attack": "authors found",
    "utility": "classes found",
}
"""Columns of the table that is printed."""


@click.command("compare")
@click.argument("table", metavar="TABLE", type=click.Path())
@click.option("--text", metavar="COLUMN", help="Texts [found by its name].")
@click.option("--author", metavar="COLUMN", help="Who wrote a row: what is attacked.")
@click.option("--label", metavar="COLUMN", help="Class of a row: what is of use.")
@click.option(
    "--mechanisms",
    default="original,exponential,laplace,random",
    show_default=True,
    metavar="LIST",
    help="name[@metric][+bag|+drop|+all|+rank|+bayes], syntf+tf; the baselines "
    "original, words, random, scrub.",
)
@click.option(
    "--levels",
    "--at",
    default="2,4,8",
    show_default=True,
    metavar="LIST",
    help="Certified levels, in the unit of --equal-privacy.",
)
@click.option(
    "--equal-privacy",
    type=click.Choice(list(EQUAL_PRIVACY)),
    default="word",
    show_default=True,
    help="What a level is: loss against the tenth nearest word, or between any two "
    "documents, which leave as a fixed number of words.",
)
@click.option("--footing", type=click.Choice(list(EQUAL_PRIVACY)), hidden=True,
              help="Old name of --equal-privacy.")  # fmt: skip
@click.option("--length", type=int, metavar="N",
              help=f"Words of a document that is released [{TERMS}].")  # fmt: skip
@click.option("-o", "--out", type=click.Path(path_type=Path), required=True)
@click.option(
    "--attack",
    "attacks",
    multiple=True,
    type=click.Choice(attack_names()),
    help="May be repeated [ngram_svm].",
)
@click.option(
    "--classifier",
    "classifiers",
    multiple=True,
    type=click.Choice(sorted(ANALYSTS)),
    help="May be repeated [svm].",
)
@click.option("--split", metavar="COLUMN", help="Says train or test [halves].")
@click.option("--authors", type=click.IntRange(min=2), default=MOST_AUTHORS,
              show_default=True, help="Attack those with most documents.")  # fmt: skip
@click.option("--least", type=click.IntRange(min=2), default=2, show_default=True,
              help="Documents that an author must have.")  # fmt: skip
@click.option("--embedding", metavar="NAME", help="Name or file [glove-50k].")
@click.option("--vocabulary", type=int, default=VOCABULARY, metavar="N",
              show_default=True, help="Most frequent words of it.")  # fmt: skip
@click.option("--protect", type=click.Choice(["content", "all"]), help="[content]")
@click.option("--workers", type=click.IntRange(min=1), help="Processes [all cores].")
@click.option("--seed", type=click.IntRange(min=0), help="Of splits and noise.")
@json_option
def command(mechanisms: str, levels: str, as_json: bool, **flags: object) -> None:
    """Compare mechanisms on a table: attack against utility at equal privacy.

    Every mechanism is set to the same certified privacy, then attacked and used in the
    same run, static and adaptive. A folder with finished cells is continued, not
    repeated. Writes index.html, table.csv, table.parquet, results.json and pictures.

    Example:  publius compare posts.csv --text body --author user --label topic
    --mechanisms original,exponential,exponential@euclidean,laplace,random
    --levels 2,4,8 -o comparison/
    """
    if flags["footing"] is not None:
        show.warn("--footing is called --equal-privacy now.")
    asked = taken(CompareRequest, flags)
    asked |= {"mechanisms": _names(mechanisms), "levels": _levels(levels)}
    with show.stages() as watch:
        comparison = compare(settings=settings_from(flags), watch=watch, **asked)
    if as_json:
        show.as_json(comparison.to_json())
        return
    _tell(comparison.rows, comparison.out)


def _names(listed: str) -> list[str]:
    return list(dict.fromkeys(name.strip() for name in listed.split(",") if name))


def _levels(listed: str) -> list[float]:
    try:
        levels = [float(part.removeprefix("level=")) for part in listed.split(",")]
    except ValueError:
        raise ParameterError(
            f"levels must be numbers with commas, got {listed!r}"
        ) from None
    return list(dict.fromkeys(levels))


def _tell(rows: Rows, out: Path) -> None:
    names = [n for n in _SHOWN if any(row.get(n) is not None for row in rows)]
    print_table(
        [_SHOWN[name] for name in names],
        [[_cell(row, name) for name in names] for row in rows],
        figures=("level", "worst loss", "per document", "kept"),
    )
    found = finding(rows)
    if found:
        show.say(found)
    show.say(f"{out / 'index.html'}")


def _cell(row: Mapping[str, Cell], name: str) -> str:
    value = row.get(name)
    if value is None or isinstance(value, str):
        return value or ""
    if f"{name}_low" in row:
        return f"{value:.2f} ({row[f'{name}_low']:.2f}-{row[f'{name}_high']:.2f})"
    return show.figure(value) if name == "kept_words" else state_bound(value)
