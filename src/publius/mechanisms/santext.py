"""SanText (Yue et al. 2021), with the guarantee that it really has."""

from dataclasses import dataclass

from numpy.typing import ArrayLike

from publius.core.arrays import FloatArray, IdArray, Rng, positive
from publius.core.brief import brief_mechanism
from publius.core.errors import ParameterError
from publius.core.guarantee import Guarantee, Scope
from publius.core.space import Balls, Space
from publius.mechanisms.certificate import Certificate
from publius.mechanisms.exponential import Exponential
from publius.mechanisms.law import Decay
from publius.mechanisms.wording import bound


@dataclass(frozen=True, slots=True, eq=False)
class SanText:
    """Replace a word with probability proportional to ``exp(-epsilon / 2 * d(x, z))``.

    This is the exponential mechanism with decay ``epsilon / 2`` and equal weights. The
    textbook guarantees `epsilon`; the certificate says what is lost at most.

    Guarantee:
        Pure, linear: the certified ε per unit of the metric, between ``epsilon / 2``
        and `epsilon`; see docs/mechanisms/santext.md.

    Args:
        epsilon: The published parameter, per unit of the metric.
        law: The exponential mechanism at half of it.
    """

    __repr__ = brief_mechanism

    epsilon: float
    law: Exponential

    def __post_init__(self) -> None:
        positive("epsilon", self.epsilon)
        weights = self.law.decay.weights
        if self.law.decay.beta != self.epsilon / 2 or (weights != weights[0]).any():
            raise ParameterError("SanText has decay epsilon / 2 and equal weights")

    @classmethod
    def of(cls, space: Space, epsilon: float, *, device: str = "") -> "SanText":
        """Return the mechanism on a space, certified."""
        beta = positive("epsilon", epsilon) / 2
        return cls(epsilon, Exponential.with_beta(space, beta, device=device))

    @classmethod
    def certified(
        cls, space: Space, certificate: Certificate, balls: Balls | None = None
    ) -> "SanText":
        """Return the mechanism whose certificate is known."""
        decay = Decay.plain(certificate.beta, space.size)
        return cls(2 * certificate.beta, Exponential(space, decay, certificate, balls))

    @staticmethod
    def named(space: Space) -> str:
        """Return the name of the law on a space."""
        return Exponential.named(space).replace("exponential", "santext")

    @property
    def name(self) -> str:
        """Name of the law on this space."""
        return self.named(self.law.space)

    @property
    def size(self) -> int:
        """Number of words."""
        return self.law.size

    @property
    def certificate(self) -> Certificate:
        """The exact loss over all pairs."""
        return self.law.certificate

    def guarantee(self) -> Guarantee:
        """Return the certified guarantee for one word."""
        certificate = self.certificate
        said = (
            f"SanText's parameter is {bound(self.epsilon)}; its textbook bound is "
            f"{bound(self.epsilon)} per unit of the metric, its certified one "
            f"{bound(certificate.epsilon)}."
        )
        return self.law.guarantee().covering(Scope(assumptions=(said,)))

    def spot_check(self, ids: IdArray) -> None:
        """Raise RefutedError unless the law of these words is the certified one."""
        self.law.spot_check(ids)

    def channel(self, x: ArrayLike) -> FloatArray:
        """Return log P(z | x) for every word z, one row per id."""
        return self.law.channel(x)

    def perturb(self, x: ArrayLike, rng: Rng) -> IdArray:
        """Draw a replacement for each id."""
        return self.law.perturb(x, rng)
