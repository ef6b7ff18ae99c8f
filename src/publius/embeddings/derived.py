"""Neighbour tables: shipped with the package, cached in a folder, or computed.

Only whole tables of public embeddings are cached: which rows exist would tell which
words occurred in a text.
"""

from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

from publius.core.arrays import IdArray
from publius.core.errors import DataError
from publius.embeddings import graph
from publius.storage.cache import read_cached, write_cached
from publius.storage.shipped import shipped_bytes

SHIPPED = Path(__file__).parent / "shipped"

WORTH_KEEPING = 5_000
"""Smaller vocabularies are searched faster than a file is opened."""


def neighbour_table(
    fingerprint: str, size: int, k: int, compute: Callable[[int], IdArray]
) -> IdArray:
    """Return the `k` nearest words of every word, closest first.

    A vocabulary of fewer than ``k + 1`` words gives all other words.
    """
    k = min(k, size - 1)
    if size < WORTH_KEEPING:
        return compute(k)
    name = f"{fingerprint}-k{k}.npz"
    for content in _stored(name):
        # A damaged or foreign file is the same as none: the table is computed again.
        with suppress(DataError):
            table = graph.unpack(name, content, fingerprint, size)
            if table.shape[1] >= k:
                return table[:, :k]
    table = compute(k)
    write_cached("neighbours", name, graph.pack(table, fingerprint))
    return table


def _stored(name: str) -> Iterator[bytes]:
    """Yield the tables of the package, then the one in the cache."""
    for path in sorted(SHIPPED.glob("*-graph.npz")):
        yield shipped_bytes(path)
    cached = read_cached("neighbours", name)
    if cached is not None:
        yield cached
