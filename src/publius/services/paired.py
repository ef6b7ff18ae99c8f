"""Originals beside what left of them, wherever the released texts or places are."""

from collections.abc import Sequence

from publius.services.release import Released
from publius.tables.formats.memory import TEXT, Input, as_input


def released_input(given: object, names: Sequence[str] = (TEXT,)) -> Input:
    """Return where released rows are: a name, or the table itself.

    Args:
        given: Name of a column, file or folder; what a release returned; or the texts
            or places themselves.
        names: What the columns of a list or array are called.
    """
    if isinstance(given, Released):
        given = given.data if given.out is None else given.out
    return as_input(given, names)
