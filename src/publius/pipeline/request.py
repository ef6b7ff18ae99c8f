"""What a release is asked for."""

from dataclasses import dataclass
from pathlib import Path
from typing import Generic, TypeVar

from publius.core.arrays import at_least
from publius.core.config import LedgerSettings
from publius.core.errors import ParameterError
from publius.tables.columns import Columns
from publius.tables.formats.memory import Input
from publius.tables.read import open_source
from publius.tables.source import Source

SettingsT_co = TypeVar("SettingsT_co", covariant=True)


@dataclass(frozen=True, slots=True)
class ReleaseRequest(Generic[SettingsT_co]):
    """Everything that a release is asked for.

    Args:
        path: File or folder, ``-`` for standard input, or a table in memory.
        out: Folder to write.
        columns: What is protected, whose a row is, what leaves unprotected.
        settings: How it is treated; their type says whether words, sentences, times or
            places are.
        seed: For tests only; marks the release as insecure.
        workers: Number of processes.
        resume: Continue an interrupted run.
        format: Of ``data.*``; ``same`` for the input's own.
        input_format: Of the input when its name does not tell.
        encoding: Of a text input.
        show_examples: Show originals in the report, which then is not publishable.
        ledger: Charged before anything is drawn.
        escapes: Put an apostrophe before texts of csv and tsv that a spreadsheet would
            take for a formula.
        delimiter: Between the cells of a csv input; None lets its names decide.
        limit: Release the first so many rows only; None for all.
        replaces: Remove a release that lies in `out` before anything is drawn.
    """

    path: Input
    out: Path
    columns: Columns
    settings: SettingsT_co
    seed: int | None = None
    workers: int = 1
    resume: bool = False
    format: str = "parquet"
    input_format: str | None = None
    encoding: str = "utf-8"
    show_examples: bool = False
    ledger: LedgerSettings | None = None
    escapes: bool = False
    delimiter: str | None = None
    limit: int | None = None
    replaces: bool = False

    def __post_init__(self) -> None:
        if isinstance(self.path, str) and not self.path:
            # As a path it is the current folder, which nobody asked for.
            raise ParameterError("the name of the input is empty")
        if self.limit is not None:
            at_least("limit", self.limit, 1)
        if self.replaces and self.resume:
            raise ParameterError(
                "--force begins anew and --resume goes on; give one of them"
            )

    def opened(self, columns: Columns) -> Source:
        """Open the input of a single table, as far as it is asked for."""
        source = open_source(
            self.path,
            columns=columns,
            input_format=self.input_format,
            encoding=self.encoding,
            delimiter=self.delimiter,
        )
        return source if self.limit is None else source.limited(self.limit)
