"""Elliptical Laplace noise (Xu, Aggarwal, Feyisetan, Teissier 2020)."""

import math
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from publius.core.arrays import FloatArray, Rng, points, positive
from publius.core.errors import DataError, ParameterError
from publius.core.guarantee import Guarantee, Linear
from publius.core.metric import Euclidean
from publius.mechanisms import grid
from publius.mechanisms.laplace import Laplace
from publius.mechanisms.wording import bound

NORMS = ("mahalanobis", "euclidean")


@dataclass(frozen=True, slots=True, eq=False)
class Ellipse:
    """The shape of the noise: the square root of a covariance and its inverse.

    Args:
        root: Symmetric, positive definite matrix; noise is multiplied by it.
        mix: Share λ of the covariance in it, for its name.
    """

    root: FloatArray
    mix: float
    inverse: FloatArray = field(init=False, repr=False)
    narrowest: float = field(init=False)
    widest: float = field(init=False)

    def __post_init__(self) -> None:
        root = np.asarray(self.root, dtype=np.float64)
        if root.ndim != 2 or root.shape[0] != root.shape[1] or not len(root):
            raise DataError(f"root must be a square matrix, got {root.shape}")
        if not (np.isfinite(root).all() and np.allclose(root, root.T, rtol=1e-9)):
            raise DataError("root must be finite and symmetric")
        widths = np.linalg.eigvalsh(root)
        if not widths[0] > 1e-9 * widths[-1]:
            raise DataError("root must be positive definite; use a smaller mix")
        object.__setattr__(self, "root", root)
        object.__setattr__(self, "inverse", np.linalg.inv(root))
        object.__setattr__(self, "narrowest", float(widths[0]))
        object.__setattr__(self, "widest", float(widths[-1]))

    @classmethod
    def of(cls, vectors: FloatArray, mix: float) -> "Ellipse":
        """Return the root of ``mix * Σ + (1 - mix) * I`` for a public table.

        Σ is the covariance of the rows scaled to mean variance 1.
        """
        if not 0 <= mix <= 1:
            raise ParameterError(f"mix must lie in [0, 1], got {mix}")
        rows = np.asarray(vectors, dtype=np.float64)
        dim = rows.shape[1]
        covariance = np.atleast_2d(np.cov(rows, rowvar=False, bias=True))
        variance = float(np.trace(covariance)) / dim
        if not variance > 0:
            raise DataError("vectors must not all be the same")
        shape = mix * covariance / variance + (1 - mix) * np.eye(dim)
        squares, axes = np.linalg.eigh(shape)
        root = (axes * np.sqrt(np.maximum(squares, 0.0))) @ axes.T
        return cls((root + root.T) / 2, mix)

    @property
    def dim(self) -> int:
        """Dimension of the space."""
        return len(self.root)


@dataclass(frozen=True, slots=True, eq=False)
class MahalanobisMetric:
    """``||Σ_λ^(-1/2) (a - b)||``: the Euclidean distance of whitened points."""

    ellipse: Ellipse

    @property
    def id(self) -> str:
        """Name with the share of the covariance."""
        return f"mahalanobis:mix={self.ellipse.mix:g}"

    def distance(self, a: FloatArray, b: FloatArray) -> FloatArray:
        """Return row-wise distances."""
        return Euclidean().distance(self._white(a), self._white(b))

    def pairwise(self, a: FloatArray, b: FloatArray) -> FloatArray:
        """Return all distances."""
        return Euclidean().pairwise(self._white(a), self._white(b))

    def _white(self, rows: FloatArray) -> FloatArray:
        return np.asarray(rows, dtype=np.float64) @ self.ellipse.inverse


