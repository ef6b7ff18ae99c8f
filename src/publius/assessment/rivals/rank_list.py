"""1-Diffractor: words in lists where like words stand near, and noise on their places.

Meisenbacher et al. 2024. A list is a walk through the vectors from a word to the
nearest one that was not visited; the place of a word is moved by two-sided geometric
noise and kept inside the list.
"""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from publius.core.arrays import FloatArray, IdArray, Rng, positive, word_ids
from publius.core.errors import DataError
from publius.core.guarantee import Guarantee, Landmarks, Linear, Scope, Unit
from publius.core.space import fingerprint


@dataclass(frozen=True, slots=True, eq=False)
class RankLists:
    """Choose a list by lot, move the place of the word by geometric noise.

    Guarantee:
        ``epsilon`` per place, where the distance of two words is the largest number of
        places between them in any list. It says nothing of their vectors: two like
        words may stand at opposite ends.

    Args:
        orders: ``(lists, words)``: the words of each list in their order; public.
        epsilon: Loss per place; > 0.
    """

    orders: IdArray
    epsilon: float
    _places: IdArray = field(init=False, repr=False)

    def __post_init__(self) -> None:
        positive("epsilon", self.epsilon)
        every = np.arange(self.orders.shape[1])
        if not all(np.array_equal(np.sort(order), every) for order in self.orders):
            raise DataError("every list must hold every word once")
        object.__setattr__(self, "_places", np.argsort(self.orders, axis=1))

    @property
    def size(self) -> int:
        """Number of words."""
        return int(self.orders.shape[1])

    def distance(self, a: ArrayLike, b: ArrayLike) -> FloatArray:
        """Return the most places between two words in any list."""
        first, second = (self._places[:, word_ids(x, self.size)] for x in (a, b))
        return np.abs(first - second).max(axis=0).astype(np.float64)

    def guarantee(self) -> Guarantee:
        """Return the guarantee for one word."""
        told = (
            f"The distance of two words is the largest number of places between them "
            f"in {len(self.orders)} lists, not a distance of their meanings.",
        )
        mark = fingerprint("rank-lists", self.orders)
        diameter = float(self.size - 1)
        marks = Landmarks(diameter=diameter, near_most=diameter)
        return Guarantee(
            f"places@{mark}",
            Unit.TOKEN,
            (Linear(self.epsilon),),
            Scope(assumptions=told),
            marks,
        )

    def channel(self, x: ArrayLike) -> FloatArray:
        """Return log P(z | x) for every word z."""
        ids = word_ids(x, self.size)
        log_share = -np.log(len(self.orders))
        parts = []
        for order, place in zip(self.orders, self._places, strict=True):
            row = np.empty((len(ids), self.size))
            row[:, order] = self._along(place[ids])
            parts.append(row + log_share)
        return np.asarray(np.logaddexp.reduce(parts, axis=0))

    def _along(self, place: IdArray) -> FloatArray:
        """Return log-probabilities of the places of one list."""
        away = np.abs(np.arange(self.size) - place[:, None])
        log_prob = -self.epsilon * away - np.log1p(np.exp(-self.epsilon))
        # What would leave the list stays at its end: the sum of a geometric tail.
        log_prob[:, 1:-1] += np.log(-np.expm1(-self.epsilon))
        return log_prob

    def perturb(self, x: ArrayLike, rng: Rng) -> IdArray:
        """Draw a replacement for each word."""
        ids = word_ids(x, self.size)
        chosen = rng.integers(0, len(self.orders), len(ids))
        leave = -np.expm1(-self.epsilon)
        moved = rng.geometric(leave, len(ids)) - rng.geometric(leave, len(ids))
        place = np.clip(self._places[chosen, ids] + moved, 0, self.size - 1)
        return self.orders[chosen, place]


def walked(vectors: FloatArray, start: int) -> IdArray:
    """Return the words along a walk to the nearest one that was not visited."""
    unit = vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12)
    open_words = np.ones(len(unit), dtype=bool)
    order = np.empty(len(unit), dtype=np.int64)
    here = start
    for place in range(len(unit)):
        order[place] = here
        open_words[here] = False
        likeness = np.where(open_words, unit @ unit[here], -np.inf)
        here = int(np.argmax(likeness))
    return order
