"""The two largest products by torch, on the GPU where there is one.

Two passes in half precision come first: factors rounded to 11 digits, then factors
split into two such numbers (22 digits). Both sum in float32, and every product carries
a bound on its error. A query is settled when the winner's lower bound exceeds every
other upper bound; what is left is multiplied in full float32 precision.
"""

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib import import_module, util
from typing import TypeAlias

import numpy as np
import torch

from publius.core.arrays import FloatArray, IdArray
from publius.embeddings.nearest import Nearest, Rows32

BLOCK_BYTES = 256 << 20
"""Products held at a time."""

DEVICE_BLOCKS = 8
"""So many times as many where a device compares what is left open."""

CLOSE = 2.0**-40
"""Squared distances within this of the smallest are compared on the host."""

ROUNDED = 2.0**-10 + 2.0**-22
"""Relative error of a product whose factors are rounded to 11 digits."""

SPLIT = 2.0**-20
"""Relative error of a product whose factors are two numbers of 11 digits each."""

SUM = 2.0**-23
"""Relative error of one addition, twice that of float32: tensor cores truncate."""

UNDERFLOW = 2.0**-24
"""Largest absolute error of a coordinate below the normal range of float16."""

DEPTH = 64
"""Coordinates are padded to a multiple of this."""

Winners: TypeAlias = tuple[torch.Tensor, torch.Tensor, torch.Tensor]
Pair: TypeAlias = tuple[torch.Tensor, torch.Tensor]
Places: TypeAlias = tuple[torch.Tensor, torch.Tensor]
HalfPass: TypeAlias = Callable[[torch.Tensor, torch.Tensor, Pair, Pair], Winners]