@dataclass(frozen=True, slots=True, eq=False)
class Mahalanobis:
    """Add Laplace noise stretched along the directions in which words vary.

    The density is proportional to ``exp(-epsilon * ||Σ_λ^(-1/2) (z - x)||)``.

    Guarantee:
        Pure, linear: ``epsilon`` per unit of the Mahalanobis norm, and ``epsilon``
        divided by the smallest singular value of ``Σ_λ^(1/2)`` per unit of the
        Euclidean norm. Both are stated; `norm` says which one the guarantee is written
        in, with `offset` for the rounding of the numbers released. Proof: the triangle
        inequality on the exponent; see docs/mechanisms/mahalanobis.md.

    Args:
        epsilon: Privacy parameter per unit of the Mahalanobis norm; finite, > 0.
        ellipse: Shape of the noise, from public vectors only.
        norm: ``mahalanobis`` or ``euclidean``.
    """

    name: ClassVar[str] = "mahalanobis.v2"

    epsilon: float
    ellipse: Ellipse
    norm: str = "mahalanobis"

    def __post_init__(self) -> None:
        grid.spacing(self.ellipse.narrowest / positive("epsilon", self.epsilon))
        if self.norm not in NORMS:
            raise ParameterError(f"norm must be {' or '.join(NORMS)}, got {self.norm}")

    @classmethod
    def for_euclidean(cls, epsilon: float, ellipse: Ellipse) -> "Mahalanobis":
        """Return the mechanism that loses `epsilon` per unit of Euclidean distance."""
        positive("epsilon", epsilon)
        return cls(epsilon * ellipse.narrowest, ellipse, "euclidean")

    @property
    def euclidean_epsilon(self) -> float:
        """Loss per unit of the Euclidean norm, in the direction where it is largest."""
        return self.epsilon / self.ellipse.narrowest

    @property
    def spacing(self) -> float:
        """Step of the public grid."""
        return grid.spacing(self.ellipse.narrowest / self.epsilon)

    @property
    def offset(self) -> float:
        """Loss that the rounding of released numbers can add."""
        dim, root = self.ellipse.dim, self.ellipse.root
        length = grid.laplace_length(dim, 1 / (self.epsilon * self.spacing))
        # A product with a matrix errs by dim * 2^-53 of both lengths at most.
        product = dim * 2.0**-52 * float(np.linalg.norm(root)) * length
        drawn = grid.rounding_loss(self.ellipse.widest * length, dim)
        return drawn + grid.kernel_loss(product, dim)

    def guarantee(self) -> Guarantee:
        """Return the guarantee for one vector."""
        both = (
            f"The loss is at most {bound(self.epsilon)} per unit of the Mahalanobis "
            f"norm and at most {bound(self.euclidean_epsilon)} per unit of the "
            "Euclidean norm: two readings of one law, not two releases."
        )
        white = self.norm == "mahalanobis"
        metric = MahalanobisMetric(self.ellipse).id if white else Euclidean.id
        epsilon = self.epsilon if white else self.euclidean_epsilon
        term = Linear(epsilon, offset=self.offset)
        return grid.position(metric, term, self.spacing, both)

    def perturb(self, x: ArrayLike, rng: Rng) -> FloatArray:
        """Draw one noisy vector per row."""
        dim, step = self.ellipse.dim, self.spacing
        scale = 1 / (self.epsilon * step)

        def noise(count: int) -> FloatArray:
            return grid.laplace_steps(count, dim, scale, rng) @ self.ellipse.root

        return grid.on_grid(points(x, dim), noise, step, rng)

    def log_prob(self, z: ArrayLike, x: ArrayLike) -> FloatArray:
        """Return the log-density of each `z` given its `x`, before it is rounded."""
        dim = self.ellipse.dim
        step = (points(z, dim) - points(x, dim)) @ self.ellipse.inverse
        volume = float(np.linalg.slogdet(self.ellipse.root)[1])
        ball = Laplace(self.epsilon, dim)
        return ball.log_prob(step, np.zeros(step.shape)) - volume

    def mean_displacement(self) -> float:
        """Return a bound on the expected Euclidean displacement.

        The radius has mean ``dim / epsilon``; a uniform direction is stretched by the
        root mean square of the singular values at most (Jensen).
        """
        stretch = math.sqrt(float((self.ellipse.root**2).sum()) / self.ellipse.dim)
        return self.ellipse.dim / self.epsilon * stretch
