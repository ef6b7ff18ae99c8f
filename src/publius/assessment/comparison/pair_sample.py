"""A table of sentence pairs, checked: what cannot be used is counted and said."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from publius.assessment.comparison.sample import (
    TARGET_NAMES,
    Sample,
    drop_rows,
    make_sample,
)
from publius.assessment.comparison.tables import (
    Released,
    Texts,
    class_names,
    numbers,
    read_table,
    strings,
)
from publius.assessment.evaluation.pairs import SentencePairs
from publius.core.arrays import FloatArray, IdArray, Rng
from publius.core.errors import DataError, ParameterError
from publius.tables.formats.memory import Input


@dataclass(frozen=True, slots=True)
class PairRequest:
    """Which columns of which table.

    Args:
        path: The table.
        text: Columns of the two sentences.
        released: Columns, files or tables with what was released of each.
        label: Column of classes, such as entailment; None if there is none.
        score: Column of similarities that people gave; None if there is none.
        split: Column that says train or test.
        key: Column that tells the rows of a released file apart.
        input_format: Where the name of the table does not tell.
    """

    path: Input
    text: tuple[str, str]
    released: tuple[Input, Input]
    label: str | None = None
    score: str | None = None
    split: str | None = None
    key: str | None = None
    input_format: str | None = None

    def __post_init__(self) -> None:
        if self.label is None and self.score is None:
            raise ParameterError("pairs need a column of classes or of scores")


@dataclass(frozen=True, slots=True, eq=False)
class PairTable:
    """The columns of all pairs, usable or not."""

    before: tuple[Texts, Texts]
    after: tuple[Texts, Texts]
    labels: Texts | None
    scores: FloatArray | None
    split: Texts | None

    def originals(self, rows: IdArray) -> SentencePairs:
        """Return some pairs as they were."""
        return _pairs(self.before, rows)

    def released(self, rows: IdArray) -> SentencePairs:
        """Return what was released of some pairs."""
        return _pairs(self.after, rows)

    def classified(self, rng: Rng) -> Sample:
        """Return the pairs with a class, split; `rows` of the sample finds them.

        A pair counts as one document, so the rules for documents hold.
        """
        return make_sample(
            _joined(self.before),
            self.labels or [],
            rng,
            released=_joined(self.after, is_empty_kept=True),
            split=self.split,
        )

    def judged(self) -> tuple[IdArray, FloatArray, Mapping[str, int]]:
        """Return pairs of the test side with their scores, and what was left out."""
        if self.scores is None:
            raise ParameterError("there is no column of scores")
        excluded: dict[str, int] = {}
        rows = np.arange(len(self.scores))
        for texts, reason in (
            (_joined(self.before), "pairs with an empty sentence"),
            (_joined(self.after, is_empty_kept=True), "pairs that were not released"),
        ):
            absent = np.array([text is None for text in texts], dtype=bool)
            rows = drop_rows(rows, absent, reason, excluded)
        rows = drop_rows(rows, np.isnan(self.scores), "pairs without a score", excluded)
        if self.split is not None:
            other = [(s or "").strip().lower() not in TARGET_NAMES for s in self.split]
            reason = "pairs that are not of the test split"
            rows = drop_rows(rows, np.array(other, dtype=bool), reason, excluded)
        if not len(rows):
            raise DataError(f"none of {len(self.scores)} pairs can be tested")
        return rows, self.scores[rows], excluded


def read_pairs(request: PairRequest) -> PairTable:
    """Read the columns of a table of pairs."""
    sources = [Released(name, request.key) for name in request.released]
    others = [request.text[1], request.label, request.score, request.split, request.key]
    named = [name for name in others if name is not None]
    table = read_table(
        request.path,
        request.text[0],
        named,
        request.input_format,
        released=sources,
    )
    label, score, split = (
        None if name is None else table.column(name)
        for name in (request.label, request.score, request.split)
    )
    first, second = request.text
    return PairTable(
        (strings(table.column(first)), strings(table.column(second))),
        (sources[0].texts(table, first), sources[1].texts(table, second)),
        None if label is None else class_names(label, str(request.label)),
        None if score is None else numbers(score, str(request.score)),
        None if split is None else strings(split),
    )


def _pairs(columns: tuple[Texts, Texts], rows: IdArray) -> SentencePairs:
    picked = rows.tolist()
    first, second = ([str(texts[i] or "") for i in picked] for texts in columns)
    return SentencePairs(first, second)


def _joined(
    columns: tuple[Sequence[str | None], Sequence[str | None]],
    *,
    is_empty_kept: bool = False,
) -> Texts:
    """Return each pair as one text; None where a sentence is missing."""
    texts: Texts = []
    for pair in zip(*columns, strict=True):
        present = [text is not None if is_empty_kept else (text or "").strip()
                   for text in pair]  # fmt: skip
        texts.append("\n".join(map(str, pair)) if all(present) else None)
    return texts
