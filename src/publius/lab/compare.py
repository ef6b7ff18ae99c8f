"""Many mechanisms on one corpus at equal certified privacy, attacked and used."""

import hashlib
import json
import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import asdict, dataclass, field
from functools import lru_cache
from multiprocessing import get_context
from pathlib import Path

import numpy as np

from publius.assemble import embedding_for
from publius.attacks import Knowledge, Resources
from publius.config import WordSettings
from publius.core.errors import DataError, OutputError
from publius.core.report import Estimate
from publius.core.rng import RunKey, secure
from publius.core.scores import Scores
from publius.embeddings.folders import write_whole
from publius.evaluation.encoder import load_encoder
from publius.evaluation.report import Pairs, Tools, classifications
from publius.lab.assess import attack_sample
from publius.lab.contenders import Contender, kept_share, obfuscate
from publius.lab.experiment import Cell
from publius.lab.sample import Request, Sample, read_sample

VERSION = 1


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

    def __post_init__(self) -> None:
        if self.author is None and self.label is None:
            raise DataError("a comparison needs --author, --label or both")

    @property
    def identity(self) -> dict[str, object]:
        """Return what must be the same for cells to be used again; no secret."""
        file = Path(self.path)
        if not file.is_file():
            raise DataError(f"{self.path!r} is not a file")
        found = file.stat()
        about = {**asdict(self), "size": found.st_size, "modified": found.st_mtime_ns}
        return {"version": VERSION, **about, "path": file.name}


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


def grid(contenders: Sequence[Contender], levels: Sequence[float]) -> list[Place]:
    """Return every contender at every level; the ends stand once."""
    places = []
    for contender in contenders:
        wanted = levels if contender.has_levels else (None,)
        places += [Place(contender, level) for level in wanted]
    return places


Rows = list[dict[str, Cell]]


def compare(
    job: Job,
    places: Sequence[Place],
    out: Path,
    *,
    workers: int = 1,
    progress: Callable[[str], None] = lambda _: None,
) -> Rows:
    """Fill the grid, cell by cell; cells of an earlier, equal run are not repeated."""
    folder = out / "cells"
    _claim(job, out)
    cells: dict[str, dict[str, Cell]] = {}
    for place in places:
        kept = _kept(folder / place.file)
        if kept is not None:
            cells[place.file] = kept
    waiting = [place for place in places if place.file not in cells]
    if waiting:
        _samples(job)  # a table that cannot be used is said before any work
    done = len(places) - len(waiting)
    for place, row in _worked(job, waiting, workers):
        done += 1
        progress(f"{done} of {len(places)}: {place.contender.spec}")
        write_whole(folder / place.file, json.dumps(row).encode())
        cells[place.file] = row
    rows = [dict(cells[place.file]) for place in places]
    mark_front(rows)
    return rows


def _worked(
    job: Job, waiting: Sequence[Place], workers: int
) -> Iterator[tuple[Place, dict[str, Cell]]]:
    if workers <= 1 or len(waiting) < 2:
        for place in waiting:
            yield place, run_cell(job, place)
        return
    # Forked threads of the matrix library would wait for ever: spawn.
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        tasks = {pool.submit(run_cell, job, place): place for place in waiting}
        for task in as_completed(tasks):
            yield tasks[task], task.result()


def run_cell(job: Job, place: Place) -> dict[str, Cell]:
    """Release the corpus with one contender, attack it and use it."""
    return measure_cell(job, place, _samples(job))


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
    made = obfuscate(place.contender, texts, job.settings, place.level or 0.0, noise)
    row: dict[str, Cell] = {
        "contender": place.contender.spec,
        "level": place.level,
        "metric": made.metric,
        "epsilon": _number(made.epsilon),
        "near_level": None,
        "worst_loss": None,
        "kept_words": _kept_words(place.contender, texts, made.texts),
        "documents": len(texts),
    }
    if made.guarantee is not None:
        row["near_level"] = _number(made.guarantee.near_level)
        row["worst_loss"] = _number(made.guarantee.worst_loss)
        row["unit"] = made.guarantee.unit.value
    place_of = {int(r): i for i, r in enumerate(rows)}
    for kind, sample in samples.items():
        mine = [made.texts[place_of[int(r)]] or "" for r in sample.rows]
        _MEASURES[kind](job, sample.with_released(mine), rng, row)
    row["seconds"] = round(time.monotonic() - started, 2)
    return row


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
    for found in results:
        _put(row, f"attack_{found.attack}_{found.knowledge.value}", found.scores)
    # Both attackers are there for anyone to be: the stronger one counts.
    best = max(results, key=lambda found: found.scores.accuracy.value)
    _put(row, "attack", best.scores)
    row["attack_by"] = f"{best.attack}, {best.knowledge.value}"
    row["attack_majority"] = best.scores.majority


def _used(
    job: Job, sample: Sample, rng: np.random.Generator, row: dict[str, Cell]
) -> None:
    pairs = Pairs(sample.originals, sample.released, sample.classes, sample.is_known)
    tools = Tools(lambda: embedding_for(job.settings.embedding, None))
    kinds = ["static", "adaptive"]
    results = classifications(pairs, job.classifiers, kinds, tools, rng)
    for found in results:
        _put(row, f"utility_{found.classifier}_{found.knowledge}", found.scores)
    best = max(results, key=lambda found: found.scores.accuracy.value)
    _put(row, "utility", best.scores)
    row["utility_by"] = f"{best.classifier}, {best.knowledge}"
    row["utility_majority"] = best.scores.majority


_MEASURES = {"attack": _attacked, "utility": _used}


def _put(row: dict[str, Cell], name: str, scores: Scores) -> None:
    found: Estimate = scores.accuracy
    row[name] = found.value
    row[f"{name}_low"] = found.low
    row[f"{name}_high"] = found.high


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
def _samples(job: Job) -> dict[str, Sample]:
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
            ),
            np.random.default_rng(job.seed),
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


def _claim(job: Job, out: Path) -> None:
    """Take a folder for this comparison, or raise if it holds another one."""
    wanted = json.loads(json.dumps(job.identity))
    path = out / "job.json"
    if path.exists():
        try:
            found = json.loads(path.read_text("utf-8"))
        except ValueError:
            found = None
        if found != wanted:
            raise OutputError(
                f"{out} holds another comparison, or its table changed since; choose "
                "another folder"
            )
        return
    if out.exists() and any(out.iterdir()):
        raise OutputError(f"{out} is not empty and holds no comparison")
    write_whole(path, json.dumps(wanted, indent=1).encode())


def _kept(path: Path) -> dict[str, Cell] | None:
    """Return a cell that was finished before; a damaged one is made again."""
    try:
        found = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError):
        return None
    return found if isinstance(found, dict) else None


def _kept_words(
    contender: Contender, before: Sequence[str], after: Sequence[str]
) -> float | None:
    """Return the share of words that stayed; a bag has no places to compare."""
    return _number(kept_share(before, after)) if contender.has_order else None


def _number(value: float) -> float | None:
    return value if math.isfinite(value) else None
