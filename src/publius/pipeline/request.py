"""What a release is asked for."""

from dataclasses import dataclass
from pathlib import Path
from typing import Generic, TypeVar

from publius.core.config import LedgerSettings
from publius.tables.columns import Columns
from publius.tables.formats.memory import Input

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
