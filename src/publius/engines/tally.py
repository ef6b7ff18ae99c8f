"""Sums by key, added up where the work runs: the driver hears the end of it."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Generic, TypeVar

Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class Tallied(Generic[Result]):
    """A result, and what is added up over all results.

    Args:
        result: What the driver hears.
        sums: Under keys that tell nobody anything; they stay with the workers.
    """

    result: Result
    sums: Mapping[bytes, int] = field(default_factory=dict, repr=False)


@dataclass(slots=True)
class Tally:
    """What a driver hears of the sums.

    Args:
        hears_all: Every sum; else the largest alone.
        most: The largest sum, when the run has ended.
        sums: Every sum, if they were asked for.
    """

    hears_all: bool = False
    most: int = 0
    sums: "Counter[bytes]" = field(default_factory=Counter, repr=False)

    def close(self, sums: Mapping[bytes, int]) -> None:
        """Take over sums that are complete."""
        self.most = max(sums.values(), default=0)
        if self.hears_all:
            self.sums = Counter(sums)


@dataclass(slots=True)
class Adding:
    """Add up sums in this process, those of every split once."""

    total: "Counter[bytes]" = field(default_factory=Counter, repr=False)
    _heard: set[int] = field(default_factory=set)

    def add(self, number: int, sums: Mapping[bytes, int]) -> None:
        """Add the sums of a split, unless an earlier attempt has told them."""
        if number not in self._heard:
            self._heard.add(number)
            self.total.update(sums)
