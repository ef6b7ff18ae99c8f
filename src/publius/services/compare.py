"""Compare: many mechanisms on one corpus at equal certified privacy."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

import pyarrow as pa
from pyarrow import parquet

from publius.assessment.comparison.cell import MOST_AUTHORS, Job, Rows
from publius.assessment.comparison.compare import compare as fill_grid
from publius.assessment.comparison.compare import grid
from publius.assessment.comparison.contenders import Contender
from publius.assessment.comparison.page import comparison_page
from publius.assessment.comparison.pictures import over_level, trade_off
from publius.assessment.comparison.writing import write_json, write_tables
from publius.core.arrays import positive
from publius.core.config import WordSettings
from publius.core.errors import ParameterError
from publius.core.html import html_table
from publius.core.watch import Watch
from publius.numerics.parallel import cores
from publius.services.verb import verb
from publius.storage.atomic import write_bytes
from publius.tables.formats.memory import as_input

VOCABULARY = 12_000
"""Words of a comparison if none are asked: dense metrics are calibrated in minutes."""


@dataclass(frozen=True, slots=True, eq=False)
class CompareRequest:
    """Which mechanisms, on which corpus, at which levels.

    Args:
        table: A path, or a table in memory.
        out: Folder for the page, tables and pictures; finished cells are used again.
        text: Column of texts; None finds it by its name.
        author: Column of who wrote a row: what is attacked.
        label: Column of classes: what is of use.
        mechanisms: ``name[@metric][+bag|+drop|+all|+rank|+bayes]`` or an end of the
            scale: original, words, random, scrub.
        levels: Certified levels.
        equal_privacy: What a level is: loss of a ``word`` or of a ``document``.
        length: Words of a released document; None for the usual number.
        attacks: Names of attacks.
        classifiers: Names of classifiers.
        split: Column that says train or test; None splits in halves.
        authors: Attack so many of those with most documents.
        least: Documents that an author must have.
        settings: What all mechanisms share.
        workers: Processes; None takes all cores.
        seed: Of splits and noise; None for fresh ones.
        footing: Old name of `equal_privacy`.
    """

    table: object
    out: Path
    text: str | None = None
    author: str | None = None
    label: str | None = None
    mechanisms: tuple[str, ...] = ("original", "exponential", "laplace", "random")
    levels: tuple[float, ...] = (2.0, 4.0, 8.0)
    equal_privacy: str = "word"
    length: int | None = None
    attacks: tuple[str, ...] = ("ngram_svm",)
    classifiers: tuple[str, ...] = ("svm",)
    split: str | None = None
    authors: int = MOST_AUTHORS
    least: int = 2
    settings: WordSettings = field(
        default_factory=lambda: WordSettings(vocabulary=VOCABULARY)
    )
    workers: int | None = None
    seed: int | None = None
    footing: str = ""

    def __post_init__(self) -> None:
        if self.footing:
            object.__setattr__(self, "equal_privacy", self.footing)
        for level in self.levels:
            positive("level", level)
        if self.length is not None and self.equal_privacy != "document":
            raise ParameterError("--length is for --equal-privacy document")

    @property
    def shared(self) -> WordSettings:
        """Return what all mechanisms share; a level stands in for epsilon."""
        common = replace(self.settings, level=None)
        if self.length is None:
            return common
        return replace(common, form="bag", length=self.length)

    @property
    def typed(self) -> str:
        """Return the command for the same settings, without names of files and columns.

        Settings of `settings` that have no option of the command are left out.
        """
        shared = self.settings
        usual, own = WordSettings(), shared.embedding
        columns = {"text": self.text, "author": self.author, "label": self.label,
                   "split": self.split}  # fmt: skip
        named = [f"--{name} {name.upper()}" for name, it in columns.items() if it]
        chosen = {
            "mechanisms": ",".join(self.mechanisms),
            "levels": ",".join(f"{level:g}" for level in self.levels),
            "equal-privacy": self.equal_privacy,
            "length": self.length,
            "authors": self.authors,
            "least": self.least,
            "embedding": "EMBEDDING" if own != usual.embedding else None,
            "vocabulary": shared.vocabulary,
            "protect": shared.protect if shared.protect != usual.protect else None,
            "seed": self.seed,
        }
        options = [f"--{name} {it}" for name, it in chosen.items() if it is not None]
        many = [f"--attack {name}" for name in self.attacks]
        many += [f"--classifier {name}" for name in self.classifiers]
        words = ["publius compare TABLE", *named, *options, *many, "-o OUT"]
        return " ".join(words)


@dataclass(frozen=True, slots=True, repr=False)
class Comparison:
    """Attack and utility of every mechanism at every level.

    Args:
        rows: One per cell of the grid.
        out: Folder with the page, tables and pictures.
    """

    rows: Rows
    out: Path

    def to_json(self) -> dict[str, object]:
        """Return plain values."""
        return {"out": str(self.out), "rows": self.rows}

    def __repr__(self) -> str:
        return f"<Comparison: {len(self.rows)} cells>"

    def _repr_html_(self) -> str:
        names = ("contender", "level", "worst_loss", "attack", "utility")
        shown = [n for n in names if any(row.get(n) is not None for row in self.rows)]
        cells = [[row.get(name) for name in shown] for row in self.rows]
        return html_table("Comparison", shown, cells)


@verb(CompareRequest)
def compare(request: CompareRequest, watch: Watch) -> Comparison:
    """Attack and use a corpus under every mechanism at equal certified privacy."""
    out = Path(request.out)
    with _file(request.table) as path:
        job = Job(
            path,
            request.text,
            request.author,
            request.label,
            request.split,
            request.attacks,
            request.classifiers,
            request.shared,
            request.seed,
            request.least,
            request.authors,
            request.equal_privacy,
        )
        places = grid([Contender(name) for name in request.mechanisms], request.levels)
        workers = request.workers or cores()
        rows = fill_grid(job, places, out, workers=workers, watch=watch)
        _write(job, rows, out, request.typed)
    return Comparison(rows, out)


@contextmanager
def _file(given: object) -> Iterator[str]:
    """Yield the path of a table; one in memory lies in a private folder meanwhile."""
    table = as_input(given)
    if not isinstance(table, pa.Table):
        yield table
        return
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "table.parquet"
        parquet.write_table(table, file)
        yield str(file)


def _write(job: Job, rows: Rows, out: Path, command: str) -> None:
    write_tables(rows, out, "table", parquet=True)
    pictures = {}
    if job.author is not None and job.label is not None:
        pictures["trade-off"] = trade_off(rows)
    for kind, label in (("attack", "authors found"), ("utility", "classes found")):
        if kind in rows[0]:
            pictures[f"{kind}-by-level"] = over_level(
                rows, kind, label, job.equal_privacy
            )
    for name, picture in pictures.items():
        write_bytes(out / f"{name}.svg", picture.encode())
    write_bytes(
        out / "index.html", comparison_page(job, rows, pictures, command).encode()
    )
    write_json({"job": job.identity, "rows": rows}, out / "results.json")
