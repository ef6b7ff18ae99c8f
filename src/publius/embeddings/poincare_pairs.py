"""Hierarchies as pairs of a name and a more general name, checked before training."""

import csv
import gzip
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from itertools import chain
from pathlib import Path
from typing import Self, TextIO

import numpy as np
import scipy

from publius.core.arrays import IdArray
from publius.core.errors import DataError
from publius.core.space import fingerprint

HEADERS = {
    ("id1", "id2"),
    ("child", "parent"),
    ("hyponym", "hypernym"),
    ("descendant", "ancestor"),
    ("word", "hypernym"),
    ("word", "name"),
}
"""First lines that are a header and not a pair."""


@dataclass(frozen=True, slots=True, eq=False)
class Hierarchy:
    """Names and, for each, the more general names it is paired with.

    Args:
        names: Distinct public names.
        ancestors: Square; a stored entry (i, j) says that name j is above name i.
    """

    names: tuple[str, ...]
    ancestors: "scipy.sparse.csr_array[np.float64]"

    def __post_init__(self) -> None:
        graph = self.ancestors
        if graph.shape != (len(self.names), len(self.names)):
            raise DataError(f"{len(self.names)} names need a square matrix of pairs")
        if not graph.nnz:
            raise DataError("a hierarchy needs at least one pair")
        _check_loops(graph)
        _check_connected(graph)

    @classmethod
    def of(cls, lower: Sequence[str], upper: Sequence[str]) -> "Hierarchy":
        """Return the hierarchy in which each `lower` name is below its `upper` one."""
        if len(lower) != len(upper):
            raise DataError(f"{len(lower)} lower names for {len(upper)} upper ones")
        names = tuple(sorted(set(chain(lower, upper))))
        index = dict(zip(names, range(len(names)), strict=True))
        rows = np.fromiter((index[name] for name in lower), np.int64, len(lower))
        columns = np.fromiter((index[name] for name in upper), np.int64, len(upper))
        return cls(names, _indicator(rows, columns, len(names)))

    @classmethod
    def stored(cls, names: tuple[str, ...], bounds: IdArray, above: IdArray) -> Self:
        """Return a hierarchy from the names above each name, one after the other."""
        try:
            shape = (len(names), len(names))
            ones = np.ones(len(above), dtype=np.float64)
            graph: scipy.sparse.csr_array[np.float64] = scipy.sparse.csr_array(
                (ones, above, bounds), shape=shape
            )
        except ValueError:
            raise DataError("a stored hierarchy is damaged") from None
        return cls(names, graph)

    @property
    def size(self) -> int:
        """Number of names."""
        return len(self.names)

    @property
    def pairs(self) -> int:
        """Number of distinct pairs."""
        return int(self.ancestors.nnz)

    @property
    def fingerprint(self) -> str:
        """Sixteen hexadecimal digits that identify names and pairs."""
        graph = self.ancestors
        parts = graph.indptr.astype(np.int64), graph.indices.astype(np.int64)
        return fingerprint("\n".join(self.names), *parts)

    def closed(self) -> "Hierarchy":
        """Return the transitive closure: every name above an ancestor is one too."""
        graph = self.ancestors
        while True:
            longer = scipy.sparse.csr_array(graph + graph @ graph)
            longer.data[:] = 1.0
            longer.sort_indices()
            if longer.nnz == graph.nnz:
                return Hierarchy(self.names, longer)
            graph = longer

    def direct(self) -> "scipy.sparse.csr_array[np.float64]":
        """Return the transitive reduction of a closed hierarchy."""
        longer = scipy.sparse.csr_array(self.ancestors @ self.ancestors)
        longer.data[:] = 1.0
        rest = scipy.sparse.csr_array(self.ancestors - self.ancestors.multiply(longer))
        rest.eliminate_zeros()
        return rest


def read_pairs(path: Path, root: str = "", *, opens_cycles: bool = False) -> Hierarchy:
    """Read ``name,more general name`` per line, as CSV or TSV, plain or gzipped.

    Args:
        path: The file.
        root: Name that is put above every name that has none above it; empty for none.
        opens_cycles: Leave out pairs of names that are above each other.
    """
    lower, upper = [], []
    for number, row in read_table(path):
        if len(row) != 2 or not all(row):
            raise DataError(
                f"line {number} of {path.name} must hold two names, a name and one "
                f"above it; it has {len(row)} columns"
            )
        lower.append(row[0])
        upper.append(row[1])
    if not lower:
        raise DataError(f"{path.name} holds no pairs")
    if opens_cycles:
        lower, upper = acyclic(lower, upper)
    return Hierarchy.of(*(rooted(lower, upper, root) if root else (lower, upper)))


