"""Upper bounds of the weights around a word, summed over chunks of the vocabulary.

A screen says for each chunk of `CHUNK` consecutive words at least the true weight of
the chunk, up to the share `ROOM`. What is sampled from the bounds is corrected
afterwards, so that a screen decides the speed of a draw and never its law.
"""

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from publius.core.arrays import FloatArray, IdArray
from publius.core.space import PointSpace
from publius.mechanisms.law import Decay
from publius.numerics.chord import ROWS, Chords

CHUNK = 64
"""Words per chunk."""

ROOM = 2.0**-10
"""Share by which a sum of bounds may fall short of the true weights."""

BATCH = 128
"""Words per matrix product."""

WIDTH = 1024
"""Columns per matrix product: the products stay in the cache."""

GRID = 2.0**-24
"""Coordinates are multiples of it. Products of two of them are multiples of its square
and sums over vectors of length 1 stay below 2 ** 53 of those: float64 adds them up
exactly in any order, so that the bits of a row depend neither on the other words of a
batch nor on the library that multiplies."""

LEAST = 2.0**-100
"""Taken off squares, for what underflows in float32."""

STEEPEST = 1e30
"""Largest decay in float32; a smaller one is still an upper bound."""


class Screen(Protocol):
    """Bounds the weights around words."""

    @property
    def batch(self) -> int:
        """How many words it likes to get at a time."""
        ...

    def sums(self, ids: IdArray) -> FloatArray:
        """Return a bound of the weight of every chunk around each id."""
        ...


class Halves:
    """Coordinates for half squared distances in float32, from below.

    ``|x - v|^2 / 2 = |x|^2 / 2 + |v|^2 / 2 - x . v``. A float32 product of n terms errs
    by at most ``(n + 3) u |x| |v|``, and ``|x| |v|`` is at most the sum of the half
    squares. Moving every coordinate to the grid, by at most ``g``, moves the product by
    at most ``g (|x|_1 + |v|_1) + n g^2``. Taking both off the half squares leaves a
    lower bound. Everything is scaled by a power of two to length 1.
    """

    def __init__(self, space: PointSpace, chords: Chords, decay: Decay) -> None:
        self._points, self._chords = space.points, chords
        self.size, self.dim = space.points.shape
        exponent = int(np.frexp(chords.radius(space.points))[1])
        self._scale = 2.0**-exponent
        self._share = 1.01 * (self.dim + 16) * 2.0**-24
        self.chord = np.float32(np.sqrt(2.0) * 2.0**exponent)
        self.is_angle, self.cap = chords.is_angle, np.float32(chords.cap)
        self.slope = np.float32(-min(decay.beta, STEEPEST))
        # What fills up the last chunk weighs nothing.
        self.log_weights = np.full(self.chunks * CHUNK, -np.inf, dtype=np.float32)
        self.log_weights[: self.size] = np.log(decay.weights.astype(np.float64))

    @property
    def chunks(self) -> int:
        """Number of chunks."""
        return -(-self.size // CHUNK)

    def of(self, ids: IdArray | slice) -> tuple[NDArray[np.float32], FloatArray]:
        """Return coordinates and lowered half squares of some points."""
        rows = self._chords.coordinates(self._points[ids]) * self._scale
        half = np.einsum("ij,ij->i", rows, rows) / 2
        grid = np.rint(rows / GRID) * GRID
        return grid.astype(np.float32), self._lowered(half, rows)

    def _lowered(self, half: FloatArray, rows: FloatArray) -> FloatArray:
        """Take off half squares what products may err by."""
        moved = GRID / 2 * (np.abs(rows).sum(axis=1) + self.dim * GRID)
        return half * (1 - self._share) - moved - LEAST


class ProductScreen:
    """Bounds by matrix products, weighed in float32.

    Args:
        space: The words.
        chords: How their distances follow from chords.
        decay: Weights of the outputs.
    """

    batch = BATCH

    def __init__(self, space: PointSpace, chords: Chords, decay: Decay) -> None:
        self._halves = halves = Halves(space, chords, decay)
        tiles = -(-halves.size // WIDTH)
        self._table = np.zeros((tiles, halves.dim, WIDTH), dtype=np.float32)
        self._half = np.zeros((tiles, WIDTH))
        self._log_weights = np.full((tiles, WIDTH), -np.inf, dtype=np.float32)
        self._log_weights.reshape(-1)[: len(halves.log_weights)] = halves.log_weights
        for start in range(0, halves.size, ROWS):
            rows, half = halves.of(slice(start, start + ROWS))
            for place in range(0, len(rows), WIDTH):
                tile, part = (start + place) // WIDTH, slice(place, place + WIDTH)
                count = len(half[part])
                self._table[tile, :, :count] = rows[part].T
                self._half[tile, :count] = half[part]

    def sums(self, ids: IdArray) -> FloatArray:
        """Return a bound of the weight of every chunk around each id."""
        rows, half = self._halves.of(ids)
        queries, own = rows.astype(np.float64), half[:, None]
        tiles, per_tile = len(self._table), WIDTH // CHUNK
        sums = np.empty((len(ids), tiles * per_tile), dtype=np.float32)
        for tile in range(tiles):
            products = queries @ self._table[tile].astype(np.float64)
            np.subtract(self._half[tile], products, out=products)
            products += own
            weights = products.astype(np.float32)
            self._weigh(weights, tile)
            here = slice(tile * per_tile, (tile + 1) * per_tile)
            chunks = weights.reshape(len(ids), per_tile, CHUNK)
            np.einsum("ijk->ij", chunks, out=sums[:, here])
        return sums[:, : self._halves.chunks].astype(np.float64)

    def _weigh(self, half: NDArray[np.float32], tile: int) -> None:
        """Turn half squared distances into weights, in place."""
        form = self._halves
        np.maximum(half, np.float32(0), out=half)
        np.sqrt(half, out=half)
        half *= form.chord
        if form.is_angle:
            half *= np.float32(0.5)
            np.minimum(half, np.float32(1), out=half)
            np.arcsin(half, out=half)
            half *= np.float32(2)
        if np.isfinite(form.cap):
            np.minimum(half, form.cap, out=half)
        half *= form.slope
        half += self._log_weights[tile]
        np.exp(half, out=half)


class RowScreen:
    """Bounds from float64 distances: slower, and close whatever the coordinates are.

    Args:
        space: The words.
        error: Bound on the error of a distance.
        decay: Weights of the outputs.
    """

    batch = 16

    def __init__(self, space: PointSpace, error: float, decay: Decay) -> None:
        self._space, self._error, self._decay = space, error, decay

    def sums(self, ids: IdArray) -> FloatArray:
        """Return a bound of the weight of every chunk around each id."""
        rows = self._space.rows(ids)
        rows -= self._error
        np.maximum(rows, 0.0, out=rows)
        rows *= -self._decay.beta
        np.exp(rows, out=rows)
        rows *= self._decay.weights
        return np.add.reduceat(rows, np.arange(0, rows.shape[1], CHUNK), axis=1)
