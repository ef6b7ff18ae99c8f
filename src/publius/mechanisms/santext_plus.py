"""SanText+ (Yue et al. 2021): sensitive words always, other words now and then."""

import math
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from publius.core.arrays import (
    UNKNOWN,
    BoolArray,
    FloatArray,
    IdArray,
    Rng,
    positive,
    word_ids,
)
from publius.core.brief import brief_mechanism
from publius.core.errors import DataError, ParameterError
from publius.core.guarantee import Flat, Guarantee, Landmarks, Linear, Scope, Unit
from publius.core.space import Space, fingerprint
from publius.mechanisms.certificate import Certificate
from publius.mechanisms.law import Decay
from publius.mechanisms.row_law import TICKETS, RowLaw, TicketSampler, deal
from publius.mechanisms.spot_check import Claim
from publius.mechanisms.wording import bound


@dataclass(frozen=True, slots=True, eq=False)
class SubSpace:
    """Some of the points of a space, with the distances that they have there."""

    whole: Space
    ids: IdArray

    @property
    def id(self) -> str:
        """Name of the whole space and a fingerprint of which points are left."""
        return f"{self.whole.id}:subset={fingerprint(self.ids)}"

    @property
    def size(self) -> int:
        """Number of points."""
        return len(self.ids)

    def rows(self, ids: IdArray) -> FloatArray:
        """Return float64 distances from each id to every point."""
        return self.whole.rows(self.ids[ids])[:, self.ids]


