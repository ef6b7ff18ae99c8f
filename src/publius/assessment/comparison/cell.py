"""One cell of a comparison: release, attack and use a corpus with one contender."""

import hashlib
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import lru_cache
from pathlib import Path

import numpy as np

from publius.assessment.attacks import Knowledge, Resources
from publius.assessment.comparison.assess import attack_sample
from publius.assessment.comparison.contenders import Contender, kept_share, obfuscate
from publius.assessment.comparison.equal_privacy import EQUAL_PRIVACY
from publius.assessment.comparison.rows import Cell
from publius.assessment.comparison.sample import Request, Sample, read_sample
from publius.assessment.evaluation.report import Pairs, Tools, classifications
from publius.core.config import WordSettings
from publius.core.errors import DataError, UnknownNameError
from publius.core.guarantee import Guarantee, Unit
from publius.core.json import finite_number
from publius.core.rng import RunKey, secure
from publius.language.models.encoder import load_encoder
from publius.materials.words.assemble import embedding_for
from publius.mechanisms.words.given import flat_settings
from publius.numerics.scores import as_cells

VERSION = 2

MOST_AUTHORS = 50
"""Authors that are attacked, those with most documents, if nothing else is asked."""


@dataclass(frozen=True, slots=True)
class Job:
    """Everything that a comparison depends on.

    Args:
        path: The table.
        text: Column of the originals.
        author: Column of authors, for attacks; None to attack nothing.
        label: Column of classes, for utility; None to classify nothing.
        split: Column that says train or test.
        attacks: Names of attacks.
        classifiers: Names of classifiers.
        settings: What all contenders share: embedding, vocabulary, protected words.
        seed: Of splits, attacks and, being a lab, of the noise; None for fresh noise.
        least: Documents that an author must have.
        most: Authors that are attacked, those with most documents.
        equal_privacy: What a level means, by a name of the table.
    """

    path: str
    text: str | None = None
    author: str | None = None
    label: str | None = None
    split: str | None = None
    attacks: tuple[str, ...] = ("ngram_svm",)
    classifiers: tuple[str, ...] = ("svm",)
    settings: WordSettings = field(default_factory=WordSettings)
    seed: int | None = None
    least: int = 2
    most: int = MOST_AUTHORS
    equal_privacy: str = "word"

    def __post_init__(self) -> None:
        if self.equal_privacy not in EQUAL_PRIVACY:
            raise UnknownNameError("equal privacy", self.equal_privacy, EQUAL_PRIVACY)
        if self.author is None and self.label is None:
            raise DataError("a comparison needs --author, --label or both")

    @property
    def identity(self) -> dict[str, object]:
        """Return what must be the same for cells to be used again; no secret."""
        file = Path(self.path)
        if not file.is_file():
            told = "is a folder" if file.is_dir() else "does not exist"
            raise DataError(f"{self.path!r} {told}; a comparison needs one table")
        status = file.stat()
        return {
            "version": VERSION,
            **asdict(self),
            "settings": flat_settings(self.settings),
            "size": status.st_size,
            "modified": status.st_mtime_ns,
            "path": file.name,
        }


@dataclass(frozen=True, slots=True)
class Place:
    """One cell of the grid: who, and how private."""

    contender: Contender
    level: float | None

    @property
    def file(self) -> str:
        """Return a name that depends on public settings only."""
        text = f"{self.contender.spec} {self.level}"
        return hashlib.sha256(text.encode()).hexdigest()[:16] + ".json"


Rows = list[dict[str, Cell]]


def run_cell(job: Job, place: Place) -> dict[str, Cell]:
    """Release the corpus with one contender, attack it and use it."""
    return measure_cell(job, place, samples_of(job))


def measure_cell(
    job: Job, place: Place, samples: Mapping[str, Sample]
) -> dict[str, Cell]:
    """Do one cell on given samples, ``attack`` and ``utility``."""
    started = time.monotonic()
    rows = np.unique(np.concatenate([s.rows for s in samples.values()]))
    texts = _texts(samples, rows)
    number = int(place.file.removesuffix(".json"), 16) & ((1 << 48) - 1)
    noise = secure() if job.seed is None else RunKey.from_seed(job.seed).stream(number)
    rng = np.random.default_rng(job.seed)
    made = obfuscate(
        place.contender,
        texts,
        job.settings,
        place.level or 0.0,
        noise,
        equal_privacy=job.equal_privacy,
    )
    row: dict[str, Cell] = {
        "contender": place.contender.spec,
        "level": place.level,
        "metric": made.metric,
        "epsilon": finite_number(made.epsilon),
        **_guaranteed(made.guarantee),
        "kept_words": _kept_words(job, place.contender, texts, made.texts),
        "documents": len(texts),
    }
    place_of = {int(r): i for i, r in enumerate(rows)}
    for kind, sample in samples.items():
        mine = [made.texts[place_of[int(r)]] or "" for r in sample.rows]
        _MEASURES[kind](job, sample.with_released(mine), rng, row)
    row["seconds"] = round(time.monotonic() - started, 2)
    return row


