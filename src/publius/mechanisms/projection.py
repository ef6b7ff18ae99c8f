"""Laplace noise after a public projection to fewer dimensions.

Feyisetan and Kasiviswanathan (2021) project word vectors with a random Gaussian matrix
and argue that it keeps distances with high probability. Here the projection is public
and fixed before any text is read, so nothing is left to chance: the loss of a pair is
``epsilon`` times its *projected* distance, and a projection with orthonormal rows never
lengthens a vector, so it is at most ``epsilon`` times the Euclidean distance too.
"""

from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from publius.core.arrays import FloatArray, Rng, at_least, points, positive
from publius.core.errors import DataError, ParameterError
from publius.core.guarantee import Guarantee, Linear
from publius.core.metric import Euclidean
from publius.core.rng import seeded
from publius.mechanisms import grid
from publius.mechanisms.laplace import Laplace
from publius.mechanisms.wording import bound

ROUNDING = 1e-9
"""Relative error allowed for in the largest singular value."""

FARTHEST = 2.0**24
"""Largest length of a vector times epsilon, so that products keep their digits."""

PUBLIC_SEED = 0
"""The projection is the same on every machine and hides nothing."""


@dataclass(frozen=True, slots=True, eq=False)
class Projection:
    """A public linear map to fewer dimensions.

    Args:
        matrix: ``(target, dim)``; points are multiplied by its transpose.
    """

    matrix: FloatArray
    stretch: float = field(init=False)

    def __post_init__(self) -> None:
        matrix = np.asarray(self.matrix, dtype=np.float64)
        if matrix.ndim != 2 or not matrix.size or matrix.shape[0] > matrix.shape[1]:
            raise DataError(
                f"a projection has at most as many rows as columns, got {matrix.shape}"
            )
        if not (np.isfinite(matrix).all() and (matrix != 0).any()):
            raise DataError("a projection must be finite and not zero")
        largest = float(np.linalg.norm(matrix, 2))
        object.__setattr__(self, "matrix", matrix)
        object.__setattr__(self, "stretch", largest * (1 + ROUNDING))

    @classmethod
    def random(cls, dim: int, target: int) -> "Projection":
        """Return a projection to a random subspace, drawn from a public seed."""
        at_least("dim", dim, 1)
        if not 1 <= at_least("target", target, 1) <= dim:
            raise ParameterError(f"target must lie in [1, {dim}], got {target}")
        gauss = seeded(PUBLIC_SEED).standard_normal((dim, target))
        axes, triangle = np.linalg.qr(gauss)
        # With a positive diagonal the decomposition is unique and the subspace's basis
        # uniform; without it the signs depend on the library.
        signs = np.where(np.diagonal(triangle) < 0, -1.0, 1.0)
        return cls((axes * signs).T)

    @property
    def dim(self) -> int:
        """Dimension of the points."""
        return int(self.matrix.shape[1])

    @property
    def target(self) -> int:
        """Dimension after projection."""
        return int(self.matrix.shape[0])

    def __call__(self, rows: FloatArray) -> FloatArray:
        """Project each row."""
        return np.asarray(rows, dtype=np.float64) @ self.matrix.T


@dataclass(frozen=True, slots=True, eq=False)
class ProjectedMetric:
    """The Euclidean distance after a projection; words may be at distance 0."""

    projection: Projection

    @property
    def id(self) -> str:
        """Name with the dimension that is left."""
        return f"projected:dim={self.projection.target}"

    def distance(self, a: FloatArray, b: FloatArray) -> FloatArray:
        """Return row-wise distances."""
        return Euclidean().distance(self.projection(a), self.projection(b))

    def pairwise(self, a: FloatArray, b: FloatArray) -> FloatArray:
        """Return all distances."""
        return Euclidean().pairwise(self.projection(a), self.projection(b))


@dataclass(frozen=True, slots=True, eq=False)
class ProjectedLaplace:
    """Project each point, then add Laplace noise in the smaller space.

    The released rows have ``projection.target`` coordinates. The noise has expected
    length ``target / epsilon`` instead of ``dim / epsilon``, while distances shrink by
    about ``sqrt(target / dim)`` only.

    Guarantee:
        Pure, linear: ``epsilon`` per unit of projected distance, hence ``epsilon``
        times the largest singular value of the projection per unit of Euclidean
        distance, and `offset` for the rounding of the numbers released; see
        docs/mechanisms/projection.md.

    Args:
        epsilon: Privacy parameter per unit of projected distance; finite, > 0.
        projection: Public, fixed before any text is read.
        is_euclidean: Write the guarantee in the Euclidean distance of the points.
    """

    name: ClassVar[str] = "projection.v2"

    epsilon: float
    projection: Projection
    is_euclidean: bool = False

    def __post_init__(self) -> None:
        grid.spacing(1 / positive("epsilon", self.epsilon))

    @classmethod
    def for_euclidean(
        cls, epsilon: float, projection: Projection
    ) -> "ProjectedLaplace":
        """Return the mechanism that loses `epsilon` per unit of Euclidean distance."""
        positive("epsilon", epsilon)
        return cls(epsilon / projection.stretch, projection, is_euclidean=True)

    @property
    def noise(self) -> Laplace:
        """What is added to a projected vector."""
        return Laplace(self.epsilon, self.projection.target)

    @property
    def offset(self) -> float:
        """Loss that the rounding of products and of released numbers can add."""
        matrix = self.projection.matrix
        error = matrix.shape[1] * 2.0**-53 * float(np.linalg.norm(matrix)) * FARTHEST
        return self.noise.offset + 2 * error

    def guarantee(self) -> Guarantee:
        """Return the guarantee for one vector."""
        most = self.epsilon * self.projection.stretch
        both = (
            f"The loss is at most {bound(self.epsilon)} per unit of distance after the "
            f"public projection to {self.projection.target} of {self.projection.dim} "
            f"dimensions, hence at most {bound(most)} per unit of Euclidean distance."
        )
        projected = ProjectedMetric(self.projection).id
        metric = Euclidean.id if self.is_euclidean else projected
        epsilon = most if self.is_euclidean else self.epsilon
        term = Linear(epsilon, offset=self.offset)
        return grid.position(metric, term, self.noise.spacing, both)

    def perturb(self, x: ArrayLike, rng: Rng) -> FloatArray:
        """Draw one noisy projected point per row."""
        rows = points(x, self.projection.dim)
        near = np.linalg.norm(rows, axis=1) * self.epsilon <= FARTHEST
        if not near.all():
            raise DataError(
                f"row {int(np.argmin(near))} is longer than {FARTHEST:.3g} / epsilon; "
                "move the origin, or use a smaller epsilon"
            )
        return self.noise.perturb(self.projection(rows), rng)

    def log_prob(self, z: ArrayLike, x: ArrayLike) -> FloatArray:
        """Return the log-density of each projected `z` given its `x`."""
        centre = self.projection(points(x, self.projection.dim))
        return self.noise.log_prob(z, centre)
