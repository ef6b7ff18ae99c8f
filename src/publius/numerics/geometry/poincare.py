"""The Poincaré ball: points of hyperbolic space as vectors shorter than 1.

Curvature is -1. The ball is the form in which embeddings are published and trained, but
doubles saturate in it: beyond a distance of about 37 from the origin a point rounds to
the boundary. Points further away are kept as tangent vectors at the origin, ``log0``,
whose length is the radius; see `publius.numerics.geometry.lorentz`.
"""

import numpy as np
from numpy.typing import ArrayLike

from publius.core.arrays import FloatArray
from publius.core.errors import DataError


def inside(x: ArrayLike, dim: int | None = None) -> FloatArray:
    """Return `x` as points of the ball, or raise and name the first that is not.

    Args:
        x: Rows of coordinates.
        dim: Length that the rows must have, if it matters.
    """
    rows = np.asarray(x, dtype=np.float64)
    if rows.ndim != 2 or rows.shape[1] < 1 or (dim and rows.shape[1] != dim):
        raise DataError(f"x must have shape (rows, {dim or 'n'}), got {rows.shape}")
    # Written for the good case, so that NaN fails.
    good = room(rows) > 0
    if not good.all():
        raise DataError(
            "points of the Poincaré ball must be shorter than 1; "
            f"row {int(np.argmin(good))} is not"
        )
    return rows


def room(x: FloatArray) -> FloatArray:
    """Return ``1 - |x|^2`` of each row, the part of the ball that is left outside."""
    return np.asarray(1.0 - np.einsum("...i,...i->...", x, x))


def distance(a: ArrayLike, b: ArrayLike) -> FloatArray:
    """Return the hyperbolic distance of each row of `a` to the same row of `b`."""
    u, v = inside(a), inside(b)
    apart = np.linalg.norm(u - v, axis=-1)
    return np.asarray(2 * np.arcsinh(apart / np.sqrt(room(u) * room(v))))


def mobius_add(a: ArrayLike, b: ArrayLike) -> FloatArray:
    """Return ``a ⊕ b`` of each row: `b` moved by the isometry that takes 0 to `a`."""
    u, v = inside(a), inside(b)
    along = (u * v).sum(axis=-1, keepdims=True)
    squares = (u * u).sum(axis=-1, keepdims=True), (v * v).sum(axis=-1, keepdims=True)
    top = (1 + 2 * along + squares[1]) * u + room(u)[:, None] * v
    return np.asarray(top / (1 + 2 * along + squares[0] * squares[1]))


def exp0(tangent: ArrayLike) -> FloatArray:
    """Return the point that each tangent vector at the origin leads to.

    The result is clamped to the largest double below 1, which is reached at 37.
    """
    rows = np.asarray(tangent, dtype=np.float64)
    radius = np.linalg.norm(rows, axis=-1, keepdims=True)
    scale = np.tanh(radius / 2) / np.where(radius > 0, radius, 1.0)
    return clamped(rows * np.where(radius > 0, scale, 0.5))


def log0(points: ArrayLike) -> FloatArray:
    """Return the tangent vector at the origin that leads to each point."""
    rows = inside(points)
    norm = np.linalg.norm(rows, axis=-1, keepdims=True)
    # 2 arctanh(s) = log((1 + s)^2 / (1 - s^2)); near 1 this form keeps its digits.
    far = np.log((1 + norm) ** 2 / room(rows)[:, None])
    radius = np.where(norm < 0.5, 2 * np.arctanh(np.minimum(norm, 0.5)), far)
    scale = radius / np.where(norm > 0, norm, 1.0)
    return np.asarray(rows * np.where(norm > 0, scale, 2.0))


def clamped(rows: FloatArray, limit: float = 1 - 2.0**-53) -> FloatArray:
    """Pull rows that rounding put on or over the boundary back inside.

    A function of the row alone: it changes nobody's guarantee.
    """
    out = np.asarray(rows, dtype=np.float64)
    for _ in range(3):
        # Squares round too: one step inwards may not be enough.
        over = ~(room(out) > 0)
        if not over.any():
            break
        length = np.linalg.norm(out, axis=-1, keepdims=True)
        shorter = out * (limit / np.where(over[..., None], length, 1.0))
        out = np.where(over[..., None], shorter, out)
        limit -= 2.0**-52
    return out