@dataclass(frozen=True, slots=True, eq=False)
class SanTextPlus:
    """Replace sensitive words by sensitive words, and other words with probability p.

    A word that is not sensitive is released as it is with probability ``1 - replaced``.

    Guarantee:
        None in general: a released word that is not sensitive was certainly written.
        Between two *sensitive* words the loss is the certified ε per unit of the
        metric; see docs/mechanisms/santext_plus.md.

    Args:
        space: The vocabulary's distances.
        epsilon: The published parameter; the decay is half of it.
        is_sensitive: One public flag per word.
        replaced: Probability p that a word that is not sensitive is replaced.
        certificate: Of the law among the sensitive words.
    """

    __repr__ = brief_mechanism

    name: ClassVar[str] = "santext-plus.v1"

    space: Space
    epsilon: float
    is_sensitive: BoolArray
    replaced: float
    certificate: Certificate
    _outputs: IdArray = field(init=False, repr=False)
    _sampler: TicketSampler = field(init=False, repr=False)

    def __post_init__(self) -> None:
        positive("epsilon", self.epsilon)
        if not 0 <= self.replaced <= 1:
            raise ParameterError(f"replaced must lie in [0, 1], got {self.replaced}")
        flags = np.asarray(self.is_sensitive, dtype=bool)
        if flags.shape != (self.space.size,) or not flags.any():
            raise DataError("is_sensitive needs one flag per word, at least one true")
        object.__setattr__(self, "_outputs", np.flatnonzero(flags).astype(np.int64))
        sampler = TicketSampler(len(self._outputs), self._tickets)
        object.__setattr__(self, "_sampler", sampler)

    @classmethod
    def of(
        cls, space: Space, epsilon: float, is_sensitive: BoolArray, replaced: float
    ) -> "SanTextPlus":
        """Return the mechanism, certified among its sensitive words."""
        ids = np.flatnonzero(is_sensitive).astype(np.int64)
        if not len(ids):
            raise DataError("SanText+ needs at least one sensitive word")
        decay = Decay.plain(positive("epsilon", epsilon) / 2, len(ids))
        certificate = RowLaw(SubSpace(space, ids), decay).certify()
        return cls(space, epsilon, is_sensitive, replaced, certificate)

    @property
    def size(self) -> int:
        """Number of words."""
        return self.space.size

    def sensitive_guarantee(self) -> Guarantee:
        """Return the guarantee between two sensitive words."""
        certificate = self.certificate
        return Guarantee(
            metric=SubSpace(self.space, self._outputs).id,
            unit=Unit.TOKEN,
            terms=(Linear(certificate.epsilon, certificate.worst_loss),),
            scope=Scope(covered=("Which sensitive word stood at a position.",)),
            landmarks=Landmarks(
                certificate.near, certificate.diameter, certificate.unknown_loss
            ),
        )

    def guarantee(self) -> Guarantee:
        """Return the guarantee for any word: none, and for whom there is one."""
        certificate, count = self.certificate, len(self._outputs)
        return Guarantee(
            metric=self.space.id,
            unit=Unit.TOKEN,
            terms=(Flat(math.inf),),
            scope=Scope(
                covered=(
                    f"Which of the {count:,} sensitive words stood at a position, and "
                    "among them only: the loss between two of them is at most "
                    f"{bound(certificate.epsilon)} per unit of the metric and at most "
                    f"{bound(certificate.worst_loss)}.",
                    "Which unknown word stood at a position.",
                    "That a word was unknown rather than sensitive, up to a loss of "
                    f"{bound(certificate.unknown_loss)}.",
                ),
                uncovered=(
                    f"The {self.size - count:,} words that are not sensitive: each is "
                    f"drawn as itself with probability {bound(1 - self.replaced)}, "
                    "and no other word is ever drawn as it.",
                    "Whether a word was sensitive, or unknown rather than one that is "
                    "not sensitive.",
                ),
                assumptions=("Exact integer law for every replaced word.",),
            ),
            # An open word may be released as itself, which ⊥ never is.
            landmarks=Landmarks(certificate.near, math.inf, math.inf),
        )

    def spot_check(self, ids: IdArray) -> None:
        """Raise RefutedError unless the law of sensitive words is the certified one."""
        outputs = self._outputs

        def rows(places: IdArray) -> FloatArray:
            asked = np.where(places == UNKNOWN, UNKNOWN, outputs[places])
            return np.log(self._tickets(asked).astype(np.float64)) - np.log(TICKETS)

        some = np.unique(ids % len(outputs))
        Claim(SubSpace(self.space, outputs), rows, self.certificate).check(some)

    def channel(self, x: ArrayLike) -> FloatArray:
        """Return log P(z | x) for every word z; -inf where it cannot occur."""
        ids = word_ids(x, self.size)
        share = self._tickets(ids).astype(np.float64) / TICKETS
        prob = np.zeros((len(ids), self.size))
        prob[:, self._outputs] = share
        open_ = np.flatnonzero(self._is_open(ids))
        tickets = self._kept / TICKETS
        prob[open_] *= 1 - tickets
        prob[open_, ids[open_]] += tickets
        with np.errstate(divide="ignore"):
            return np.log(prob)

    def perturb(self, x: ArrayLike, rng: Rng) -> IdArray:
        """Draw for each id; sensitive and unknown words are always replaced."""
        ids = word_ids(x, self.size)
        flat = ids.ravel()
        drawn = self._outputs[self._sampler.draw(flat, rng)]
        coin = rng.integers(0, TICKETS, size=len(flat), dtype=np.uint64)
        kept = self._is_open(flat) & (coin < np.uint64(self._kept))
        return np.where(kept, flat, drawn).reshape(ids.shape)

    @property
    def _kept(self) -> int:
        """Tickets, of all, with which an open word stays."""
        return TICKETS - round(self.replaced * TICKETS)

    def _is_open(self, ids: IdArray) -> BoolArray:
        known = ids != UNKNOWN
        return known & ~np.asarray(self.is_sensitive)[np.where(known, ids, 0)]

    def _tickets(self, ids: IdArray) -> NDArray[np.uint64]:
        known = np.where(ids == UNKNOWN, 0, ids)
        scores = self.space.rows(known)[:, self._outputs] * (-self.epsilon / 2)
        scores[ids == UNKNOWN] = 0.0
        return deal(scores)
