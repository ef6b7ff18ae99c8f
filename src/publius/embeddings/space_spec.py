"""Distances between words by name: ``euclidean``, ``angular:cap=1``, ``hop:k=10``."""

import math
from dataclasses import dataclass

from publius.core.errors import ParameterError, UnknownNameError
from publius.core.metric import POINT_METRICS

DEFAULT_SPACE = "hop:k=10:cap=4"
HOP = "hop"
LIKE = "like"
NAMES = (*sorted(POINT_METRICS), HOP, LIKE)
SETTINGS: dict[str, tuple[str, ...]] = {HOP: ("k", "cap"), LIKE: ()}
"""What may be set; of every other metric the cap."""


@dataclass(frozen=True, slots=True)
class SpaceSpec:
    """A parsed name of a space of words.

    Args:
        name: A metric on points, ``hop`` or ``like``.
        k: Neighbours per word; for hops only.
        cap: Largest distance; infinite for none.
    """

    name: str
    k: int = 10
    cap: float = math.inf

    def __post_init__(self) -> None:
        if self.name not in NAMES:
            raise UnknownNameError("metric", self.name, NAMES)
        if not self.k >= 1:
            raise ParameterError(f"k must be a whole number >= 1, got {self.k}")
        if not self.cap > 0:
            raise ParameterError(f"cap must be a number > 0, got {self.cap}")
        whole = math.isinf(self.cap) or self.cap == int(self.cap)
        if self.name == HOP and not whole:
            raise ParameterError(
                f"cap must be a whole number of hops or inf, got {self.cap:g}"
            )


def parse_space(text: str) -> SpaceSpec:
    """Read ``name[:k=K][:cap=C]``; hops have k = 10 and cap = 4 unless told."""
    name, *settings = text.split(":")
    if name not in NAMES:
        raise UnknownNameError("metric", name, NAMES)
    given: dict[str, str] = {}
    allowed = SETTINGS.get(name, ("cap",))
    for setting in settings:
        key, equals, value = setting.partition("=")
        if not equals or key not in allowed or key in given:
            form = "".join(f"[:{key}=…]" for key in allowed)
            raise ParameterError(f"cannot read the metric {text!r}; write {name}{form}")
        given[key] = value
    k = _number(text, given.get("k", "10"))
    if not (math.isfinite(k) and k == int(k)):
        raise ParameterError(f"k must be a whole number in {text!r}")
    cap = _number(text, given.get("cap", "4" if name == HOP else "inf"))
    return SpaceSpec(name, int(k), cap)


def _number(text: str, value: str) -> float:
    try:
        return float(value)
    except ValueError:
        raise ParameterError(
            f"{value!r} is not a number in the metric {text!r}"
        ) from None
