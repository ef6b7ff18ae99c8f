"""Neighbour tables: shipped with the package, kept in the cache folder, or computed.

Only whole tables of public embeddings are kept: which rows exist would tell which words
occurred in a text.
"""

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from publius.core.arrays import IdArray
from publius.core.errors import DataError, OutputError
from publius.embeddings import graph
from publius.embeddings.folders import cache_folder, write_whole

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
    kept = cache_folder() / "neighbours" / f"{fingerprint}-k{k}.npz"
    for path in (*sorted(SHIPPED.glob("*-graph.npz")), kept):
        # A damaged or foreign file is the same as none: the table is computed again.
        with suppress(DataError):
            table = graph.unpack(path, fingerprint, size)
            if table.shape[1] >= k:
                return table[:, :k]
    table = compute(k)
    # A full or read-only cache folder costs time in the next run and nothing else.
    with suppress(OutputError):
        write_whole(kept, graph.pack(table, fingerprint))
    return table
