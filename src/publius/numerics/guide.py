"""Search rising whole numbers in constant time by the leading bits of what is sought.

Draws look up millions of numbers in one public table. A binary search jumps through the
whole table for each; the leading bits of a number tell almost where it stands.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from publius.core.arrays import IdArray

MOST_BUCKETS = 1 << 23
"""A guide has at most so many entries of four bytes."""

_STEPS = 6
"""Single steps before what is left is searched: few numbers share a bucket."""


@dataclass(frozen=True, slots=True, eq=False)
class Guide:
    """Rising sums with the place where each bucket of numbers begins.

    Args:
        sums: In rising order, the last larger than every number that is sought.
        shift: Trailing bits that numbers of one bucket differ in.
        starts: How many sums are not larger than the first number of each bucket.
    """

    sums: NDArray[np.uint64]
    shift: np.uint64
    starts: NDArray[np.int32]

    @classmethod
    def over(cls, sums: NDArray[np.uint64]) -> "Guide":
        """Return the guide of rising sums, at least one."""
        buckets = min(MOST_BUCKETS, 4 * len(sums))
        bits = int(sums[-1]).bit_length() - (buckets.bit_length() - 1)
        shift = np.uint64(max(0, bits))
        # The first bucket that begins at or behind each sum, counted: a search of the
        # beginnings of all buckets would take as long as a million draws.
        last = np.uint64((1 << int(shift)) - 1)
        first = ((sums + last) >> shift).astype(np.int64)
        counts = np.bincount(first, minlength=(int(sums[-1]) >> int(shift)) + 1)
        starts = np.cumsum(counts[: (int(sums[-1]) >> int(shift)) + 1])
        return cls(sums, shift, starts.astype(np.int32))

    def find(self, sought: NDArray[np.uint64]) -> IdArray:
        """Return how many sums are not larger than each number, as searchsorted does.

        Args:
            sought: Each smaller than the last sum.
        """
        place = self.starts[sought >> self.shift].astype(np.int64)
        left = np.flatnonzero(self.sums[place] <= sought)
        for _ in range(_STEPS):
            if not len(left):
                return place
            place[left] += 1
            left = left[self.sums[place[left]] <= sought[left]]
        place[left] = np.searchsorted(self.sums, sought[left], side="right")
        return place
