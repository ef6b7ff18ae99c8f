"""CusText (Chen, Mo, Wang, Chen, Cheng, Wang, Li 2023): a small group for each word."""

import math
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from publius.core.arrays import (
    UNKNOWN,
    FloatArray,
    IdArray,
    Rng,
    at_least,
    positive,
    word_ids,
)
from publius.core.brief import brief_mechanism
from publius.core.errors import DataError, RefutedError
from publius.core.guarantee import Flat, Guarantee, Landmarks, Scope, Unit
from publius.core.space import PointSpace, Space
from publius.mechanisms.row_law import ROUNDING, TICKETS, deal
from publius.mechanisms.wording import bound
from publius.storage.cache import changed_tables

TIE = 1e-6
"""Distances closer than this may be rounded into another order."""

ROWS = 256
"""Distances are formed for this many words at a time."""


@dataclass(frozen=True, slots=True, eq=False)
class Groups:
    """A partition of the vocabulary into groups of similar words.

    Args:
        of_word: Number of the group of each word.
        members: One row of word ids per group, filled up with its last member.
        sizes: Number of distinct members of each group.
    """

    of_word: IdArray
    members: IdArray
    sizes: IdArray

    def __post_init__(self) -> None:
        inside = np.arange(self.members.shape[1]) < self.sizes[:, None]
        listed = np.sort(self.members[inside])
        if not np.array_equal(listed, np.arange(len(self.of_word))):
            raise DataError("groups must hold every word exactly once")
        home = np.repeat(np.arange(len(self.members)), self.sizes)
        if not np.array_equal(self.of_word[self.members[inside]], home):
            raise DataError("of_word must name the group that holds each word")

    @classmethod
    def greedy(cls, space: Space, size: int) -> "Groups":
        """Give each word in turn, by rank, the nearest words that are still free.

        Words that are left over join the last group, so that no word is alone.
        """
        at_least("size", size, 2)
        count = space.size
        size = min(size, count)
        of_word = np.full(count, UNKNOWN, dtype=np.int64)
        members: list[IdArray] = []
        while (free := np.flatnonzero(of_word == UNKNOWN)).size:
            # Rows for the next free words at once; some are taken before their turn.
            batch = free[:ROWS]
            for word, row in zip(batch, space.rows(batch), strict=True):
                if of_word[word] == UNKNOWN:
                    left = np.flatnonzero(of_word == UNKNOWN)
                    row[word] = -1.0
                    wanted = size if len(left) >= 2 * size else len(left)
                    order = _closest(row[left], wanted)
                    of_word[left[order]] = len(members)
                    members.append(left[order])
        return cls.of_order(np.stack([np.concatenate(members), of_word]))

    def check_greedy(self, space: Space, size: int, some: IdArray) -> None:
        """Raise RefutedError unless some groups are what `greedy` forms.

        Args:
            space: The vocabulary's distances.
            size: Asked size of a group.
            some: Numbers of the groups that are formed again.
        """
        size = min(size, space.size)
        # What was free before a group was formed follows from the groups themselves.
        first = np.array([np.flatnonzero(self.of_word >= group)[0] for group in some])
        rows = space.rows(first)
        for group, word, row in zip(some.tolist(), first, rows, strict=True):
            left = np.flatnonzero(self.of_word >= group)
            row[word] = -1.0
            wanted = size if len(left) >= 2 * size else len(left)
            near = np.sort(row[left[_closest(row[left], wanted)]])
            stored = np.sort(row[self.members[group, : self.sizes[group]]])
            if len(near) != len(stored) or not np.abs(near - stored).max() <= TIE:
                raise RefutedError(
                    f"groups are not those of the words; {changed_tables()}"
                )

    @classmethod
    def of_order(cls, order: IdArray) -> "Groups":
        """Return the groups that `order` describes, as it gives them back.

        Args:
            order: Two rows: every word, group after group, and the group of each word.
        """
        listed, of_word = order
        sizes = np.bincount(of_word)
        width = int(sizes.max())
        first = np.cumsum(sizes) - sizes
        # A group that is smaller than the largest is filled up with its last member.
        column = np.minimum(np.arange(width)[None, :], sizes[:, None] - 1)
        return cls(of_word, listed[first[:, None] + column], sizes)

    def order(self) -> IdArray:
        """Return every word, group after group, and the group of each word."""
        inside = np.arange(self.members.shape[1]) < self.sizes[:, None]
        return np.stack([self.members[inside], self.of_word])


def _closest(row: FloatArray, count: int) -> IdArray:
    """Return the places of the smallest values in order; ties go to the first."""
    if count >= len(row):
        return np.argsort(row, kind="stable")
    edge = np.partition(row, count - 1)[count - 1]
    inside = np.flatnonzero(row <= edge)
    return inside[np.argsort(row[inside], kind="stable")[:count]]


def _distances(space: Space, ids: IdArray, members: IdArray) -> FloatArray:
    """Return the distance of each id to the points of its own row of members."""
    if isinstance(space, PointSpace):
        # A row to the whole vocabulary would be formed for twenty of its entries.
        points = space.points
        return space.metric.distance(points[ids][:, None, :], points[members])
    return np.take_along_axis(space.rows(ids), members, axis=1)


