"""The exponential mechanism on a finite vocabulary, certified."""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike, NDArray

from publius.core.arrays import FloatArray, IdArray, Rng, word_ids
from publius.core.brief import brief_mechanism
from publius.core.errors import ParameterError
from publius.core.guarantee import Guarantee, Landmarks, Linear, Scope, Unit
from publius.core.space import Balls, Layered, Space, neighbour_reach
from publius.mechanisms.balance import Calibrator, Progress, calibrate
from publius.mechanisms.ball_law import BallLaw
from publius.mechanisms.ball_rows import Rows
from publius.mechanisms.certificate import Certificate
from publius.mechanisms.law import Decay, Law
from publius.mechanisms.point_law import dense_law
from publius.mechanisms.spot_check import Claim, check_balls
from publius.numerics.chord import chords
from publius.numerics.inverse import pull_rows, scan_likeliest


@dataclass(frozen=True, slots=True, eq=False)
class Exponential:
    """Replace a word by one drawn with weight ``w(z) * exp(-beta * d(x, z))``.

    Guarantee:
        Pure, linear: the certified ``epsilon`` per unit of the space's metric, computed
        on the numbers that are sampled; see docs/mechanisms/exponential.md.

    Args:
        space: The vocabulary's distances.
        decay: ``beta`` and the public weights.
        certificate: Of exactly this decay on this space.
        balls: Prepared balls of a layered space, for speed only.
        device: Torch device for points, for speed only; NumPy if empty.
        rows: Running sums over these balls, for speed only.
    """

    __repr__ = brief_mechanism

    space: Space
    decay: Decay
    certificate: Certificate
    balls: Balls | None = None
    device: str = ""
    rows: Rows | None = None
    _law: Law = field(init=False, repr=False)

    def __post_init__(self) -> None:
        if self.certificate.beta != self.decay.beta:
            raise ParameterError("the certificate is of another decay")
        object.__setattr__(self, "_law", self._make_law())

    def _make_law(self) -> Law:
        if isinstance(self.space, Layered):
            largest = self.certificate.largest_total
            return BallLaw(self.space, self.decay, largest, self.balls, self.rows)
        return dense_law(self.space, self.decay, self.device)

    @staticmethod
    def named(space: Space) -> str:
        """Return the name of the law on a space.

        Version 1 draws whole tickets, version 2 from the exact weights of points.
        """
        return f"exponential.v{1 if chords(space) is None else 2}"

    @property
    def name(self) -> str:
        """Name of the law on this space."""
        return self.named(self.space)

    @classmethod
    def calibrated(
        cls,
        space: Space,
        epsilon: float,
        *,
        balanced: bool = True,
        progress: Progress = lambda _: None,
        device: str = "",
    ) -> "Exponential":
        """Return the mechanism whose certificate just meets `epsilon`."""
        calibrator = Calibrator.of(space, device=device)
        decay, certificate = calibrate(
            calibrator, epsilon, balanced=balanced, progress=progress
        )
        return cls(space, decay, certificate, calibrator.balls, device)

    @classmethod
    def with_beta(
        cls,
        space: Space,
        beta: float,
        weights: NDArray[np.uint32] | None = None,
        *,
        device: str = "",
    ) -> "Exponential":
        """Return the mechanism of a given decay, certified as it is."""
        decay = (
            Decay.plain(beta, space.size) if weights is None else Decay(beta, weights)
        )
        calibrator = Calibrator.of(space, device=device)
        return cls(space, decay, calibrator.certify(decay), calibrator.balls, device)

    @property
    def size(self) -> int:
        """Number of words."""
        return self.space.size

    def guarantee(self) -> Guarantee:
        """Return the certified guarantee for one word."""
        certificate = self.certificate
        return Guarantee(
            metric=self.space.id,
            unit=Unit.TOKEN,
            terms=(Linear(certificate.epsilon, certificate.worst_loss),),
            scope=Scope(
                covered=(
                    "Which vocabulary word stood at a protected position.",
                    "Whether that word was in the vocabulary at all.",
                ),
                assumptions=(
                    "Exact law: the certificate speaks of the numbers of the computer "
                    "that are sampled, not of real numbers.",
                ),
            ),
            landmarks=Landmarks(
                certificate.near,
                certificate.diameter,
                certificate.unknown_loss,
                neighbour_reach(self.space, 10),
            ),
        )

    def spot_check(self, ids: IdArray) -> None:
        """Raise RefutedError unless the law of these words is the certified one."""
        Claim(self.space, self._law.log_prob, self.certificate).check(ids)
        if self.balls is not None and isinstance(self.space, Layered):
            check_balls(self.balls, self.space.balls(ids), ids)
        if self.rows is not None:
            self.rows.spot_check(ids)

    def channel(self, x: ArrayLike) -> FloatArray:
        """Return log P(z | x) for every word z, one row per id."""
        return self._law.log_prob(word_ids(x, self.size))

    def pull(self, values: FloatArray) -> FloatArray:
        """Return the sum over x of ``P(z | x) * values[x]`` for every output z."""
        if isinstance(self._law, BallLaw):
            return self._law.pull(values)
        return pull_rows(self.channel, values)

    def likeliest(
        self, z: IdArray, log_prior: FloatArray, most: int
    ) -> tuple[IdArray, FloatArray]:
        """Return the inputs with the largest prior times probability of each output."""
        if isinstance(self._law, BallLaw):
            return self._law.likeliest(z, log_prior, most)
        return scan_likeliest(self.channel, z, log_prior, most)

    def perturb(self, x: ArrayLike, rng: Rng) -> IdArray:
        """Draw a replacement for each id; UNKNOWN draws from the same law for all."""
        ids = word_ids(x, self.size)
        if ids.size == 0:
            return ids.copy()
        return self._law.draw(ids.ravel(), rng).reshape(ids.shape)
