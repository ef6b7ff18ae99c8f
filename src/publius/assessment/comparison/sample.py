"""A table of labelled documents, checked: what cannot be used is counted and said."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from publius.assessment.comparison.tables import (
    Released,
    class_names,
    read_table,
    strings,
)
from publius.core.arrays import BoolArray, IdArray, Rng, at_least
from publius.core.errors import DataError
from publius.language.counts import spread
from publius.language.stop_words import STOP_WORDS
from publius.tables.formats.memory import Input

KNOWN_NAMES = ("train", "known")
TARGET_NAMES = ("test", "unknown")
ENGLISH_SHARE = 0.15
"""A longer text with fewer stop words than this share is hardly English prose."""


@dataclass(frozen=True, slots=True)
class Request:
    """Which columns of which table.

    Args:
        path: The table, by path or in memory.
        text: Column of the originals; None finds it.
        label: Column of classes: authors, topics or sentiments.
        released: Column of the same table, or a file, folder or table with one row per
            row; None where nothing was released yet.
        split: Column that says train or test; None splits each class in halves.
        input_format: Where the name of the table does not tell.
        least: Documents that a class must have.
        most: Keep only so many classes, those with most documents; None for all.
        key: Column of the table and of a released file that tells rows apart; None
            goes by the order of rows.
    """

    path: Input
    label: str
    text: str | None = None
    released: Input | None = None
    split: str | None = None
    input_format: str | None = None
    least: int = 2
    most: int | None = None
    key: str | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Sample:
    """Documents with their classes and a split; every class is on both sides.

    Args:
        originals: Texts.
        released: What left of them; the originals themselves if nothing did.
        names: Of the classes.
        classes: Class of each document, an index of `names`.
        is_known: The training side of the split.
        rows: Place of each document in the table.
        excluded: How many documents were left out, by reason.
        notes: What a reader must know.
    """

    originals: Sequence[str]
    released: Sequence[str]
    names: tuple[str, ...]
    classes: IdArray
    is_known: BoolArray
    rows: IdArray
    excluded: Mapping[str, int] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    @property
    def size(self) -> int:
        """Number of documents."""
        return len(self.originals)

    def with_released(self, released: Sequence[str]) -> "Sample":
        """Return the same documents with another release."""
        if len(released) != self.size:
            raise DataError(f"{self.size} documents need as many released texts")
        return replace(self, released=released)

    def only(self, rows: IdArray) -> "Sample":
        """Return some of the documents; classes keep their numbers."""
        return replace(
            self,
            originals=[self.originals[i] for i in rows.tolist()],
            released=[self.released[i] for i in rows.tolist()],
            classes=self.classes[rows],
            is_known=self.is_known[rows],
            rows=self.rows[rows],
        )


def read_sample(request: Request, rng: Rng) -> Sample:
    """Read a table and keep the documents that can be used."""
    given = request.released
    source = None if given is None else Released(given, request.key)
    others = [request.label, request.split, request.key]
    named = [name for name in others if name is not None]
    table = read_table(
        request.path,
        request.text,
        named,
        request.input_format,
        released=[] if source is None else [source],
    )
    originals = strings(table.column(0))
    labels = class_names(table.column(request.label), request.label)
    released = originals
    if source is not None:
        released = source.texts(table, table.column_names[0])
    split = None if request.split is None else strings(table.column(request.split))
    return make_sample(
        originals,
        labels,
        rng,
        released=released,
        split=split,
        least=request.least,
        most=request.most,
    )


def make_sample(  # noqa: PLR0913 - texts, classes, split and what must be there
    originals: Sequence[str | None],
    labels: Sequence[str | None],
    rng: Rng,
    *,
    released: Sequence[str | None] | None = None,
    split: Sequence[str | None] | None = None,
    least: int = 2,
    most: int | None = None,
) -> Sample:
    """Keep the documents that can be used, and split every class."""
    after: Sequence[str | None] = originals if released is None else released
    excluded: dict[str, int] = {}
    rows = np.arange(len(originals))
    empty = np.array([not (t or "").strip() for t in originals], dtype=bool)
    nameless = np.array([not (name or "").strip() for name in labels], dtype=bool)
    rows = drop_rows(rows, empty, "empty documents", excluded)
    rows = drop_rows(rows, nameless, "documents without a class", excluded)
    withheld = np.array([text is None for text in after], dtype=bool)
    rows = drop_rows(rows, withheld, "documents that were not released", excluded)
    side = given_sides(split) if split is not None else None
    if side is not None:
        rows = drop_rows(rows, side < 0, "documents of another split", excluded)
    codes = np.unique([str(name) for name in labels], return_inverse=True)[1]
    known = np.zeros(len(originals), dtype=bool)
    needed = at_least("least", least, 2)
    size = np.bincount(codes[rows], minlength=codes.max(initial=0) + 1)[codes]
    if side is None or needed > 2:
        few = "one document" if needed == 2 else f"fewer than {needed} documents"
        rows = drop_rows(
            rows, size < needed, f"documents of classes with {few}", excluded
        )
    if side is None:
        known[rows] = _halves(codes[rows], rng)
    else:
        known = side == 1
        for label, is_other in (("training", known), ("test", ~known)):
            present = np.zeros(codes.max(initial=0) + 1, dtype=bool)
            present[codes[rows[is_other[rows]]]] = True
            reason = f"documents of classes without {label} documents"
            rows = drop_rows(rows, ~present[codes], reason, excluded)
    if most is not None:
        size = np.bincount(codes[rows], minlength=codes.max(initial=0) + 1)
        large = np.argsort(-size, kind="stable")[: at_least("most", most, 2)]
        reason = f"documents of classes beyond the {most} largest"
        rows = drop_rows(rows, ~np.isin(codes, large), reason, excluded)
    names, classes = np.unique(
        [str(labels[i]) for i in rows.tolist()], return_inverse=True
    )
    if len(names) < 2:
        those = "class is" if len(names) == 1 else "classes are"
        raise DataError(
            f"{len(names)} usable {those} left of {len(originals)} documents; at "
            f"least 2 are needed, each with 2 documents or more ({_told(excluded)})"
        )
    texts = [str(originals[i]) for i in rows.tolist()]
    left = [str(after[i] or "") for i in rows.tolist()]
    return Sample(
        texts,
        left,
        tuple(str(name) for name in names),
        classes.astype(np.int64),
        known[rows],
        rows,
        excluded,
        _notes(texts, left),
    )


def drop_rows(
    rows: IdArray, is_bad: BoolArray, reason: str, excluded: dict[str, int]
) -> IdArray:
    """Return the rows that are not bad; how many were is added to `excluded`."""
    left = rows[~is_bad[rows]]
    if len(left) < len(rows):
        excluded[reason] = len(rows) - len(left)
    return left


def _told(excluded: Mapping[str, int]) -> str:
    parts = [f"{count} {reason}" for reason, count in excluded.items()]
    return "left out: " + ", ".join(parts) if parts else "none was left out"


def given_sides(split: Sequence[str | None]) -> IdArray:
    """Return 1 for train or known, 0 for test or unknown, -1 for anything else."""
    sides = {**dict.fromkeys(KNOWN_NAMES, 1), **dict.fromkeys(TARGET_NAMES, 0)}
    codes = np.array([sides.get((s or "").strip().lower(), -1) for s in split])
    if not ((codes == 1).any() and (codes == 0).any()):
        raise DataError(
            "the split column must say train and test (or known and unknown)"
        )
    return codes


def _halves(codes: IdArray, rng: Rng) -> BoolArray:
    """Put every other document of each class, in random order, on the known side."""
    order = np.lexsort((rng.random(len(codes)), codes))
    rank = np.arange(len(codes)) - np.searchsorted(codes[order], codes[order])
    known = np.zeros(len(codes), dtype=bool)
    known[order] = rank % 2 == 0
    return known


def _notes(originals: Sequence[str], released: Sequence[str]) -> tuple[str, ...]:
    notes = []
    foreign = int(_is_foreign(originals).sum())
    if foreign:
        notes.append(
            f"{foreign} of {len(originals)} documents hold hardly any English function "
            "words; the word lists of delta, writeprints and the sanitizer are English"
        )
    gone = sum(not text.strip() for text in released)
    if gone:
        notes.append(f"{gone} of {len(released)} released documents are empty")
    return tuple(notes)


def _is_foreign(texts: Sequence[str]) -> BoolArray:
    seen = spread(texts)
    stops = np.array([form in STOP_WORDS for form in seen.forms], dtype=bool)
    hits = stops[seen.codes] if len(seen.codes) else np.zeros(0)
    common = np.bincount(seen.owner, weights=hits, minlength=len(texts))
    words = np.bincount(seen.owner, minlength=len(texts))
    return (words >= 20) & (common < ENGLISH_SHARE * words)
