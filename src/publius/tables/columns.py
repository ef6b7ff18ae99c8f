"""Which columns of a table are read, and how the text column is found."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from typing import NoReturn

from publius.core.errors import DataError, NoColumnError, ParameterError

TEXT_NAMES = ("text", "body", "review", "content", "comment", "message")
_MOST_SHOWN = 20
_NAME = re.compile(r"[^\W\d][\w.:/#()-]*( [\w.:/#()-]+){0,2}\Z(?<!.{41})")
_SINGLE_NAME = re.compile(r"[^\W\d][\w.-]{0,39}\Z")


@dataclass(frozen=True, slots=True)
class Columns:
    """Name the columns that a release reads; all others never leave the file.

    Args:
        protected: The columns that hold secrets; none finds the column of texts.
        subject: The column that says whose a row is.
        keep: Columns that are passed on as they are, unprotected; each once.
        is_typed: Read protected columns with the types they are stored in, such as
            numbers or times, instead of demanding strings.
        types_kept: Give kept columns of a text format the type that all their values
            have: truth value, whole number, number, else string.
    """

    protected: tuple[str, ...] = ()
    subject: str | None = None
    keep: tuple[str, ...] = ()
    is_typed: bool = False
    types_kept: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "keep", tuple(dict.fromkeys(self.keep)))
        for name in self.protected:
            if self.protected.count(name) > 1:
                raise ParameterError(f"column {name!r} cannot be protected twice")
            if name in (self.subject, *self.keep):
                raise ParameterError(
                    f"column {name!r} is protected; it cannot also say whose a row is "
                    "or be kept as it is"
                )

    @property
    def others(self) -> tuple[str, ...]:
        """Return what is read beside the protected columns, once each."""
        named = (self.subject, *self.keep)
        return tuple(dict.fromkeys(name for name in named if name is not None))

    @property
    def needed(self) -> tuple[str, ...]:
        """Return the named columns once each: protected, subject, then kept ones."""
        return tuple(dict.fromkeys((*self.protected, *self.others)))


def resolve(asked: Columns, names: Sequence[str], textual: Sequence[str]) -> Columns:
    """Return the asked columns with the protected ones named, all of them present.

    Args:
        asked: What the user named.
        names: Every column of the table, in order.
        textual: Those of them that hold strings; where values and not types say so,
            also those with a usual name, so that none of their cells decides.

    Raises:
        DataError: A column is missing, named twice, or no text column stands out.
    """
    protected = asked.protected or (_guess(names, textual),)
    columns = replace(asked, protected=protected)
    for name in columns.needed:
        if name not in names:
            _refuse_missing(name, names)
        if names.count(name) > 1:
            raise DataError(
                f"{names.count(name)} columns are called {name!r}; rename all but one"
            )
    return columns


def is_usual(name: str) -> bool:
    """Tell whether texts usually have this name; no value may decide otherwise."""
    return name.strip().lower() in TEXT_NAMES


def shown(names: Sequence[str]) -> str:
    """Return the names as a list that is safe to print.

    The first row of a table without a header is read as names, so nothing is shown
    where one of them does not look like a name.
    """
    if not _are_names(names):
        return (
            f"{len(names)}, not shown because the first line does not look like names"
        )
    listed = list(names[:_MOST_SHOWN])
    more = [f"and {len(names) - _MOST_SHOWN} more"] if len(names) > _MOST_SHOWN else []
    return ", ".join(listed + more)


def _are_names(names: Sequence[str]) -> bool:
    return all(name == "" or _NAME.match(name) for name in names)


def _guess(names: Sequence[str], textual: Sequence[str]) -> str:
    lowered = {name.strip().lower(): name for name in reversed(textual)}
    for usual in TEXT_NAMES:
        if usual in lowered:
            return lowered[usual]
    # A text in the place of a header would leave as the name of a column.
    if len(textual) == 1 and _SINGLE_NAME.match(textual[0]):
        return textual[0]
    if not textual:
        raise DataError(f"no column holds texts; columns: {shown(names) or 'none'}")
    raise DataError(
        "cannot tell which column holds the text; name it with --text; "
        f"columns: {shown(names) or 'none'}"
    )


def _refuse_missing(name: str, names: Sequence[str]) -> NoReturn:
    close = get_close_matches(name, names, n=1, cutoff=0.5)
    hint = f"; did you mean {close[0]}?" if close and _are_names(names) else ";"
    raise NoColumnError(name, f"{hint} columns: {shown(names) or 'none'}")


def not_a_name(column: str) -> DataError:
    """Return the error that says that a column of names holds lists or records."""
    return DataError(
        f"column {column!r} must hold one name per row, not lists or records; give "
        "every name a row of its own, or name another column"
    )


def not_a_cell(column: str, where: str) -> DataError:
    """Return the error that says that a protected column holds lists or records."""
    return DataError(
        f"column {column!r} must hold one value per row, and {where} has a list or a "
        "record in it; give every value a row of its own"
    )
