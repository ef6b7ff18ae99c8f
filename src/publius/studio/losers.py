"""Who loses most: what a release costs the subject with most records."""

import math
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

from publius.core.errors import ParameterError
from publius.core.stating import multiply_up
from publius.materials.words.assemble import resolved
from publius.mechanisms.words.given import word_settings
from publius.services.prepared import PREPARED
from publius.studio.asked import PROTECTED, Asked
from publius.tables.columns import Columns
from publius.tables.peek import mask
from publius.tables.read import open_source

MOST_ROWS = 20_000
"""Rows that are looked at; a larger table is told by its first ones."""

SHOWN = 5
WORDS = ("epsilon", "protect", "mechanism")


@dataclass(frozen=True, slots=True)
class Loser:
    """One subject.

    Args:
        name: Masked.
        row: Where it stands first.
        records: Rows.
        draws: Protected words, or rows where each is drawn once.
        near: Bound between near contents, if every draw may differ.
        worst: Bound between any contents.
    """

    name: str
    row: int
    records: int
    draws: int
    near: float
    worst: float


@dataclass(frozen=True, slots=True)
class Losers:
    """Those who lose most.

    Args:
        rows: The first of them.
        subjects: How many there are.
        looked_at: Rows.
        unit: What is drawn.
        is_whole: All rows were looked at.
    """

    rows: tuple[Loser, ...]
    subjects: int
    looked_at: int
    unit: str
    is_whole: bool


Count = Callable[[list[str]], list[int]]


@dataclass(frozen=True, slots=True)
class _Tally:
    """What was counted by subject.

    Args:
        records: Rows.
        draws: Of all rows together.
        first: Row in which each stands first.
        looked_at: Rows in all.
        is_whole: There are no more rows.
    """

    records: "Counter[str]"
    draws: "Counter[str]"
    first: dict[str, int]
    looked_at: int
    is_whole: bool


def losers(asked: Asked) -> Losers:
    """Count what every subject of a table would lose; nothing is drawn.

    Raises:
        ParameterError: No column says whose a row is, or losses do not add.
    """
    if asked.subject is None:
        raise ParameterError("choose the column that says whose a row is")
    if asked.one.name == "release":
        return _of_words(asked, asked.subject)
    if asked.one.name not in ("times", "places"):
        raise ParameterError(
            "losses of whole sentences and retellings are not sums; the report of the "
            "release says what the subject with most of them loses"
        )
    tally = _counted(asked, asked.subject, lambda cells: [1] * len(cells))
    level = float(str(asked.fields.get("level", 1.0)))
    return _told(tally, "rows", level, math.inf)


def _of_words(asked: Asked, subject: str) -> Losers:
    chosen = {k: asked.fields[k] for k in WORDS if k in asked.fields}
    cleaner = PREPARED(resolved(word_settings(chosen)))
    tally = _counted(asked, subject, lambda t: cleaner.count_protected(t).tolist())
    guarantee = cleaner.guarantee()
    worst = max(guarantee.worst_loss, guarantee.landmarks.unknown_loss)
    return _told(tally, "protected words", guarantee.near_bound, worst)


def _told(tally: _Tally, unit: str, near: float, worst: float) -> Losers:
    rows = tuple(
        Loser(
            mask(name),
            tally.first[name],
            tally.records[name],
            draws,
            multiply_up(near, draws),
            multiply_up(worst, draws),
        )
        for name, draws in tally.draws.most_common(SHOWN)
    )
    return Losers(rows, len(tally.records), tally.looked_at, unit, tally.is_whole)


def _counted(asked: Asked, subject: str, count: Count) -> _Tally:
    named = tuple(str(asked.fields[k]) for k in PROTECTED if k in asked.fields)
    is_typed = asked.one.name != "release"
    columns = Columns(named, subject, is_typed=is_typed)
    source = open_source(asked.upload.path, columns=columns)
    records: Counter[str] = Counter()
    draws: Counter[str] = Counter()
    first: dict[str, int] = {}
    looked_at, is_whole = 0, True
    for batch in source.batches():
        part = batch.slice(0, MOST_ROWS - looked_at)
        cells = ["" if c is None else str(c) for c in part.column(0).to_pylist()]
        names = [str(n) for n in part.column(len(source.columns.protected)).to_pylist()]
        for name, drawn in zip(names, count(cells), strict=True):
            records[name] += 1
            first.setdefault(name, records.total())
            draws[name] += drawn
        looked_at += part.num_rows
        if looked_at == MOST_ROWS:
            is_whole = False
            break
    return _Tally(records, draws, first, looked_at, is_whole)
