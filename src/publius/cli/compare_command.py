"""publius compare: many mechanisms on one corpus at equal certified privacy."""

from dataclasses import replace
from pathlib import Path

import click
from rich.table import Table

from publius.attacks import ATTACKS
from publius.cli import show
from publius.cli.options import json_option, settings_from
from publius.core.arrays import positive
from publius.core.errors import ParameterError
from publius.embeddings.folders import write_whole
from publius.evaluation.classify import ANALYSTS
from publius.lab.compare import Job, Rows, compare, grid
from publius.lab.contenders import Contender
from publius.lab.pictures import over_level, trade_off
from publius.lab.writing import render, write_json, write_tables

_SHOWN = (
    "contender", "level", "near_level", "worst_loss", "kept_words", "attack", "utility",
)  # fmt: skip


@click.command("compare")
@click.argument("path", metavar="TABLE")
@click.option("--text", metavar="COLUMN", help="Texts [found by its name].")
@click.option("--author", metavar="COLUMN", help="Who wrote a row: what is attacked.")
@click.option("--label", metavar="COLUMN", help="Class of a row: what is of use.")
@click.option(
    "--mechanisms",
    default="original,exponential,laplace,random",
    show_default=True,
    metavar="LIST",
    help="name[@metric][+bayes|+rank|+all|+drop|+bag], original, random, scrub.",
)
@click.option(
    "--levels",
    "--at",
    default="2,4,8",
    show_default=True,
    metavar="LIST",
    help="Certified levels against the tenth nearest word.",
)
@click.option("-o", "--out", type=click.Path(path_type=Path), required=True)
@click.option(
    "--attack",
    "attacks",
    multiple=True,
    type=click.Choice(sorted(ATTACKS)),
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
@click.option("--least", type=click.IntRange(min=2), default=2, show_default=True,
              help="Documents that an author must have.")  # fmt: skip
@click.option("--embedding", metavar="NAME", help="Name or file [glove-50k].")
@click.option("--vocabulary", type=int, metavar="N", help="Most frequent words only.")
@click.option("--protect", type=click.Choice(["content", "all"]), help="[content]")
@click.option("--workers", type=click.IntRange(min=1), default=1, show_default=True)
@click.option("--seed", type=click.IntRange(min=0), help="Of splits and noise.")
@json_option
def command(
    path: str,
    text: str | None,
    author: str | None,
    label: str | None,
    mechanisms: str,
    levels: str,
    out: Path,
    attacks: tuple[str, ...],
    classifiers: tuple[str, ...],
    split: str | None,
    least: int,
    workers: int,
    seed: int | None,
    as_json: bool,
    **flags: object,
) -> None:
    """Compare mechanisms on a table: attack against utility at equal privacy.

    Every mechanism is set to the same certified level against the tenth nearest word,
    then attacked and used in the same run, static and adaptive. A folder with finished
    cells is continued, not repeated. Writes table.csv, table.parquet, results.json,
    trade-off.svg and index.html.

    Example:  publius compare posts.csv --text body --author user --label topic
    --mechanisms original,exponential,exponential@euclidean,laplace,random
    --levels 2,4,8 -o comparison/
    """
    # A level stands in for epsilon, whatever publius.toml says.
    common = replace(settings_from(flags), level=None)
    job = Job(
        path,
        text,
        author,
        label,
        split,
        attacks or ("ngram_svm",),
        classifiers or ("svm",),
        common,
        seed,
        least,
    )
    places = grid([Contender(name) for name in _names(mechanisms)], _levels(levels))
    with show.stages() as progress:
        rows = compare(
            job,
            places,
            out,
            workers=workers,
            progress=lambda stage: show.tell_stage(progress, stage),
        )
        _write(job, rows, out)
    if as_json:
        show.as_json({"out": str(out), "rows": rows})
        return
    _tell(rows, out)


def _names(listed: str) -> list[str]:
    return list(dict.fromkeys(name.strip() for name in listed.split(",") if name))


def _levels(listed: str) -> list[float]:
    try:
        found = [float(part.removeprefix("level=")) for part in listed.split(",")]
    except ValueError:
        raise ParameterError(
            f"levels must be numbers with commas, got {listed!r}"
        ) from None
    return [positive("level", value) for value in dict.fromkeys(found)]


def _write(job: Job, rows: Rows, out: Path) -> None:
    write_tables(rows, out, "table", parquet=True)
    pictures = []
    if job.author is not None and job.label is not None:
        picture = trade_off(rows)
        write_whole(out / "trade-off.svg", picture.encode())
        pictures.append(("Attack against utility (numbers: level)", picture))
    for kind, label in (("attack", "authors found"), ("utility", "classes found")):
        if kind in rows[0]:
            pictures.append(
                (f"{label.capitalize()} by level", over_level(rows, kind, label))
            )
    notes = [
        "Every mechanism is set to the same certified level against the tenth nearest "
        "word (median word). The worst loss over all pairs of words stands beside it: "
        "a mechanism can trade one for the other.",
        f"Attacks: {', '.join(job.attacks)}; "
        f"classifiers: {', '.join(job.classifiers)}; "
        "each static and adaptive, the stronger one counts.",
    ]
    page = render("Mechanisms compared", notes, pictures, rows)
    write_whole(out / "index.html", page.encode())
    write_json({"job": job.identity, "rows": rows}, out / "results.json")


def _tell(rows: Rows, out: Path) -> None:
    names = [name for name in _SHOWN if any(name in row for row in rows)]
    table = Table(*names)
    for row in rows:
        table.add_row(*(_cell(row.get(name)) for name in names))
    show.RESULTS.print(table)
    show.RESULTS.print(f"{out / 'index.html'}", soft_wrap=True, markup=False)


def _cell(value: object) -> str:
    if isinstance(value, float):
        return f"{value:.3g}"
    return "" if value is None else str(value)
