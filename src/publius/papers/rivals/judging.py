"""All measures of one rival on one corpus, as a row of the tables."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from publius.assessment.attacks import Neural
from publius.assessment.comparison.rows import Cell
from publius.assessment.rivals.measure import (
    Texts,
    author_risk,
    detectable,
    likeness,
    perplexity,
    register_gap,
    strongest,
    svm_attackers,
    use_left,
    within_topics,
)
from publius.core.arrays import FloatArray, IdArray, Rng
from publius.core.errors import DataError
from publius.language.models.causal import has_language_model, load_language_model
from publius.language.models.encoder import has_encoder, load_encoder
from publius.language.models.trigrams import has_trigrams, load_trigrams
from publius.numerics.scores import as_cells
from publius.papers.rivals.corpora import Corpus

Reading = Callable[[Sequence[str]], FloatArray]
Cells = dict[str, Cell]


@dataclass(frozen=True, slots=True, eq=False)
class Judges:
    """Models that read releases; None where one is not on this machine.

    Args:
        encode: Sentence encoder.
        writer: Surprise under the model that some rivals write with.
        outsider: Surprise under a model that no rival writes with.
        read: Test texts that encoder and writer read.
    """

    encode: Reading | None = None
    writer: Reading | None = None
    outsider: Reading | None = None
    read: int = 100

    @classmethod
    def here(cls, read: int) -> "Judges":
        """Take what is on this machine."""
        return cls(
            load_encoder() if has_encoder() else None,
            load_language_model().surprise if has_language_model() else None,
            load_trigrams().surprise if has_trigrams() else None,
            read,
        )


def judged(corpus: Corpus, released: Sequence[str], judges: Judges, rng: Rng) -> Cells:
    """Measure use, risk, likeness, reading and stealth of one release."""
    authored = np.flatnonzero(corpus.authors >= 0)
    uses = Texts(corpus.texts, released, corpus.labels, corpus.is_known)
    authors = Texts(corpus.texts, released, corpus.authors, corpus.is_known).only(
        authored
    )
    risks = author_risk(authors, svm_attackers(), rng)
    best = max(risks, key=lambda name: risks[name].value)
    row: Cells = {
        **as_cells(corpus.use, use_left(uses, rng), " "),
        **as_cells("author", risks[best], " "),
        "attacker": best,
        **as_cells("told from originals", detectable(uses, rng), " "),
        "register": register_gap(corpus.texts, released),
    }
    if corpus.use == "topic":
        row |= _within(authors, corpus.labels[authored], rng)
    return row | _read(corpus, released, judges, rng)


def neural_risk(
    corpus: Corpus, released: Sequence[str], encode: Reading, rng: Rng
) -> Cells:
    """Attack by a sentence encoder with a linear head, static and adaptive."""
    authored = np.flatnonzero(corpus.authors >= 0)
    texts = Texts(corpus.texts, released, corpus.authors, corpus.is_known)
    risks = author_risk(texts.only(authored), [Neural(encode)], rng)
    return {**as_cells("author, neural", strongest(risks), " ")}


def _read(corpus: Corpus, released: Sequence[str], judges: Judges, rng: Rng) -> Cells:
    asked = np.flatnonzero(~corpus.is_known)
    # Texts come author by author: some of all of them.
    some = asked[
        np.linspace(0, len(asked) - 1, min(judges.read, len(asked))).astype(int)
    ]
    before, after = (
        [texts[i] for i in some.tolist()] for texts in (corpus.texts, released)
    )
    row: Cells = {}
    if judges.encode is not None:
        row |= as_cells("similarity", likeness(before, after, judges.encode, rng), " ")
    if judges.outsider is not None:
        every = [released[i] for i in asked.tolist()]
        row["perplexity, trigrams"] = perplexity(judges.outsider(every))
    if judges.writer is not None:
        row["perplexity, SmolLM2"] = perplexity(judges.writer(after))
    return row


def _within(authors: Texts, topics: IdArray, rng: Rng) -> Cells:
    """Return nothing where every topic of a small sample has one author."""
    try:
        inside, usual, _ = within_topics(authors, topics, rng)
    except DataError:
        return {}
    return {
        **as_cells("author within a topic", inside, " "),
        "busiest within a topic": usual,
    }


def use_at(rows: Sequence[Mapping[str, Cell]], use: str, author: float) -> float | None:
    """Return the use of a rival where so many authors are found, by lines."""
    points = sorted((float(row["author"] or 0), float(row[use] or 0)) for row in rows)
    x, y = zip(*points, strict=True)
    if len(points) < 2 or not x[0] <= author <= x[-1]:
        return None
    return float(np.interp(author, x, y))
