"""Different ε for different words, and what that costs where they meet."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from publius.core.arrays import UNKNOWN, FloatArray, IdArray, Rng, word_ids
from publius.core.brief import brief_mechanism
from publius.core.errors import DataError, GuaranteeMismatchError
from publius.core.guarantee import Flat, Guarantee, Landmarks, Scope, Unit
from publius.core.mechanism import Finite, SpotChecked
from publius.core.space import blocks
from publius.core.stating import add_up
from publius.mechanisms.spot_check import check_loss, check_total
from publius.mechanisms.wording import bound
from publius.numerics.parallel import map_blocks

STRICTEST = 0
"""The grade of unknown words."""

LOG_ERROR = 1e-9
"""Bound on the rounding of the log-probabilities that are compared."""


@dataclass(frozen=True, slots=True, eq=False)
class Graded:
    """Replace each word with the mechanism of its public grade.

    Guarantee:
        Heterogeneous. Between two words of one grade: the guarantee of that grade's
        mechanism. Between words of different grades: the computed `losses`, whatever
        the distance, since the grade itself shows in the output. The guarantee for any
        two words is the largest of all; see docs/mechanisms/graded.md.

    Args:
        parts: One mechanism per grade on the same vocabulary, the strictest first.
        grades: Public grade of each word.
        losses: ``losses[i, j]`` bounds the loss between a word of grade i and one of
            grade j; of the diagonal only whether it is finite is used.
    """

    __repr__ = brief_mechanism

    name: ClassVar[str] = "graded.v1"

    parts: tuple[Finite, ...]
    grades: IdArray
    losses: FloatArray
    _guarantees: tuple[Guarantee, ...] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        _checked_parts(self.parts, self.grades)
        shape = (len(self.parts), len(self.parts))
        if self.losses.shape != shape or not (self.losses >= 0).all():
            raise DataError(f"losses must be a matrix >= 0 of shape {shape}")
        guarantees = tuple(part.guarantee() for part in self.parts)
        if len({guarantee.metric for guarantee in guarantees}) != 1:
            raise GuaranteeMismatchError("all grades must be in the same metric")
        object.__setattr__(self, "_guarantees", guarantees)

    @classmethod
    def of(cls, parts: Sequence[Finite], grades: IdArray) -> "Graded":
        """Return the mechanism with its losses between grades computed."""
        whole = tuple(parts)
        return cls(whole, grades, losses_between(whole, grades))

    @property
    def size(self) -> int:
        """Number of words."""
        return self.parts[0].size

    def grade_guarantee(self, grade: int) -> Guarantee:
        """Return the guarantee between two words of a grade.

        It is also the guarantee for a token whose grade was chosen without looking at
        the word, by `perturb_tokens`.
        """
        return self._guarantees[grade]

    def guarantee(self) -> Guarantee:
        """Return the guarantee for any two words, and smaller ones inside grades."""
        counts = np.bincount(self.grades, minlength=len(self.parts))
        inside = tuple(
            f"Grade {grade + 1}, {counts[grade]:,} words: between two of its words the "
            f"loss is at most {bound(own.near_bound)} if one is among the ten "
            f"nearest of the other and at most {bound(own.worst_loss)} in any case."
            for grade, own in enumerate(self._guarantees)
        )
        across = float(_off_diagonal(self.losses).max(initial=0.0))
        worst = max(across, *(guarantee.worst_loss for guarantee in self._guarantees))
        first = self._guarantees[STRICTEST]
        unknown = max(first.landmarks.unknown_loss, self._unknown_across())
        return Guarantee(
            metric=first.metric,
            unit=Unit.TOKEN,
            terms=(Flat(worst),),
            scope=Scope(
                covered=(
                    "Which vocabulary word stood at a protected position.",
                    *inside,
                    "Between words of different grades the loss is at most "
                    f"{bound(across)} at any distance.",
                ),
                assumptions=first.scope.assumptions,
            ),
            landmarks=Landmarks(
                first.landmarks.near, first.landmarks.diameter, unknown
            ),
        )

    def spot_check(self, ids: IdArray) -> None:
        """Raise RefutedError unless each grade, and pairs of them, are as claimed."""
        for part in self.parts:
            if isinstance(part, SpotChecked):
                part.spot_check(ids[: max(1, len(ids) // len(self.parts))])
        # A word of every grade is compared with those of all others.
        chosen = np.unique(self.grades, return_index=True)[1]
        some = np.unique(np.append(ids[: len(ids) // 2], chosen))
        law, grade = self.channel(some), self.grades[some]
        check_total(law)
        for one, other in combinations(range(len(some)), 2):
            if grade[one] != grade[other]:
                allowed = float(self.losses[grade[one], grade[other]])
                check_loss(law[one], law[other], allowed)

    def channel(self, x: ArrayLike) -> FloatArray:
        """Return log P(z | x) for every word z, one row per id."""
        ids = word_ids(x, self.size)
        log_prob = np.empty((len(ids), self.size))
        grade = self._grade_of(ids)
        for number, part in enumerate(self.parts):
            rows = np.flatnonzero(grade == number)
            if len(rows):
                log_prob[rows] = part.channel(ids[rows])
        return log_prob

    def perturb(self, x: ArrayLike, rng: Rng) -> IdArray:
        """Draw for each id with the mechanism of its word's grade."""
        ids = word_ids(x, self.size)
        flat = ids.ravel()
        return self._drawn(flat, self._grade_of(flat), rng).reshape(ids.shape)

    def perturb_tokens(self, x: ArrayLike, grades: ArrayLike, rng: Rng) -> IdArray:
        """Draw for each id with the mechanism of its token's grade.

        The grades must be chosen without looking at the words, for instance by column
        or by position; then each token has the guarantee of its grade.
        """
        ids = word_ids(x, self.size)
        given = np.asarray(grades)
        inside = (given >= 0) & (given < len(self.parts))
        if given.shape != ids.shape or given.dtype.kind not in "iu" or not inside.all():
            raise DataError(f"grades must be one number below {len(self.parts)} per id")
        return self._drawn(ids.ravel(), given.ravel(), rng).reshape(ids.shape)

    def _drawn(self, ids: IdArray, grade: IdArray, rng: Rng) -> IdArray:
        drawn = np.empty(len(ids), dtype=np.int64)
        for number, part in enumerate(self.parts):
            here = np.flatnonzero(grade == number)
            drawn[here] = part.perturb(ids[here], rng)
        return drawn

    def _grade_of(self, ids: IdArray) -> IdArray:
        known = np.where(ids == UNKNOWN, 0, ids)
        return np.where(ids == UNKNOWN, STRICTEST, self.grades[known])

    def _unknown_across(self) -> float:
        """Bound the loss between ⊥ and words of other grades through grade 1.

        The law of ⊥ is compared with each grade's own law of ⊥.
        """
        own = [part.channel(np.array([UNKNOWN]))[0] for part in self.parts]
        steps = [
            add_up(
                float(np.abs(law - own[STRICTEST]).max()) + LOG_ERROR,
                guarantee.landmarks.unknown_loss,
            )
            for law, guarantee in zip(own, self._guarantees, strict=True)
        ]
        return max(steps)


