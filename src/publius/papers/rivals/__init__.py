"""The rivals of retelling, side by side, and what a subject alone gives away."""

from publius.papers.experiment import Experiment, by_name
from publius.papers.rivals import corpora, subjects, table

EXPERIMENTS = by_name(
    Experiment(
        "retelling",
        "Retelling and its rivals at equal certified loss and at equal attack",
        (corpora.NEWSGROUPS, corpora.CRITICS),
        table.run,
    ),
    Experiment(
        "retelling-subjects",
        "Style against subject: authors found by their subject alone",
        tuple(source.file for source in subjects.SOURCES),
        subjects.run,
    ),
)
