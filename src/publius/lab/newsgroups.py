"""Topic against author on 20 Newsgroups: which mechanism moves the empirical curve?"""

import numpy as np

from publius.config import WordSettings
from publius.lab.cell import Job, Place, Rows, mark_front, measure_cell
from publius.lab.contenders import Contender
from publius.lab.experiment import Experiment, Outcome, Request
from publius.lab.pictures import trade_off
from publius.lab.sample import Request as TableRequest
from publius.lab.sample import Sample, read_sample

FILE = "topic/20ng_12groups.jsonl.gz"
PROTOTYPE: dict[tuple[str, float | None], tuple[float, float]] = {
    ("words", None): (0.75, 0.70),
    ("exponential+bag", 3.8): (0.56, 0.37),
    ("exponential@euclidean+bag", 8.2): (0.59, 0.42),
    ("laplace+bag", 42.0): (0.61, 0.42),
}
"""Topic and author accuracy that a prototype measured, by contender and level."""

GRID: tuple[tuple[str, tuple[float | None, ...]], ...] = (
    ("original", (None,)),
    ("words", (None,)),
    ("exponential+bag", (2.0, 2.6, 3.0, 3.8, 6.0)),
    ("exponential@euclidean+bag", (4.0, 8.2, 12.0)),
    ("laplace+bag", (20.0, 42.0, 70.0)),
    ("exponential+rank+bag", (3.8, 6.0)),
    ("exponential", (3.8,)),
    ("exponential+drop", (3.8,)),
    ("exponential+all", (3.8,)),
    ("random", (None,)),
)
VOCABULARY = 12_000
LEAST_POSTS = 20


def run(request: Request) -> Outcome:
    """Attack and use bags of content words of 20 Newsgroups."""
    path = str(request.path(FILE))
    rng = np.random.default_rng(request.seed)
    column = "text_clean"
    authors = read_sample(
        TableRequest(path, "author", column, split="split", least=LEAST_POSTS), rng
    )
    topics = read_sample(TableRequest(path, "topic", column, split="split"), rng)
    if request.quick:
        topics = _thinned(topics, 4)
    samples = {"attack": authors, "utility": topics}
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
    rows: Rows = []
    for spec, levels in GRID:
        for level in levels:
            request.progress(spec if level is None else f"{spec} at level {level:g}")
            row = measure_cell(job, Place(Contender(spec), level), samples)
            found = PROTOTYPE.get((spec, level), (None, None))
            row |= {"published_utility": found[0], "published_attack": found[1]}
            rows.append(row)
    mark_front(rows)
    notes = (
        f"{authors.size} posts of {len(authors.names)} authors with at least "
        f"{LEAST_POSTS} posts; {topics.size} posts of {len(topics.names)} groups for "
        "the topic; quotes and signatures removed; original split.",
        "published_* are the numbers of the prototype that this experiment checks; it "
        "had bags of content words, 12,000 words and adaptive SVMs.",
    )
    return Outcome(tuple(rows), notes, trade_off(rows))


def _thinned(sample: Sample, step: int) -> Sample:
    """Keep every `step`-th document of each class and side."""
    order = np.lexsort((sample.rows, sample.is_known, sample.classes))
    return sample.only(np.sort(order[::step]))


EXPERIMENTS = {
    made.name: made
    for made in (
        Experiment(
            "newsgroups-trade-off",
            "Topic against author on 20 Newsgroups, by mechanism and level",
            (FILE,),
            run,
        ),
    )
}