@dataclass(frozen=True, slots=True, eq=False)
class CusText:
    """Replace a word by a member of its group, the nearer the likelier.

    The utility of a member is 1 for the nearest, 0 for the farthest and linear in the
    distance between; its weight is ``exp(epsilon / 2 * utility)``.

    Guarantee:
        None in general: the released word tells the group. Inside a group the loss is
        the computed `inside_loss`, at most `epsilon`; see docs/mechanisms/custext.md.

    Args:
        space: The vocabulary's distances.
        epsilon: The published parameter: pure local privacy inside a group.
        groups: Public partition of the vocabulary.
    """

    __repr__ = brief_mechanism

    name: ClassVar[str] = "custext.v1"

    space: Space
    epsilon: float
    groups: Groups
    inside_loss: float = field(init=False)
    _tickets: NDArray[np.uint64] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        positive("epsilon", self.epsilon)
        if len(self.groups.of_word) != self.space.size:
            raise DataError(
                f"groups of {len(self.groups.of_word)} words for {self.space.size}"
            )
        tickets = np.zeros((self.size, self.groups.members.shape[1]), dtype=np.uint64)
        for start in range(0, self.size, ROWS):
            ids = np.arange(start, min(start + ROWS, self.size), dtype=np.int64)
            tickets[ids] = self._dealt(ids)
        object.__setattr__(self, "_tickets", tickets)
        object.__setattr__(self, "inside_loss", self._measure())

    @property
    def size(self) -> int:
        """Number of words."""
        return self.space.size

    def guarantee(self) -> Guarantee:
        """Return the guarantee for any word: none, and for whom there is one."""
        groups, width = self.groups.members.shape
        return Guarantee(
            metric=f"discrete@{self.space.id}",
            unit=Unit.TOKEN,
            terms=(Flat(math.inf),),
            scope=Scope(
                covered=(
                    f"Which word of its group of at most {width} words stood at a "
                    f"position: the loss inside a group is at most "
                    f"{bound(self.inside_loss)}.",
                ),
                uncovered=(
                    f"Which of the {groups:,} groups a word belongs to: the word "
                    "that is drawn for it is of the same group.",
                    "Whether a word was in the vocabulary.",
                ),
                assumptions=("Exact integer law inside each group.",),
            ),
            landmarks=Landmarks(1.0, 1.0, math.inf),
        )

    def channel(self, x: ArrayLike) -> FloatArray:
        """Return log P(z | x) for every word z; -inf outside the group."""
        ids = word_ids(x, self.size)
        known = np.where(ids == UNKNOWN, 0, ids)
        members = self.groups.members[self.groups.of_word[known]]
        prob = np.zeros((len(ids), self.size))
        share = self._tickets[known].astype(np.float64) / TICKETS
        rows = np.arange(len(ids))[:, None]
        np.add.at(prob, (np.broadcast_to(rows, members.shape), members), share)
        prob[ids == UNKNOWN] = 1 / self.size
        with np.errstate(divide="ignore"):
            return np.log(prob)

    def perturb(self, x: ArrayLike, rng: Rng) -> IdArray:
        """Draw for each id; UNKNOWN draws any word alike."""
        ids = word_ids(x, self.size)
        flat = ids.ravel()
        ticket = rng.integers(0, TICKETS, size=len(flat), dtype=np.uint64)
        anywhere = rng.integers(0, self.size, size=len(flat))
        drawn = np.empty(len(flat), dtype=np.int64)
        for start in range(0, len(flat), 1 << 15):
            part = slice(start, start + (1 << 15))
            known = np.where(flat[part] == UNKNOWN, 0, flat[part])
            edges = np.cumsum(self._tickets[known], axis=1, dtype=np.uint64)
            place = (edges <= ticket[part, None]).sum(axis=1)
            drawn[part] = self.groups.members[self.groups.of_word[known], place]
        return np.where(flat == UNKNOWN, anywhere, drawn).reshape(ids.shape)

    def _dealt(self, ids: IdArray) -> NDArray[np.uint64]:
        """Return the integer row of each id over the members of its group."""
        group = self.groups.of_word[ids]
        members = self.groups.members[group]
        distance = _distances(self.space, ids, members)
        low = distance.min(axis=1, keepdims=True)
        width = distance.max(axis=1, keepdims=True) - low
        utility = 1 - (distance - low) / np.where(width > 0, width, 1.0)
        scores = utility * (self.epsilon / 2)
        inside = np.arange(members.shape[1]) < self.groups.sizes[group][:, None]
        dealt = np.zeros(members.shape, dtype=np.uint64)
        for size in np.unique(self.groups.sizes[group]):
            rows = self.groups.sizes[group] == size
            dealt[rows, :size] = deal(scores[rows, :size])
        return np.where(inside, dealt, np.uint64(0))

    def _measure(self) -> float:
        """Return the largest log-ratio of two rows of one group, rounding included."""
        worst = 0.0
        for size in np.unique(self.groups.sizes):
            members = self.groups.members[self.groups.sizes == size, :size]
            log_share = np.log(self._tickets[members][..., :size].astype(np.float64))
            worst = max(worst, float(np.ptp(log_share, axis=1).max()))
        return worst + ROUNDING
