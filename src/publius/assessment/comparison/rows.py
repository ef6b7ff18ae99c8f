"""Rows of a table of results."""

from collections.abc import Mapping
from typing import TypeAlias

Cell: TypeAlias = str | int | float | None
Row: TypeAlias = Mapping[str, Cell]