def losses_between(parts: Sequence[Finite], grades: IdArray) -> FloatArray:
    """Return the largest loss between any word of one grade and any of another.

    Exact: for each output the largest and smallest log-probability over the inputs of a
    grade are kept, ``size**2`` work in blocks.
    """
    _checked_parts(parts, grades)
    size = parts[0].size
    low = np.full((len(parts), size), np.inf)
    high = np.full((len(parts), size), -np.inf)
    for number, part in enumerate(parts):
        words = np.flatnonzero(grades == number).astype(np.int64)
        runs = (words[run] for run in blocks(len(words), size, item_bytes=24))

        def work(ids: IdArray, law: Finite = part) -> tuple[FloatArray, FloatArray]:
            rows = law.channel(ids)
            return rows.min(axis=0), rows.max(axis=0)

        for least, most in map_blocks(work, runs):
            np.minimum(low[number], least, out=low[number])
            np.maximum(high[number], most, out=high[number])
    # A grade without words has no pair to lose anything.
    gap = (high[:, None, :] - low[None, :, :]).max(axis=2)
    return np.maximum(np.maximum(gap, gap.T) + LOG_ERROR, 0.0)


def _checked_parts(parts: Sequence[Finite], grades: IdArray) -> None:
    if not parts or len({part.size for part in parts}) != 1:
        raise DataError("grades need mechanisms on one vocabulary")
    inside = (grades >= 0) & (grades < len(parts))
    if grades.shape != (parts[0].size,) or not inside.all():
        raise DataError(f"grades must be one number below {len(parts)} per word")


def _off_diagonal(losses: FloatArray) -> FloatArray:
    return losses[~np.eye(len(losses), dtype=bool)]
