"""What is done to rows: the contract between a release and its materials."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol, runtime_checkable

import pyarrow as pa

from publius.core.arrays import FloatArray, IdArray, Rng
from publius.core.rng import RunKey


@dataclass(frozen=True, slots=True, eq=False)
class Released:
    """What took the place of the protected columns of some rows.

    Args:
        columns: One array for each field of the form, as long as the rows.
        costs: How many guarantees each row spends.
        leaves: Which rows leave; None for all of them.
        counts: Figures about released values, added up for the report.
        originals: What a private picture is drawn from; None where there is none.
    """

    columns: list[pa.Array]
    costs: IdArray
    leaves: pa.BooleanArray | None = None
    counts: Mapping[str, int] = field(default_factory=dict)
    originals: FloatArray | IdArray | None = field(default=None, repr=False)


class Form(Protocol):
    """The shape in which protected columns leave; they come first in their rows."""

    def fields(self, protected: Sequence[pa.Field]) -> list[pa.Field]:
        """Return the columns that replace the protected ones; no cell decides them."""
        ...

    def release(
        self, rows: pa.RecordBatch, rng: Rng, *, first_row: int = 1
    ) -> Released:
        """Release the protected columns of some rows.

        Args:
            rows: The rows, protected columns first.
            rng: Of all that is drawn for them.
            first_row: Number of the first of them, as its owner counts.
        """
        ...

    def costs(self, rows: pa.RecordBatch) -> IdArray:
        """Return the guarantees that each row spends, without drawing."""
        ...


@runtime_checkable
class Remarking(Form, Protocol):
    """A form that notices when rows are not what it is made for."""

    def remarks(self, rows: pa.RecordBatch) -> list[str]:
        """Return what the owner should know; it depends on secrets: keep it private."""
        ...


@runtime_checkable
class Keyed(Form, Protocol):
    """A form whose draws in one shard must agree with those in another."""

    @property
    def spans_shards(self) -> bool:
        """Whether all shards must be drawn with one key."""
        ...

    def keyed(self, key: RunKey) -> Form:
        """Return the form with the secret of a run."""
        ...
