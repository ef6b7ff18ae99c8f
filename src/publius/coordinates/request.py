"""What a release of times or places is asked for."""

from dataclasses import dataclass
from pathlib import Path

from publius.config import LedgerSettings
from publius.core.errors import UnknownNameError
from publius.corpus.columns import Columns

FORMATS = ("same", "parquet", "csv", "tsv", "jsonl", "geojson")


@dataclass(frozen=True, slots=True)
class TableRequest:
    """Which table is released, and where to.

    Args:
        path: A file, or ``-`` for standard input.
        out: Folder to write.
        user: Column that says whose record a row is; not released unless kept.
        keep: Columns to pass on unprotected.
        seed: For tests only; marks the release as insecure.
        resume: Continue an interrupted run.
        format: One of ``FORMATS``.
        input_format: Of the input when its name does not tell.
        encoding: Of a text input.
        is_dropping: Leave rows with an empty cell out instead of refusing them.
        shows_before: Draw originals into the report, which then is not publishable.
        ledger: Charged before anything is drawn.
        escapes: Put an apostrophe before texts of csv and tsv that a spreadsheet would
            take for a formula.
    """

    path: str
    out: Path
    user: str | None = None
    keep: tuple[str, ...] = ()
    seed: int | None = None
    resume: bool = False
    format: str = "same"
    input_format: str | None = None
    encoding: str = "utf-8"
    is_dropping: bool = False
    shows_before: bool = False
    ledger: LedgerSettings | None = None
    escapes: bool = False

    def __post_init__(self) -> None:
        if self.format not in FORMATS:
            raise UnknownNameError("output format", self.format, FORMATS)

    def columns(self, *protected: str) -> Columns:
        """Return what is read: the protected columns, the user, the kept ones."""
        return Columns(protected, self.user, self.keep, is_typed=True)
