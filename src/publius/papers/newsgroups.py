"""Topic against author on 20 Newsgroups: which mechanism moves the empirical curve?"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from publius.assessment.comparison.cell import (
    Job,
    Place,
    Rows,
    mark_front,
    measure_cell,
)
from publius.assessment.comparison.contenders import Contender
from publius.assessment.comparison.pictures import trade_off
from publius.assessment.comparison.rows import Cell
from publius.assessment.comparison.sample import Request as TableRequest
from publius.assessment.comparison.sample import Sample, read_sample
from publius.core.config import WordSettings
from publius.papers.experiment import Experiment, Outcome, Request, by_name, number

FILE = "topic/20ng_12groups.jsonl.gz"
PROTOTYPE: dict[tuple[str, float | None], tuple[float, float]] = {
    ("words", None): (0.75, 0.70),
    ("exponential+bag", 3.8): (0.56, 0.37),
    ("exponential@euclidean+bag", 8.2): (0.59, 0.42),
    ("laplace+bag", 42.0): (0.61, 0.42),
}
"""Topic and author accuracy that a prototype measured, by contender and level."""

Grid = tuple[tuple[str, tuple[float | None, ...]], ...]
QUICK: Grid = (
    ("original", (None,)),
    ("words", (None,)),
    ("exponential+bag", (2.0, 3.0, 3.8, 6.0)),
    ("exponential@euclidean+bag", (8.2,)),
    ("laplace+bag", (42.0, 70.0)),
    ("exponential+rank+bag", (3.8, 6.0)),
    ("exponential", (3.8,)),
    ("random", (None,)),
)
GRID: Grid = (
    ("original", (None,)),
    ("words", (None,)),
    ("scrub", (None,)),
    ("exponential+bag", (2.0, 2.6, 3.0, 3.4, 3.8, 6.0)),
    ("exponential@euclidean+bag", (4.0, 6.0, 8.2, 12.0)),
    ("laplace+bag", (20.0, 42.0, 55.0, 70.0)),
    ("exponential+rank+bag", (3.0, 3.8, 6.0, 9.0)),
    ("exponential+bayes+bag", (3.0, 3.8, 6.0)),
    ("syntf+tf", (30.0, 40.0, 50.0)),
    ("syntf+tf+any-spelling", (30.0, 40.0, 50.0)),
    ("exponential", (3.0, 3.8, 6.0)),
    ("exponential+drop", (3.0, 3.8, 6.0)),
    ("exponential+all", (3.0, 3.8, 6.0)),
    ("random", (None,)),
)
VOCABULARY = 12_000
LEAST_POSTS = 20
SEEDS = 3
AT = (0.30, 0.35, 0.40, 0.45)
"""Shares of authors found at which the topics of curves are compared."""


def run(request: Request) -> Outcome:
    """Attack and use bags of content words of 20 Newsgroups."""
    samples, job = _prepared(request)
    grid, seeds = (QUICK, 1) if request.quick else (GRID, SEEDS)
    runs: list[Rows] = []
    for seed in range(request.seed, request.seed + seeds):
        rows: Rows = []
        for spec, levels in grid:
            for level in levels:
                at = "" if level is None else f" at level {level:g}"
                request.progress(f"seed {seed}: {spec}{at}")
                place = Place(Contender(spec), level)
                rows.append(measure_cell(replace(job, seed=seed), place, samples))
        runs.append(rows)
    means = averaged(runs)
    for row in means:
        level = None if row["level"] is None else float(row["level"])
        seen = PROTOTYPE.get((str(row["contender"]), level), (None, None))
        row |= {"prototype_utility": seen[0], "prototype_attack": seen[1]}
    mark_front(means)
    authors, topics = samples["attack"], samples["utility"]
    notes = (
        f"{authors.size} posts of {len(authors.names)} authors with at least "
        f"{LEAST_POSTS} posts; {topics.size} posts of {len(topics.names)} groups for "
        "the topic; quotes and signatures removed; original split.",
        "prototype_* are unpublished numbers of a prototype that this experiment "
        "checks; it had bags of content words, 12,000 words and adaptive SVMs.",
        f"{seeds} draws of the noise; values and intervals are means over them, *_sd "
        "their spread. The level of SynTF is its ε, a loss between any two words.",
        *_curves(runs),
    )
    return Outcome(tuple(means), notes, trade_off(means))


def _prepared(request: Request) -> tuple[dict[str, Sample], Job]:
    path = str(request.path(FILE))
    rng = np.random.default_rng(request.seed)
    column = "text_clean"
    authors = read_sample(
        TableRequest(path, "author", column, split="split", least=LEAST_POSTS), rng
    )
    topics = read_sample(TableRequest(path, "topic", column, split="split"), rng)
    topics = _thinned(topics, 4 if request.quick else 2)
    job = Job(
        path,
        column,
        "author",
        "topic",
        "split",
        attacks=("word_svm", "ngram_svm"),
        settings=WordSettings(vocabulary=VOCABULARY),
        seed=request.seed,
    )
    return {"attack": authors, "utility": topics}, job


def averaged(runs: Sequence[Rows]) -> Rows:
    """Return the mean of every number over runs, and the spread of the two measures."""
    means: Rows = []
    for same in zip(*runs, strict=True):
        row = dict(same[0])
        for name, value in same[0].items():
            if isinstance(value, float) and name != "level":
                row[name] = float(np.mean([number(one[name]) for one in same]))
        if len(same) > 1:
            for name in ("attack", "utility"):
                spread = np.std([number(one[name]) for one in same], ddof=1)
                row[f"{name}_sd"] = float(spread)
        row["runs"] = len(same)
        means.append(row)
    return means


def topic_at(rows: Sequence[Mapping[str, Cell]], attack: float) -> float | None:
    """Return the utility of a curve where so many authors are found, by lines."""
    points = sorted((number(row["attack"]), number(row["utility"])) for row in rows)
    x, y = zip(*points, strict=True)
    if len(points) < 2 or not x[0] <= attack <= x[-1]:
        return None
    return float(np.interp(attack, x, y))


def _curves(runs: Sequence[Rows]) -> list[str]:
    """Compare curves where they leave the same share of authors to be found."""
    specs = dict.fromkeys(str(row["contender"]) for row in runs[0])
    lines = []
    for attack in AT:
        told = []
        for spec in specs:
            values = [
                topic_at([row for row in rows if row["contender"] == spec], attack)
                for rows in runs
            ]
            known = [value for value in values if value is not None]
            if len(known) == len(runs):
                spread = f" ± {np.std(known, ddof=1):.3f}" if len(known) > 1 else ""
                told.append(f"{spec} {np.mean(known):.3f}{spread}")
        if told:
            lines.append(f"Topic where {attack:.2f} of authors are found, between the "
                         f"levels by lines: {'; '.join(told)}.")  # fmt: skip
    return lines


def _thinned(sample: Sample, step: int) -> Sample:
    """Keep every `step`-th document of each class and side."""
    order = np.lexsort((sample.rows, sample.is_known, sample.classes))
    return sample.only(np.sort(order[::step]))


EXPERIMENTS = by_name(
    Experiment(
        "newsgroups-trade-off",
        "Topic against author on 20 Newsgroups, by mechanism and level",
        (FILE,),
        run,
    ),
)