def acyclic(lower: Sequence[str], upper: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return the pairs whose names are not above each other, directly or by a detour.

    All pairs inside a cycle go: none of its names is the more general one. A name that
    is left without any pair leaves the hierarchy.
    """
    names = sorted(set(chain(lower, upper)))
    index = dict(zip(names, range(len(names)), strict=True))
    rows = np.array([index[name] for name in lower], dtype=np.int64)
    columns = np.array([index[name] for name in upper], dtype=np.int64)
    graph = _indicator(rows, columns, len(names))
    _, label = _connected_components(graph, directed=True, connection="strong")
    stays = label[rows] != label[columns]
    pairs = [p for p, is_kept in zip(zip(lower, upper, strict=True), stays, strict=True)
             if is_kept]  # fmt: skip
    return [below for below, _ in pairs], [above for _, above in pairs]


def rooted(
    lower: Sequence[str], upper: Sequence[str], root: str
) -> tuple[list[str], list[str]]:
    """Return pairs in which `root` is above every name that had none above it.

    Raises:
        DataError: There is a name above the root already.
    """
    if root in set(lower):
        raise DataError("the root has a name above it; choose a new name for --root")
    tops = sorted(set(upper) - set(lower) - {root})
    return [*lower, *tops], [*upper, *([root] * len(tops))]


def read_table(path: Path) -> Iterator[tuple[int, list[str]]]:
    """Yield line number and cells of a CSV or TSV file, without a known header."""
    with _opened(path) as stream:
        first = stream.readline()
        delimiter = "\t" if "\t" in first else ","
        lines: Iterable[str] = chain([first], stream)
        for number, row in enumerate(csv.reader(lines, delimiter=delimiter), start=1):
            names = [cell.strip() for cell in row]
            if number == 1 and tuple(name.lower() for name in names) in HEADERS:
                continue
            if names:
                yield number, names


@contextmanager
def _opened(path: Path) -> Iterator[TextIO]:
    """Open text that may be gzipped; what goes wrong while reading is a DataError."""
    try:
        with path.open("rb") as raw:
            packed = raw.read(2) == b"\x1f\x8b"
        if packed:
            with gzip.open(path, "rt", encoding="utf-8", newline="") as stream:
                yield stream
        else:
            with path.open(encoding="utf-8", newline="") as stream:
                yield stream
    except DataError:
        raise
    except (OSError, EOFError, UnicodeDecodeError, csv.Error) as failed:
        reason = getattr(failed, "strerror", None) or "it is damaged or no table"
        raise DataError(f"cannot read {path.name}: {reason}") from None


def _indicator(
    rows: IdArray, columns: IdArray, size: int
) -> "scipy.sparse.csr_array[np.float64]":
    ones = np.ones(len(rows))
    graph = scipy.sparse.csr_array((ones, (rows, columns)), shape=(size, size))
    graph.sum_duplicates()
    graph.data[:] = 1.0
    return graph


def _check_loops(graph: "scipy.sparse.csr_array[np.float64]") -> None:
    """Raise when a name is, directly or by a detour, above itself."""
    own = np.flatnonzero(graph.diagonal())
    if len(own):
        raise DataError(
            f"{len(own)} names are paired with themselves, the first is name "
            f"{int(own[0])} in sorted order; remove these pairs"
        )
    parts, label = _connected_components(graph, directed=True, connection="strong")
    if parts < graph.shape[0]:
        sizes = np.bincount(label)
        looped = int(sizes[sizes > 1].sum())
        first = int(np.flatnonzero(sizes[label] > 1)[0])
        raise DataError(
            f"the pairs run in circles through {looped} names, among them name {first} "
            "in sorted order; a hierarchy has no cycles (--open-cycles leaves such "
            "pairs out)"
        )


def _check_connected(graph: "scipy.sparse.csr_array[np.float64]") -> None:
    parts, label = _connected_components(graph, directed=False)
    if parts > 1:
        largest = int(np.bincount(label).max())
        raise DataError(
            f"the pairs fall into {parts} unconnected parts, the largest of "
            f"{largest} names: distances between parts would mean nothing; train the "
            "parts one by one or put a common name above them with --root NAME"
        )


def _connected_components(
    graph: "scipy.sparse.csr_array[np.float64]",
    *,
    directed: bool,
    connection: str = "weak",
) -> tuple[int, IdArray]:
    """Return the number of components and the component of each node."""
    components = import_module("scipy.sparse.csgraph").connected_components(
        graph, directed=directed, connection=connection
    )
    return int(components[0]), np.asarray(components[1], dtype=np.int64)
