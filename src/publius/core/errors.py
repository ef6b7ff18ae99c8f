"""Every error that Publius raises on purpose.

PubliusError
├── ParameterError          a setting is outside its domain
├── UnknownNameError        a name is in no table; suggests the nearest one
├── DataError               an input cannot be used; names positions, never values
│   └── NoColumnError       a table has no column of that name
├── OutputError             a result cannot be written, or would overwrite another
│   └── CompleteError       the resumed release is complete; nothing is left to do
├── TrustError              a stored table could have been changed by others
├── RandomnessError         a random stream would be copied or shared
├── FetchError              a data package cannot be obtained
├── WorkerError             a worker process failed or was stopped
├── GuaranteeMismatchError  two guarantees do not speak of the same thing
├── CancelledError          whoever watches the work stopped it
├── RefutedError            a claim is false
└── BudgetError             a release would spend more than is left
"""

import traceback
from collections.abc import Iterable
from difflib import get_close_matches
from pathlib import Path
from typing import Self


class PubliusError(Exception):
    """Base of all errors; its message is one line that is safe to show."""

    exit_code = 1


class ParameterError(PubliusError, ValueError):
    """A setting is outside its domain."""


class UnknownNameError(PubliusError, KeyError):
    """A name is in no table."""

    def __init__(self, kind: str, name: str, known: Iterable[str]) -> None:
        names = sorted(set(known))
        self.kind, self.name, self.known = kind, name, names
        close = get_close_matches(name, names, n=1, cutoff=0.5)
        hint = f"did you mean {close[0]!r}? " if close else ""
        self.message = f"no {kind} {name!r}; {hint}known: {', '.join(names)}"
        super().__init__(self.message)

    def __reduce__(self) -> tuple[type[Self], tuple[str, str, list[str]]]:
        # An exception is unpickled from its message; this one is made from its parts.
        return type(self), (self.kind, self.name, self.known)

    def __str__(self) -> str:
        return self.message


class DataError(PubliusError, ValueError):
    """An input cannot be used as it is."""


class NoColumnError(DataError):
    """A table has no column of that name."""

    def __init__(self, name: str, told: str) -> None:
        self.name, self.told = name, told
        super().__init__(f"no column {name!r}{told}")

    def __reduce__(self) -> tuple[type[Self], tuple[str, str]]:
        # An exception is unpickled from its message; this one is made from its parts.
        return type(self), (self.name, self.told)


class OutputError(PubliusError, OSError):
    """A result cannot be written, or would overwrite another."""


class TrustError(PubliusError):
    """A stored table could have been changed by others; it was not used."""


class CompleteError(OutputError):
    """The release that was to be resumed is complete already."""

    exit_code = 0


class RandomnessError(PubliusError, TypeError):
    """A random stream would be copied or shared."""


class FetchError(PubliusError):
    """A data package cannot be obtained."""


class WorkerError(PubliusError, RuntimeError):
    """A worker process failed or was stopped."""


class GuaranteeMismatchError(PubliusError, ValueError):
    """Two guarantees do not speak of the same thing."""


class CancelledError(PubliusError):
    """Whoever watches the work stopped it."""

    exit_code = 130


class RefutedError(PubliusError):
    """A claim is false."""

    exit_code = 3


class BudgetError(PubliusError):
    """A release would spend more than is left; nothing was drawn."""

    exit_code = 3


def fault(error: Exception) -> str:
    """Return where the program failed; never the text of an unforeseen error."""
    frame = traceback.extract_tb(error.__traceback__)[-1]
    place = f"{Path(frame.filename).name}:{frame.lineno}"
    return (
        f"failed with {type(error).__name__} at {place}; "
        "this is a fault of the program, please report it"
    )
