"""The two largest products by a faiss index."""

from dataclasses import dataclass, field
from typing import ClassVar

import faiss
import numpy as np

from publius.core.arrays import FloatArray, IdArray
from publius.embeddings.nearest import ROWS, Rows32, contenders


@dataclass(frozen=True, slots=True, eq=False)
class FaissTopTwo:
    """Search an exact inner-product index over homogeneous coordinates.

    The largest product there is the smallest Euclidean distance, without the digits
    that ``IndexFlatL2`` loses for points far from every word.
    """

    batch: ClassVar[int] = 8 * ROWS

    table: Rows32
    _index: "faiss.IndexFlatIP" = field(init=False, repr=False)

    def __post_init__(self) -> None:
        index = faiss.IndexFlatIP(self.table.shape[1])
        index.add(self.table)
        object.__setattr__(self, "_index", index)

    def __call__(self, queries: Rows32) -> tuple[IdArray, Rows32, Rows32]:
        """Return the id of the largest product, its value, and the second value."""
        products, ids = self._index.search(np.ascontiguousarray(queries), 2)
        # A table of one row has no second: faiss fills in id -1 and a finite value.
        second = np.where(ids[:, 1] < 0, np.float32(-np.inf), products[:, 1])
        return ids[:, 0].copy(), products[:, 0].copy(), second

    def contenders(self, queries: Rows32, bound: FloatArray) -> tuple[IdArray, IdArray]:
        """Return query and row of every product within `bound` of the largest one."""
        return contenders(self.table, queries, bound)
