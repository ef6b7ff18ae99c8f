"""The two largest products by torch, on the GPU where there is one."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import numpy as np
import torch

from publius.core.arrays import IdArray
from publius.embeddings.nearest import Rows32

BLOCK_BYTES = 256 << 20
"""Products held at a time."""


@dataclass(frozen=True, slots=True, eq=False)
class TorchTopTwo:
    """Multiply with torch in full float32 precision."""

    table: Rows32
    device: str = ""
    _rows: torch.Tensor = field(init=False, repr=False)

    def __post_init__(self) -> None:
        device = self.device or ("cuda" if torch.cuda.is_available() else "cpu")
        object.__setattr__(self, "device", device)
        rows = torch.from_numpy(np.array(self.table)).to(device)
        object.__setattr__(self, "_rows", rows)

    def __call__(self, queries: Rows32) -> tuple[IdArray, Rows32, Rows32]:
        """Return the id of the largest product, its value, and the second value."""
        size = len(self.table)
        step = max(1, BLOCK_BYTES // (4 * size))
        ids = np.empty(len(queries), dtype=np.int64)
        values = np.full((2, len(queries)), -np.inf, dtype=np.float32)
        for start in range(0, len(queries), step):
            stop = min(start + step, len(queries))
            block = torch.from_numpy(np.array(queries[start:stop])).to(self.device)
            with _full_precision():
                products = block @ self._rows.T
            top = torch.topk(products, min(2, size), dim=1)
            ids[start:stop] = top.indices[:, 0].cpu().numpy()
            values[: min(2, size), start:stop] = top.values.T.cpu().numpy()
        return ids, values[0], values[1]


@contextmanager
def _full_precision() -> Iterator[None]:
    """Keep torch from rounding factors to fewer than 24 bits: the bound needs them."""
    before = torch.get_float32_matmul_precision()
    torch.set_float32_matmul_precision("highest")
    try:
        yield
    finally:
        torch.set_float32_matmul_precision(before)