def _guaranteed(guarantee: Guarantee | None) -> dict[str, Cell]:
    """Return what is certified about one word, or about a whole document."""
    guaranteed: dict[str, Cell] = dict.fromkeys(
        ("near_level", "worst_loss", "document_loss")
    )
    if guarantee is not None and guarantee.unit is Unit.DOCUMENT:
        guaranteed["document_loss"] = finite_number(guarantee.worst_loss)
    elif guarantee is not None:
        guaranteed["near_level"] = finite_number(guarantee.near_level)
        guaranteed["worst_loss"] = finite_number(guarantee.worst_loss)
    return guaranteed


def _attacked(
    job: Job, sample: Sample, rng: np.random.Generator, row: dict[str, Cell]
) -> None:
    resources = Resources(
        lambda: embedding_for(job.settings.embedding, None), load_encoder
    )
    kinds = [Knowledge.STATIC, Knowledge.ADAPTIVE]
    results = attack_sample(
        sample, job.attacks, kinds, resources, rng, with_original=False
    )
    for result in results:
        row |= as_cells(
            f"attack_{result.attack}_{result.knowledge.value}", result.scores.accuracy
        )
    # Both attackers are there for anyone to be: the stronger one counts.
    best = max(results, key=lambda result: result.scores.accuracy.value)
    row |= as_cells("attack", best.scores.accuracy)
    row["attack_by"] = f"{best.attack}, {best.knowledge.value}"
    row["attack_majority"] = best.scores.majority
    row["authors"] = best.scores.classes


def _used(
    job: Job, sample: Sample, rng: np.random.Generator, row: dict[str, Cell]
) -> None:
    pairs = Pairs(sample.originals, sample.released, sample.classes, sample.is_known)
    tools = Tools(lambda: embedding_for(job.settings.embedding, None))
    kinds = ["static", "adaptive"]
    results = classifications(pairs, job.classifiers, kinds, tools, rng)
    for result in results:
        row |= as_cells(
            f"utility_{result.classifier}_{result.knowledge}", result.scores.accuracy
        )
    best = max(results, key=lambda result: result.scores.accuracy.value)
    row |= as_cells("utility", best.scores.accuracy)
    row["utility_by"] = f"{best.classifier}, {best.knowledge}"
    row["utility_majority"] = best.scores.majority
    row["classes"] = best.scores.classes


_MEASURES = {"attack": _attacked, "utility": _used}


def mark_front(rows: Rows) -> None:
    """Mark the rows that no other beats in both attack and utility."""
    if not all("attack" in row and "utility" in row for row in rows):
        return
    points = [(float(r["attack"] or 0), float(r["utility"] or 0)) for r in rows]
    for row, (attack, utility) in zip(rows, points, strict=True):
        row["front"] = int(
            not any(
                a <= attack and u >= utility and (a, u) != (attack, utility)
                for a, u in points
            )
        )


@lru_cache(maxsize=1)
def samples_of(job: Job) -> dict[str, Sample]:
    """Read the table once per process, for attacks and for utility."""
    columns = {"attack": job.author, "utility": job.label}
    return {
        kind: read_sample(
            Request(
                job.path,
                column,
                job.text,
                split=job.split,
                least=job.least if kind == "attack" else 2,
                most=job.most if kind == "attack" else None,
            ),
            # The same halves in every process and after every restart.
            np.random.default_rng(job.seed or 0),
        )
        for kind, column in columns.items()
        if column is not None
    }


def _texts(samples: Mapping[str, Sample], rows: "np.ndarray") -> list[str]:
    by_row = {
        int(row): text
        for sample in samples.values()
        for row, text in zip(sample.rows, sample.originals, strict=True)
    }
    return [by_row[int(row)] for row in rows]


def _kept_words(
    job: Job, contender: Contender, before: Sequence[str], after: Sequence[str]
) -> float | None:
    """Return the share of words that stayed; a bag has no places to compare."""
    is_text = job.equal_privacy == "word" and contender.has_order
    return finite_number(kept_share(before, after)) if is_text else None
