"""The exact loss of a mechanism on a finite space, with the pair that attains it."""

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Protocol, Self, runtime_checkable

from publius.core.arrays import not_negative
from publius.core.errors import DataError, ParameterError
from publius.core.stating import multiply_up


@dataclass(frozen=True, slots=True)
class Certificate:
    """What was computed about every pair of points.

    Args:
        epsilon: Largest loss per unit of distance over all pairs, rounding included.
        beta: Decay of the weights per unit of distance.
        worst_pair: Ids of the pair that attains `epsilon`.
        worst_loss: Largest loss over all pairs, whatever their distance.
        farthest_pair: Ids of the pair that attains `worst_loss`.
        slack: Part of `epsilon` that pays for integer rounding.
        unknown_loss: Largest loss between ⊥ and a point.
        near: Median distance of a point to its tenth neighbour.
        diameter: Largest distance.
        largest_total: Largest sum of the unscaled weights of a row.
    """

    epsilon: float
    beta: float
    worst_pair: tuple[int, int]
    worst_loss: float
    farthest_pair: tuple[int, int]
    slack: float
    unknown_loss: float
    near: float
    diameter: float
    largest_total: float

    def __post_init__(self) -> None:
        for name in ("epsilon", "beta", "worst_loss", "slack", "unknown_loss"):
            not_negative(name, getattr(self, name))
        if not self.slack <= self.epsilon or self.epsilon == 0:
            raise ParameterError("slack is a part of epsilon")

    @property
    def level_at_10th_neighbour(self) -> float:
        """Largest loss against a word as near as the median tenth neighbour."""
        return min(multiply_up(self.epsilon, self.near), self.worst_loss)

    def to_json(self) -> dict[str, float | list[int]]:
        """Return plain values."""
        pairs = {"worst_pair", "farthest_pair"}
        return {k: list(v) if k in pairs else v for k, v in asdict(self).items()}

    @classmethod
    def from_json(cls, value: Mapping[str, object]) -> Self:
        """Read what ``to_json`` wrote."""
        try:
            pairs = {
                key: (int(value[key][0]), int(value[key][1]))  # type: ignore[index]
                for key in ("worst_pair", "farthest_pair")
            }
            rest = {
                key: float(value[key])  # type: ignore[arg-type]
                for key in cls.__dataclass_fields__
                if key not in pairs
            }
        except (KeyError, TypeError, ValueError, IndexError) as error:
            raise DataError("not a certificate written by Publius") from error
        return cls(**rest, **pairs)  # type: ignore[arg-type]


@runtime_checkable
class Certified(Protocol):
    """A mechanism that carries its certificate."""

    @property
    def certificate(self) -> Certificate:
        """The exact loss over all pairs."""
        ...


@dataclass(frozen=True, slots=True)
class Extreme:
    """The largest value seen so far and the pair where it was seen."""

    value: float = -math.inf
    pair: tuple[int, int] = (0, 0)

    def larger(self, value: float, pair: tuple[int, int]) -> "Extreme":
        """Return the larger of this and a new candidate."""
        return Extreme(float(value), pair) if value > self.value else self
