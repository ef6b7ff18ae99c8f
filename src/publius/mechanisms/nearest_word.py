"""Noise on word vectors, read back as the nearest word."""

from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import ArrayLike

from publius.core.arrays import UNKNOWN, FloatArray, IdArray, Rng, word_ids
from publius.core.brief import brief_mechanism
from publius.core.errors import DataError
from publius.core.guarantee import Guarantee, Landmarks, Scope
from publius.core.mechanism import Mechanism, Nearest
from publius.core.metric import Euclidean, Metric
from publius.core.space import PointSpace, neighbour_distance, neighbour_reach

CHUNK = 1 << 14
"""Tokens are perturbed this many at a time, so that memory stays bounded."""


@dataclass(frozen=True, slots=True, eq=False)
class NearestWord:
    """Perturb the vector of each word and release the word nearest to the result.

    The search sees only the noisy point, so it is post-processing. ⊥ has a vector of
    its own, the mean of the public table: its loss is that of its distance.

    Args:
        noise: Mechanism on vectors, private under `metric`.
        vectors: Public table, one row per word.
        index: Finds the nearest row.
        fingerprint: Of the embedding.
        metric: Distance in which the guarantee of the noise is written.
    """

    __repr__ = brief_mechanism

    noise: Mechanism[FloatArray, FloatArray]
    vectors: FloatArray
    index: Nearest
    fingerprint: str = ""
    metric: Metric = field(default_factory=Euclidean)
    _centre: FloatArray = field(init=False, repr=False)

    def __post_init__(self) -> None:
        if self.vectors.ndim != 2 or not len(self.vectors):
            raise DataError(f"vectors must be a matrix, got {self.vectors.shape}")
        object.__setattr__(self, "_centre", self.vectors.mean(axis=0, dtype=np.float64))

    @property
    def name(self) -> str:
        """Name of the noise."""
        return self.noise.name

    @property
    def size(self) -> int:
        """Number of words."""
        return len(self.vectors)

    def guarantee(self) -> Guarantee:
        """Return the guarantee of the noise, per word of this vocabulary."""
        space = PointSpace(self.vectors, self.metric, self.fingerprint)
        reach = self.metric.distance(self.vectors, self._centre[None, :])
        # Twice the radius about the centre bounds the diameter without all pairs.
        radius = float(reach.max())
        inner = self.noise.guarantee()
        marks = Landmarks(
            near=neighbour_distance(space, 10),
            diameter=2 * radius,
            unknown_loss=inner.at(radius).pure,
            near_most=neighbour_reach(space, 10),
        )
        said = Scope(
            covered=(
                "Which vocabulary word stood at a protected position.",
                "Whether that word was in the vocabulary at all.",
            )
        )
        return replace(
            inner, metric=space.id, landmarks=marks, scope=said.joined(inner.scope)
        )

    def perturb(self, x: ArrayLike, rng: Rng) -> IdArray:
        """Draw a replacement for each id."""
        ids = word_ids(x, self.size)
        flat, drawn = ids.ravel(), np.empty(ids.size, dtype=np.int64)
        for start in range(0, len(flat), CHUNK):
            part = flat[start : start + CHUNK]
            vectors = self.vectors[np.where(part == UNKNOWN, 0, part)].astype(
                np.float64
            )
            vectors[part == UNKNOWN] = self._centre
            drawn[start : start + CHUNK] = self.index.nearest(
                self.noise.perturb(vectors, rng)
            )
        return drawn.reshape(ids.shape)
