"""Screens and certificates of points by torch, on the GPU where there is one.

A screen only proposes, and the error bound of a certificate holds for sums in any
order: neither changes the law or makes its guarantee weaker.
"""

import math
import threading
from collections.abc import Iterator

import numpy as np
import torch

from publius.core.arrays import FloatArray, IdArray
from publius.core.metric import CANCELLED
from publius.core.space import PointSpace
from publius.mechanisms.certificate import Extreme
from publius.mechanisms.dense_certificate import Worst, larger
from publius.mechanisms.law import Decay
from publius.mechanisms.screen import CHUNK, Halves
from publius.numerics.chord import ROWS, Chords

BLOCK_BYTES = 1 << 30
"""Numbers held at a time on a GPU; a sixteenth of it elsewhere."""

PAIRS = 1 << 18
"""Near pairs are formed again this many at a time."""

_PRECISION = threading.Lock()
"""Torch keeps the precision of products in one place for all threads."""


class TorchScreen:
    """Bounds by float32 matrix products of torch.

    Args:
        space: The words.
        chords: How their distances follow from chords.
        decay: Weights of the outputs.
        device: Name of a torch device.
    """

    def __init__(
        self, space: PointSpace, chords: Chords, decay: Decay, device: str
    ) -> None:
        self._halves = halves = Halves(space, chords, decay)
        self._device = device
        padded = halves.chunks * CHUNK
        self._table = torch.zeros((padded, halves.dim), device=device)
        self._half = torch.zeros(padded, device=device)
        self._log_weights = torch.from_numpy(halves.log_weights).to(device)
        for start in range(0, halves.size, ROWS):
            rows, half = halves.of(slice(start, start + ROWS))
            self._table[start : start + len(rows)] = torch.from_numpy(rows)
            self._half[start : start + len(rows)] = torch.from_numpy(half)

    @property
    def batch(self) -> int:
        """Words whose products fit the memory that is used at a time."""
        return max(1, min(4096, _block_bytes(self._device) // (8 * len(self._table))))

    def sums(self, ids: IdArray) -> FloatArray:
        """Return a bound of the weight of every chunk around each id."""
        form = self._halves
        rows, own = form.of(ids)
        queries = torch.from_numpy(rows).to(self._device)
        half = self._half - _product(queries, self._table)
        half += torch.from_numpy(own).to(half)[:, None]
        half.clamp_(min=0).sqrt_().mul_(float(form.chord))
        if form.is_angle:
            half.mul_(0.5).clamp_(max=1).arcsin_().mul_(2)
        half.clamp_(max=float(form.cap)).mul_(float(form.slope))
        half += self._log_weights
        sums = half.exp_().view(len(ids), -1, CHUNK).sum(dim=2)
        return sums.double().cpu().numpy()


class TorchPasses:
    """Passes over all pairs in float64.

    Args:
        space: The words.
        chords: How their distances follow from chords.
        decay: Weights of the outputs.
        device: Name of a torch device.
    """

    def __init__(
        self, space: PointSpace, chords: Chords, decay: Decay, device: str
    ) -> None:
        self._chords, self._decay, self._device = chords, decay, device
        self._points = torch.from_numpy(chords.coordinates(space.points)).to(device)
        self._squares = (self._points * self._points).sum(dim=1)
        self._first = torch.from_numpy(space.first_copies).to(device)

    def log_totals(self) -> tuple[FloatArray, FloatArray]:
        """Return ln Z and the largest distance of every point."""
        weights = torch.from_numpy(self._decay.weights.astype(np.float64))
        weights = weights.to(self._device)
        totals, reach = [], []
        for rows in self._blocks():
            distance = self._distances(rows)
            reach.append(distance.amax(dim=1))
            totals.append(distance.mul_(-self._decay.beta).exp_() @ weights)
        log_total = torch.cat(totals).log()
        return log_total.cpu().numpy(), torch.cat(reach).cpu().numpy()

    def worst(self, log_total: FloatArray, rounding: float) -> Worst:
        """Return the largest losses over all pairs."""
        log_totals = torch.from_numpy(log_total).to(self._device)
        worst: Worst = Extreme(), Extreme(0.0), 0.0
        for rows in self._blocks():
            distance = self._distances(rows)
            gap = (log_totals[rows, None] - log_totals[None, :]).abs_().add_(rounding)
            # Equal points have equal rows bit for bit: their loss is 0.
            gap.masked_fill_(distance == 0, -math.inf)
            excess = gap / distance.where(distance > 0, 1.0)
            steepest, place = _largest(excess, rows.start)
            near = float(distance[place[0] - rows.start, place[1]])
            gap.add_(distance, alpha=self._decay.beta)
            farthest, far = _largest(gap, rows.start)
            part = Extreme(steepest, place), Extreme(farthest, far), near
            worst = larger(worst, part)
        return worst

    def _blocks(self) -> Iterator[slice]:
        size = len(self._points)
        step = max(1, _block_bytes(self._device) // (32 * size))
        for start in range(0, size, step):
            yield slice(start, min(start + step, size))

    def _distances(self, rows: slice) -> torch.Tensor:
        """Return float64 distances from a run of points to all."""
        points = self._points[rows]
        both = self._squares[rows, None] + self._squares[None, :]
        product = _product(points, self._points).mul_(2)
        chord = self._formed_again(both - product, both, points, 1.0)
        if not self._chords.is_angle:
            distance = chord.sqrt_()
        else:
            antichord = self._formed_again(both + product, both, points, -1.0)
            distance = torch.atan2(chord.sqrt_(), antichord.sqrt_()).mul_(2)
        same = self._first[rows, None] == self._first[None, :]
        return distance.clamp_(max=self._chords.cap).masked_fill_(same, 0.0)

    def _formed_again(
        self,
        square: torch.Tensor,
        both: torch.Tensor,
        points: torch.Tensor,
        sign: float,
    ) -> torch.Tensor:
        """Form near pairs again from differences, as `core.metric` does."""
        near = torch.nonzero(square <= CANCELLED * both)
        for part in torch.split(near, PAIRS):
            i, j = part[:, 0], part[:, 1]
            step = points[i] - sign * self._points[j]
            square[i, j] = (step * step).sum(dim=1)
        return square


def _largest(values: torch.Tensor, start: int) -> tuple[float, tuple[int, int]]:
    """Return the largest entry and its place; rows count from `start`."""
    place = int(values.argmax())
    row, column = divmod(place, values.shape[1])
    return float(values.view(-1)[place]), (start + row, column)


def _block_bytes(device: str) -> int:
    return BLOCK_BYTES if device.startswith("cuda") else BLOCK_BYTES >> 4


def _product(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """Multiply with all bits of the factors: the bounds need them."""
    with _PRECISION:
        before = torch.get_float32_matmul_precision()
        torch.set_float32_matmul_precision("highest")
        try:
            return a @ b.T
        finally:
            torch.set_float32_matmul_precision(before)
