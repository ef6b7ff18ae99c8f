"""How many processes an input is worth."""

from pathlib import Path

import pyarrow as pa

from publius.core.errors import ParameterError
from publius.numerics.parallel import idle_cores
from publius.tables.formats.memory import Input

AUTO = "auto"
WORTH_WORKERS = 64_000_000
"""Bytes of input from which auto starts workers: below, their start takes longer than
they save, and on a busy machine they save nothing."""


def workers_for(given: Input, workers: object) -> int:
    """Return the number of processes for an input.

    Args:
        given: A path, or a table in memory.
        workers: Their number, or ``auto``.
    """
    if workers == AUTO:
        return idle_cores() if _size(given) >= WORTH_WORKERS else 1
    if not isinstance(workers, int):
        raise ParameterError(
            f"workers must be a whole number or {AUTO!r}, got {workers!r}"
        )
    return workers


def _size(given: Input) -> int:
    if isinstance(given, pa.Table):
        return int(given.nbytes)
    place = Path(given)
    files = place.iterdir() if place.is_dir() else [place] if place.is_file() else []
    return sum(file.stat().st_size for file in files if file.is_file())