@dataclass(frozen=True, slots=True, eq=False)
class TorchTopTwo:
    """Multiply with torch: half precision first, full float32 where it matters.

    Args:
        table: Rows of homogeneous coordinates.
        device: Name of a torch device; by default CUDA if there is one.
    """

    table: Rows32
    device: str = ""
    _rows: torch.Tensor = field(init=False, repr=False)
    _lengths: tuple[torch.Tensor, torch.Tensor] = field(init=False, repr=False)
    _halves: tuple[torch.Tensor, torch.Tensor] = field(init=False, repr=False)
    _half_pass: HalfPass = field(init=False, repr=False)

    def __post_init__(self) -> None:
        device = self.device or ("cuda" if torch.cuda.is_available() else "cpu")
        rows = torch.from_numpy(np.array(self.table)).to(device)
        object.__setattr__(self, "device", device)
        object.__setattr__(self, "_rows", rows)
        high, low = _split(rows[:, :-1])
        halves = _padded(high), _padded(torch.cat([high, low, high], dim=1))
        lengths = tuple(
            _length(rows, *_rounding(half, i)) for i, half in enumerate(halves)
        )
        object.__setattr__(self, "_halves", halves)
        object.__setattr__(self, "_lengths", lengths)
        object.__setattr__(self, "_half_pass", _half_pass(device))

    @property
    def batch(self) -> int:
        """Queries that keep the device busy."""
        return 1 << 16 if self.device.startswith("cuda") else 1 << 12

    def __call__(self, queries: Rows32) -> tuple[IdArray, Rows32, Rows32]:
        """Return the id of the largest product, its value, and the second value.

        Where half precision settles the winner, the second value is minus infinity:
        no other row comes near.
        """
        block = torch.from_numpy(np.require(queries, requirements=["C", "W"]))
        tensors = self.on_device(block.to(self.device))
        ids, best, second = (part.cpu().numpy() for part in tensors)
        return ids, best, second

    def on_device(self, block: torch.Tensor) -> Winners:
        """Return the same for queries that are on the device; nothing leaves it."""
        ids, best, left = self.settled(block)
        second = torch.full_like(best, -math.inf)
        if len(left):
            ids[left], best[left], second[left] = self._exactly(block[left])
        return ids, best, second

    def settled(self, block: torch.Tensor) -> Winners:
        """Return winners, lower bounds of their products, and the queries left open."""
        ids = torch.zeros(len(block), dtype=torch.int64, device=block.device)
        best = torch.zeros(len(block), device=block.device)
        left = torch.arange(len(block), device=block.device)
        for is_split in (False, True):
            some = block[left] if is_split else block
            winner, low, rival = self._in_half(some, is_split=is_split)
            ids[left], best[left] = winner, low
            left = left[~(low > rival)]
            if not len(left):
                break
        return ids, best, left

    def near_best(self, queries: torch.Tensor, bound: torch.Tensor) -> Places:
        """Return query and row of every product within `bound` of the largest one.

        All of it stays on the device.
        """
        with _full_precision():
            products = queries @ self._rows.T
        floor = (products.amax(dim=1).double() - bound).float()
        down = torch.nextafter(floor, torch.full_like(floor, -math.inf))
        row, column = torch.nonzero(products >= down[:, None], as_tuple=True)
        return row, column

    def contenders(self, queries: Rows32, bound: FloatArray) -> tuple[IdArray, IdArray]:
        """Return query and row of every product within `bound` of the largest one."""
        block = torch.from_numpy(np.array(queries)).to(self.device)
        with _full_precision():
            products = (block @ self._rows.T).double()
        floor = products.amax(dim=1) - torch.from_numpy(bound).to(self.device)
        row, column = torch.nonzero(products >= floor[:, None], as_tuple=True)
        return row.cpu().numpy(), column.cpu().numpy()

    def _in_half(self, queries: torch.Tensor, *, is_split: bool) -> Winners:
        """Return winners, their lower bounds, and upper bounds of all other rows."""
        high, low = _split(queries[:, :-1])
        factors = torch.cat([high, high, low], dim=1) if is_split else high
        table = self._halves[is_split]
        factor, sums = _rounding(table, is_split)
        error = factor * _length(queries, factor, sums), self._lengths[is_split]
        last = queries[:, -1].contiguous(), self._rows[:, -1].contiguous()
        return self._half_pass(_padded(factors), table, last, error)

    def _exactly(self, queries: torch.Tensor) -> Winners:
        """Find the two largest products in full float32 precision."""
        size = len(self._rows)
        parts = []
        for block in torch.split(queries, max(1, BLOCK_BYTES // (4 * size))):
            with _full_precision():
                products = block @ self._rows.T
            first, place = products.max(dim=1, keepdim=True)
            rest = products.scatter_(1, place, -math.inf).amax(dim=1)
            parts.append((place[:, 0], first[:, 0], rest))
        ids, best, second = zip(*parts, strict=True)
        return torch.cat(ids), torch.cat(best), torch.cat(second)


@dataclass(frozen=True, slots=True, eq=False)
class DeviceNearest:
    """Form queries on the device, search there, and compare again what is unsure.

    The answers are those of `Nearest`: a query whose two largest products are closer
    than their error is settled by it in doubles.

    Args:
        vectors: The table, ``(rows, dim)``, finite.
        device: Name of a torch device.
    """

    vectors: FloatArray
    device: str
    _host: Nearest = field(init=False, repr=False)
    _top_two: TorchTopTwo = field(init=False, repr=False)
    _centre: torch.Tensor = field(init=False, repr=False)
    _rows: torch.Tensor = field(init=False, repr=False)

    def __post_init__(self) -> None:
        host = Nearest(self.vectors)
        object.__setattr__(self, "_host", host)
        object.__setattr__(self, "_top_two", TorchTopTwo(host.table, self.device))
        centre = torch.from_numpy(host.centre).to(self.device)
        object.__setattr__(self, "_centre", centre)
        rows = torch.from_numpy(np.array(self.vectors)).to(self.device)
        object.__setattr__(self, "_rows", rows)

    def __call__(self, points: torch.Tensor) -> IdArray:
        """Return the id of the closest row to each point; ties go to the lowest id."""
        queries = self._queries(points)
        ids, _, left = self._top_two.settled(queries.float())
        step = max(1, DEVICE_BLOCKS * BLOCK_BYTES // (4 * len(self._rows)))
        unsure = []
        for part in torch.split(left, step):
            ids[part], is_close = self._compared(points[part], queries[part])
            unsure.append(part[is_close])
        found: IdArray = ids.cpu().numpy()
        open_ones = torch.cat(unsure) if unsure else left
        if len(open_ones):
            some = points[open_ones].cpu().numpy()
            found[open_ones.cpu().numpy()] = self._host(some)
        return found

    def _compared(
        self, points: torch.Tensor, queries: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Compare in doubles every row whose float32 product may be the largest.

        Returns the closest ones, and where another row is as close up to rounding.
        """
        bound = 2 * self._host.error * torch.linalg.vector_norm(queries, dim=1)
        row, column = self._top_two.near_best(queries.float(), bound)
        square = (points[row] - self._rows[column]).square().sum(dim=1)
        least = torch.full_like(bound, math.inf).scatter_reduce(0, row, square, "amin")
        is_near = square <= least[row] * (1 + CLOSE)
        count = torch.zeros_like(bound).index_add_(0, row, is_near.double())
        winner = torch.zeros(len(points), dtype=torch.int64, device=points.device)
        winner[row[is_near]] = column[is_near]
        return winner, count > 1

    def _queries(self, points: torch.Tensor) -> torch.Tensor:
        """Return homogeneous coordinates, each row scaled to at most 1."""
        size = 2.0**self._host.exponent
        x = (points - self._centre) / size
        queries = torch.cat((x, torch.ones_like(x[:, :1])), dim=1)
        largest = queries.abs().amax(dim=1, keepdim=True)
        return queries / torch.exp2(torch.frexp(largest)[1].double())


def _half_pass(device: str) -> HalfPass:
    """Return the fused kernel on CUDA, and plain products elsewhere."""
    if device.startswith("cuda") and util.find_spec("triton") is not None:
        fused: HalfPass = import_module(
            "publius.embeddings.nearest_fused"
        ).best_and_rival
        return fused
    return plain_best_and_rival


def plain_best_and_rival(
    queries: torch.Tensor, table: torch.Tensor, last: Pair, error: Pair
) -> Winners:
    """Do what the fused kernel does with matrix products of float16 values."""
    ids, best, rival = [], [], []
    step = max(1, BLOCK_BYTES // (4 * len(table)))
    for start in range(0, max(len(queries), 1), step):
        part = slice(start, start + step)
        with _full_precision():
            products = queries[part].float() @ table.float().T
        products += last[0][part, None] * last[1][None, :]
        winner = products.argmax(dim=1, keepdim=True)
        high = products + error[0][part, None] * error[1][None, :]
        best.append((2 * products - high).gather(1, winner)[:, 0])
        rival.append(high.scatter(1, winner, -math.inf).amax(dim=1))
        ids.append(winner[:, 0])
    return torch.cat(ids), torch.cat(best), torch.cat(rival)


def merged(
    ids: torch.Tensor, tops: torch.Tensor, highs: torch.Tensor, rivals: torch.Tensor
) -> Winners:
    """Join what was found in parts of a table: the winner, its bound, the rivals'.

    Args:
        ids: Winner of each part and query.
        tops: Its product.
        highs: Upper bound of that product.
        rivals: Upper bound of all other products of the part.
    """
    winner = tops.argmax(dim=0, keepdim=True)
    low = (2 * tops - highs).gather(0, winner)[0]
    beaten = highs.scatter(0, winner, float("-inf")).amax(dim=0)
    rival = torch.maximum(rivals.amax(dim=0), beaten)
    return ids.gather(0, winner)[0].long(), low, rival


def _split(rows: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Return each number as the sum of two half-precision ones."""
    high = rows.half()
    return high, (rows - high.float()).half()


def _rounding(table: torch.Tensor, is_split: int) -> tuple[float, float]:
    """Return the relative errors of a product of halves and of its float32 sum."""
    sums = SUM * (table.shape[1] + 1)
    return (SPLIT if is_split else ROUNDED) + sums, sums


def _length(rows: torch.Tensor, factor: float, sums: float) -> torch.Tensor:
    """Return lengths such that ``factor`` times two of them bounds a product's error.

    The last coordinate is never rounded to half precision, so that only the error of
    sums applies to it; Cauchy and Schwarz put both into one length. The rest is room
    for coordinates that underflow and for rounding of the length itself.
    """
    exact = rows.double()
    exact[:, -1] *= math.sqrt(sums / factor)
    room = 2 * UNDERFLOW / factor * math.sqrt(rows.shape[1])
    length = torch.linalg.vector_norm(exact, dim=1) + room
    return (length * (1 + 2.0**-20)).float()


def _padded(rows: torch.Tensor) -> torch.Tensor:
    """Return rows with zero columns up to a multiple of ``DEPTH``."""
    missing = -rows.shape[1] % DEPTH
    return torch.nn.functional.pad(rows, (0, missing)).contiguous()


@contextmanager
def _full_precision() -> Iterator[None]:
    """Keep torch from rounding factors to fewer than 24 bits: the bound needs them."""
    before = torch.get_float32_matmul_precision()
    torch.set_float32_matmul_precision("highest")
    try:
        yield
    finally:
        torch.set_float32_matmul_precision(before)
