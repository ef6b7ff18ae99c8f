"""What releases of times and of places have in common: a row is somebody's record."""

from dataclasses import dataclass

from publius.accounting.spending import Charge, Cost
from publius.core.guarantee import Guarantee, Scope
from publius.materials.treatment import kept_columns
from publius.tables.shards import Cut
from publius.tables.source import Source

RECORD_CUT = Cut(rows=65_536, size=1 << 62, part=65_536)
"""Records are small: shards are cut by rows alone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Dropping:
    """What happens to rows with an empty cell.

    Args:
        is_dropping: They are left out; otherwise they are refused.
    """

    is_dropping: bool = False


def disclosed_records(
    source: Source, *, is_dropping: bool, tells_busiest: bool = True
) -> Scope:
    """Say what a released table of records tells, whatever the mechanism is."""
    uncovered: tuple[str, ...] = ()
    if is_dropping:
        uncovered += ("That rows with empty cells were left out.",)
    uncovered += kept_columns(source)
    if source.columns.subject is not None and tells_busiest:
        uncovered += ("How many records the person with most of them has.",)
    return Scope(uncovered=uncovered)


def record_charge(mechanism: str, guarantee: Guarantee, level: float) -> Charge:
    """Return the loss of one record, near ones being `level` apart."""
    return Charge(mechanism, guarantee, Cost.of(guarantee, near=level))
