"""A table of visited places, checked, and the attack that links them to people."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa

from publius.assessment.attacks.attack import Knowledge
from publius.assessment.attacks.linkage import Linkage, Trajectories
from publius.assessment.comparison.released_file import PLACES, is_file_name
from publius.assessment.comparison.sample import drop_rows, given_sides
from publius.assessment.comparison.tables import (
    numbers,
    read_released,
    read_whole,
    strings,
)
from publius.core.arrays import BoolArray, FloatArray, IdArray, Rng, at_least
from publius.core.errors import DataError, ParameterError
from publius.core.guarantee import JsonValue
from publius.numerics.scores import Scores, score_ranking
from publius.tables.columns import Columns
from publius.tables.formats.memory import Input

Places = tuple[FloatArray, FloatArray]
"""Latitudes and longitudes in degrees."""


@dataclass(frozen=True, slots=True)
class VisitRequest:
    """Which columns of which table.

    Args:
        path: The table of originals.
        place: Columns of latitudes and longitudes.
        user: Column that says whose record a row is.
        released: A file, folder or table with the same columns, or two columns of the
            same table.
        trajectory: Column that tells the journeys of a person apart; None makes one of
            all rows on a side of the split.
        split: Column that says train or test; None takes the first half of each
            person's journeys, or rows, as known.
        least: Records that a person must have.
        input_format: Where the name of the table does not tell.
        key: Column that names the same record in both tables, where some were left
            out; None for the same rows in the same order.
    """

    path: Input
    place: tuple[str, str]
    user: str
    released: Input
    trajectory: str | None = None
    split: str | None = None
    least: int = 2
    input_format: str | None = None
    key: str | None = None

    @property
    def released_columns(self) -> tuple[str, str] | None:
        """Return the columns of released places; None if they are elsewhere."""
        if isinstance(self.released, pa.Table) or is_file_name(self.released):
            return None
        names = self.released.split(",")
        if len(names) != 2 or not all(names):
            raise ParameterError(
                "--released is neither a file or folder here nor two columns LAT,LON"
            )
        if self.key is not None:
            raise ParameterError("--id joins two tables; --released names columns")
        return names[0], names[1]


@dataclass(frozen=True, slots=True, eq=False)
class Visits:
    """Records of people who stand on both sides of a split.

    Args:
        originals: Where people were.
        released: Where they are said to have been; NaN for a known record that was not
            released.
        users: Number of the person of each record, from 0.
        journeys: Number of the journey of each record, from 0.
        is_known: The attacker's side of the split; the same for a whole journey.
        excluded: How many records were left out, by reason.
    """

    originals: Places
    released: Places
    users: IdArray
    journeys: IdArray
    is_known: BoolArray
    excluded: Mapping[str, int] = field(default_factory=dict)

    @property
    def people(self) -> int:
        """Number of candidates."""
        return int(self.users.max()) + 1

    def side(self, places: Places, *, known: bool) -> tuple[Trajectories, IdArray]:
        """Return the journeys of one side of the split and whose they are."""
        is_there = ~np.isnan(places[0])
        rows = np.flatnonzero((self.is_known == known) & is_there)
        if not len(rows):
            raise DataError("no known record was released; attack with --static")
        _, first, owner = np.unique(
            self.journeys[rows], return_index=True, return_inverse=True
        )
        trajectories = Trajectories(
            places[0][rows], places[1][rows], owner.astype(np.int64), len(first)
        )
        return trajectories, self.users[rows][first]


@dataclass(frozen=True, slots=True)
class Linked:
    """One attack on one kind of target.

    Args:
        target: ``original`` or ``released`` places.
        knowledge: Learnt from originals (static) or from released copies (adaptive).
        side_m: Side of a grid cell that the attacker chose, in metres.
        scores: Against the truth.
    """

    target: str
    knowledge: Knowledge
    side_m: float
    scores: Scores

    def to_json(self) -> dict[str, JsonValue]:
        """Return plain values."""
        return {
            "attack": Linkage.name,
            "target": self.target,
            "knowledge": self.knowledge.value,
            "cell_m": self.side_m,
            **self.scores.to_json(),
        }


def read_visits(request: VisitRequest) -> Visits:
    """Read a table of places and keep the records that can be used."""
    columns = request.released_columns
    others = [request.user, request.trajectory, request.split, request.key]
    others += columns or ()
    named = [name for name in others if name is not None]
    asked = _columns(request.place, named)
    table = read_whole(request.path, asked, request.input_format)
    if not table.num_rows:
        raise DataError("the table has no rows")
    originals = _places(table, request.place)
    if columns is not None:
        released = _places(table, columns)
    else:
        named = [] if request.key is None else [request.key]
        wanted = _columns(request.place, named)
        made = read_released(request.released, wanted, PLACES)
        released = _places(made, request.place)
        if request.key is not None:
            at = _matched(table, made, request.key)
            released = _at(released[0], at), _at(released[1], at)
    if len(released[0]) != len(originals[0]):
        raise DataError(
            f"the released table has {len(released[0])} rows and the original one "
            f"{len(originals[0])}; they must be the same rows in the same order"
        )
    return _usable(request, table, originals, released)


def link(
    visits: Visits,
    kinds: Sequence[Knowledge],
    rng: Rng,
    *,
    progress: Callable[[str], None] = lambda _: None,
) -> list[Linked]:
    """Attack the released journeys, and the originals for comparison."""
    plans = [("original", Knowledge.STATIC, visits.originals, visits.originals)]
    for kind in kinds:
        learnt = visits.released if kind is Knowledge.ADAPTIVE else visits.originals
        plans.append(("released", kind, learnt, visits.released))
    results = []
    for target, kind, learnt, attacked in plans:
        progress(f"{target} places, {kind.value}")
        known, users = visits.side(learnt, known=True)
        trained = Linkage().train(known, users, visits.people)
        asked, truth = visits.side(attacked, known=False)
        guesses = trained.guess(asked)
        scores = score_ranking(guesses.ranking, truth, rng, answered=guesses.answered)
        results.append(Linked(target, kind, trained.side, scores))
    return results


def _columns(place: tuple[str, str], others: Sequence[str]) -> Columns:
    kept = tuple(name for name in dict.fromkeys(others) if name not in place)
    return Columns(place, keep=kept, is_typed=True)


def _matched(table: pa.Table, released: pa.Table, key: str) -> IdArray:
    """Return the released row of each original; -1 where there is none."""
    rows: dict[str, int] = {}
    for number, name in enumerate(strings(released.column(key))):
        if name is None or name in rows:
            raise DataError(f"column {key!r} must name every released row once")
        rows[name] = number
    names = strings(table.column(key))
    at = np.array([-1 if n is None else rows.get(n, -1) for n in names], dtype=np.int64)
    if len(np.unique(at[at >= 0])) < len(rows) or (at >= 0).sum() > len(rows):
        raise DataError(f"column {key!r} must name every released row's original once")
    return at


def _at(values: FloatArray, rows: IdArray) -> FloatArray:
    return np.where(rows >= 0, values[np.maximum(rows, 0)], np.nan)


def _places(table: pa.Table, names: tuple[str, str]) -> Places:
    latitude, longitude = (numbers(table.column(name), name) for name in names)
    return latitude, longitude


def _usable(
    request: VisitRequest, table: pa.Table, originals: Places, released: Places
) -> Visits:
    excluded: dict[str, int] = {}
    rows = np.arange(table.num_rows)
    names = strings(table.column(request.user))
    nameless = np.array([not (name or "").strip() for name in names], dtype=bool)
    rows = drop_rows(rows, nameless, "records without a user", excluded)
    rows = drop_rows(rows, _absent(originals), "records without a place", excluded)
    users = _codes(names)
    if request.split is not None:
        side = given_sides(strings(table.column(request.split)))
        rows = drop_rows(rows, side < 0, "records of another split", excluded)
    size = np.bincount(users[rows], minlength=users.max(initial=0) + 1)[users]
    least = at_least("least", request.least, 2)
    reason = f"records of people with fewer than {least} records"
    rows = drop_rows(rows, size < least, reason, excluded)
    own = np.zeros(len(users), dtype=np.int64)
    if request.trajectory is not None:
        own = _codes(strings(table.column(request.trajectory)))
    if request.split is not None:
        known = side == 1
    else:
        known = np.zeros(len(users), dtype=bool)
        parts = own if request.trajectory is not None else np.arange(len(users))
        known[rows] = _first_halves(users[rows], parts[rows])
    # Whoever attacks may know of visits that were not released.
    unreleased = _absent(released) & ~known
    rows = drop_rows(rows, unreleased, "records without a released place", excluded)
    for label, there in (("known", known), ("attacked", ~known)):
        present = np.isin(users, users[rows[there[rows]]])
        reason = f"records of people without {label} records"
        rows = drop_rows(rows, ~present, reason, excluded)
    if len(np.unique(users[rows])) < 2:
        raise DataError(
            f"fewer than 2 people are left of {table.num_rows} records; each needs "
            "records on both sides of the split"
        )
    journeys = (users * (own.max() + 1) + own) * 2 + known
    return Visits(
        (originals[0][rows], originals[1][rows]),
        (released[0][rows], released[1][rows]),
        np.unique(users[rows], return_inverse=True)[1].astype(np.int64),
        journeys[rows],
        known[rows],
        excluded,
    )


def _absent(places: Places) -> BoolArray:
    return np.asarray(np.isnan(places[0]) | np.isnan(places[1]))


def _codes(names: Sequence[str | None]) -> IdArray:
    return np.unique([str(n) for n in names], return_inverse=True)[1].astype(np.int64)


def _first_halves(users: IdArray, parts: IdArray) -> BoolArray:
    """Return which rows lie in the first half of their person's parts, in order."""
    known = np.zeros(len(users), dtype=bool)
    order = np.argsort(users, kind="stable")
    starts = np.flatnonzero(np.diff(users[order], prepend=-1))
    for rows in np.split(order, starts[1:]):
        _, first, place = np.unique(parts[rows], return_index=True, return_inverse=True)
        rank = np.argsort(np.argsort(first))[place]
        known[rows] = rank < len(first) / 2
    return known
