"""The guarantee of a release, as data that programs compose and reports print."""

import math
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, replace
from enum import StrEnum
from typing import Protocol, Self, TypeAlias

from publius.core.arrays import at_least, not_negative, positive
from publius.core.errors import DataError, GuaranteeMismatchError, ParameterError
from publius.core.html import html_table
from publius.core.json import finite_number
from publius.core.loss import ORDERS, Loss
from publius.core.stating import add_up, multiply_up, state_bound

JsonValue: TypeAlias = (
    "str | int | float | bool | list[JsonValue] | dict[str, JsonValue] | None"
)


class Unit(StrEnum):
    """Whose secret one application of the guarantee protects."""

    TOKEN = "token"  # noqa: S105 - a word, not a password
    WORD = "word of a text"  # wherever it stands in the text
    CORPUS_WORD = "word of a corpus"  # wherever it stands in all texts
    SENTENCE = "sentence"
    RECORD = "record"
    DOCUMENT = "document"
    AUTHOR = "author"


class Term(Protocol):
    """One release: distance → loss."""

    def at(self, distance: float) -> Loss:
        """Return the loss between secrets at `distance`."""
        ...

    def lift(self, count: int) -> "Term":
        """Return the term of a bag of `count` releases, by Earth Mover's distance."""
        ...

    def to_json(self) -> dict[str, JsonValue]:
        """Return the term's kind and parameters."""
        ...


@dataclass(frozen=True, slots=True)
class Linear:
    """Pure loss of `epsilon` per unit of distance, never above `limit`.

    Args:
        epsilon: Loss per unit of distance.
        limit: Largest loss.
        offset: What the rounding of released numbers adds at any distance above 0.
    """

    epsilon: float
    limit: float = math.inf
    offset: float = 0.0

    def __post_init__(self) -> None:
        not_negative("epsilon", self.epsilon)
        not_negative("offset", self.offset)
        if not self.limit >= 0:
            raise ParameterError(f"limit must be >= 0, got {self.limit}")

    def at(self, distance: float) -> Loss:
        """Return the loss between secrets at `distance`."""
        if distance == 0:
            return Loss()
        # 0 * infinity is not a number.
        slope = multiply_up(self.epsilon, distance) if self.epsilon else 0.0
        return Loss.from_pure(min(add_up(slope, self.offset), self.limit))

    def lift(self, count: int) -> "Linear":
        """Moving mass 1/count by the distance of one word costs one word's loss."""
        bounds = (self.epsilon, self.limit, self.offset)
        return Linear(*(multiply_up(bound, count) for bound in bounds))

    def to_json(self) -> dict[str, JsonValue]:
        """Return kind and parameters."""
        limit = finite_number(self.limit)
        return _term_json(self.offset, kind="linear", epsilon=self.epsilon, limit=limit)


@dataclass(frozen=True, slots=True)
class Chordal:
    """Pure loss of `epsilon` per unit of chord, at an angular distance in radians."""

    epsilon: float

    def __post_init__(self) -> None:
        not_negative("epsilon", self.epsilon)

    def at(self, distance: float) -> Loss:
        """Return the loss between secrets at `distance`."""
        chord = 2 * math.sin(min(distance, math.pi) / 2)
        return Loss.from_pure(self.epsilon * chord)

    def lift(self, count: int) -> "Chordal":
        """The chord is concave in the angle: equal shares of a distance cost most."""
        return Chordal(multiply_up(self.epsilon, count))

    def to_json(self) -> dict[str, JsonValue]:
        """Return kind and parameters."""
        return {"kind": "chordal", "epsilon": self.epsilon}


@dataclass(frozen=True, slots=True)
class Flat:
    """The same pure loss between any two different secrets: local privacy."""

    loss: float

    def __post_init__(self) -> None:
        if not self.loss >= 0:
            raise ParameterError(f"loss must be >= 0, got {self.loss}")

    def at(self, distance: float) -> Loss:
        """Return the loss between secrets at `distance`."""
        if distance == 0:
            return Loss()
        return Loss.unbounded() if math.isinf(self.loss) else Loss.from_pure(self.loss)

    def lift(self, count: int) -> "Flat":
        """All `count` members may differ, however close the bags are."""
        return Flat(multiply_up(self.loss, count))

    def to_json(self) -> dict[str, JsonValue]:
        """Return kind and parameters."""
        return {"kind": "flat", "loss": finite_number(self.loss)}


@dataclass(frozen=True, slots=True)
class Gaussian:
    """Normal noise of deviation `sigma`: a Rényi curve, no pure bound.

    Args:
        sigma: Standard deviation.
        offset: What the rounding of released numbers adds to ε; it changes every
            probability by a factor of at most ``exp(offset / 2)``.
    """

    sigma: float
    offset: float = 0.0

    def __post_init__(self) -> None:
        positive("sigma", self.sigma)
        not_negative("offset", self.offset)

    def at(self, distance: float) -> Loss:
        """Return the loss between secrets at `distance`."""
        if distance == 0:
            return Loss()
        rho = distance * distance / (2 * self.sigma * self.sigma)
        half = self.offset / 2
        # P <= e^half P* and Q >= e^-half Q* enter the integral of P^a Q^(1 - a).
        curve = (a * rho + half * (2 * a - 1) / (a - 1) for a in ORDERS)
        return Loss(pure=math.inf, renyi=tuple(curve))

    def lift(self, count: int) -> "Gaussian":
        """Moving all mass of a bag moves each member: ``count`` deviations at worst."""
        return Gaussian(self.sigma / count, multiply_up(self.offset, count))

    def to_json(self) -> dict[str, JsonValue]:
        """Return kind and parameters."""
        return _term_json(self.offset, kind="gaussian", sigma=self.sigma)


@dataclass(frozen=True, slots=True)
class Scope:
    """What a guarantee speaks of, in sentences for the reader of a report."""

    covered: tuple[str, ...] = ()
    uncovered: tuple[str, ...] = ()
    assumptions: tuple[str, ...] = ()

    def joined(self, other: "Scope") -> "Scope":
        """Return both lists, each sentence once."""
        return Scope(
            tuple(dict.fromkeys(self.covered + other.covered)),
            tuple(dict.fromkeys(self.uncovered + other.uncovered)),
            tuple(dict.fromkeys(self.assumptions + other.assumptions)),
        )


@dataclass(frozen=True, slots=True)
class Landmarks:
    """Public distances that make a guarantee readable.

    Args:
        near: Median distance of a word to its tenth nearest word.
        diameter: Largest distance of the space.
        unknown_loss: Largest loss between a word outside the vocabulary and one inside.
        near_most: No word lies farther than this from its tenth nearest word; infinite
            where that was not computed.
        vector_near: Mean distance of a word to the ten words that are nearest by
            vector, where the metric is not one of vectors; NaN elsewhere.
    """

    near: float = math.nan
    diameter: float = math.inf
    unknown_loss: float = math.inf
    near_most: float = math.inf
    vector_near: float = math.nan

    def __post_init__(self) -> None:
        for name in ("near", "vector_near"):
            value = getattr(self, name)
            if not (math.isnan(value) or value >= 0):
                raise ParameterError(f"{name} must be >= 0 or unknown, got {value}")
        for name in ("diameter", "unknown_loss", "near_most"):
            if not getattr(self, name) >= 0:
                raise ParameterError(f"{name} must be >= 0, got {getattr(self, name)}")

    def __eq__(self, other: object) -> bool:
        # What is unknown in both is alike; since Python 3.13 a generated comparison
        # finds NaN unlike itself.
        if not isinstance(other, Landmarks):
            return NotImplemented
        return self._known() == other._known()

    def __hash__(self) -> int:
        return hash(self._known())

    def _known(self) -> tuple[float | None, ...]:
        """Return the distances; None for those that are unknown."""
        every = (self.near, self.diameter, self.unknown_loss, self.near_most,
                 self.vector_near)  # fmt: skip
        return tuple(None if math.isnan(value) else value for value in every)


@dataclass(frozen=True, slots=True)
class Guarantee:
    """A bound on the loss between any two secrets, by their distance.

    Args:
        metric: Name of the metric with the fingerprint of its space.
        unit: Whose secret it is about.
        terms: The releases; their losses add.
        scope: What is covered and what is not.
        landmarks: Public distances for the reader.
    """

    metric: str
    unit: Unit
    terms: tuple[Term, ...]
    scope: Scope = field(default_factory=Scope)
    landmarks: Landmarks = field(default_factory=Landmarks)

    def at(self, distance: float, *, changed: int = 1) -> Loss:
        """Return the loss when `changed` units each moved by at most `distance`."""
        if not distance >= 0:
            raise ParameterError(f"distance must be >= 0, got {distance}")
        total = Loss()
        for term in self.terms:
            total = total + term.at(distance)
        return total * at_least("changed", changed, 0)

    def _repr_html_(self) -> str:
        lines = [
            *(("covered", line) for line in self.scope.covered),
            *(("NOT covered", line) for line in self.scope.uncovered),
            *(("assumed", line) for line in self.scope.assumptions),
        ]
        title = f"Guarantee per {self.unit}, metric {self.metric}"
        bounds = [
            ("largest loss between two of the space", state_bound(self.worst_loss)),
            ("largest loss between near ones", state_bound(self.near_bound)),
        ]
        return html_table(title, ("", "what"), [*bounds, *lines])

    def then(self, other: "Guarantee") -> "Guarantee":
        """Compose with another release about the same secrets."""
        if (self.metric, self.unit) != (other.metric, other.unit):
            raise GuaranteeMismatchError(
                f"cannot add a guarantee per {self.unit} under {self.metric!r} to one "
                f"per {other.unit} under {other.metric!r}"
            )
        marks = replace(
            self.landmarks,
            unknown_loss=add_up(
                self.landmarks.unknown_loss, other.landmarks.unknown_loss
            ),
        )
        scope = self.scope.joined(other.scope)
        return replace(
            self, terms=self.terms + other.terms, scope=scope, landmarks=marks
        )

    def for_bag(self, size: int) -> "Guarantee":
        """Return the guarantee of a bag of `size` words by Earth Mover's distance."""
        at_least("size", size, 1)
        return replace(
            self,
            metric=f"emd({self.metric}):size={size}",
            unit=Unit.DOCUMENT,
            terms=tuple(term.lift(size) for term in self.terms),
            landmarks=replace(
                self.landmarks,
                unknown_loss=multiply_up(self.landmarks.unknown_loss, size),
            ),
        )

    def covering(self, scope: Scope) -> "Guarantee":
        """Return the same bound with more said about what it covers."""
        return replace(self, scope=self.scope.joined(scope))

    @property
    def near_level(self) -> float:
        """Pure loss between the median word and its tenth nearest word: no bound."""
        near = self.landmarks.near
        return math.nan if math.isnan(near) else self.at(near).pure

    @property
    def vector_level(self) -> float:
        """Bound on the mean pure loss against the ten nearest words by vector."""
        near = self.landmarks.vector_near
        return math.nan if math.isnan(near) else self.at(near).pure

    @property
    def near_bound(self) -> float:
        """Largest pure loss between any word and one of its ten nearest words."""
        marks = self.landmarks
        return self.at(min(marks.near_most, marks.diameter)).pure

    @property
    def worst_loss(self) -> float:
        """Pure loss between the two most distant secrets."""
        return self.at(self.landmarks.diameter).pure

    def to_json(self) -> dict[str, JsonValue]:
        """Return the guarantee as plain values."""
        marks = {
            key: finite_number(value) for key, value in asdict(self.landmarks).items()
        }
        return {
            "metric": self.metric,
            "unit": self.unit.value,
            "terms": [term.to_json() for term in self.terms],
            "covered": list(self.scope.covered),
            "uncovered": list(self.scope.uncovered),
            "assumptions": list(self.scope.assumptions),
            "landmarks": {**marks},
            "near_level": finite_number(self.near_level),
            "near_bound": finite_number(self.near_bound),
            "worst_loss": finite_number(self.worst_loss),
        }

    @classmethod
    def from_json(cls, value: Mapping[str, JsonValue]) -> Self:
        """Read what ``to_json`` wrote."""
        try:
            marks = dict(value["landmarks"])  # type: ignore[arg-type]
            return cls(
                metric=str(value["metric"]),
                unit=Unit(str(value["unit"])),
                terms=tuple(_term(dict(t)) for t in value["terms"]),  # type: ignore[union-attr,arg-type]
                scope=Scope(
                    *(
                        tuple(str(line) for line in value[key])  # type: ignore[union-attr]
                        for key in ("covered", "uncovered", "assumptions")
                    )
                ),
                landmarks=Landmarks(
                    near=_number(marks["near"], math.nan),
                    diameter=_number(marks["diameter"], math.inf),
                    unknown_loss=_number(marks["unknown_loss"], math.inf),
                    # Guarantees of earlier versions do not know it.
                    near_most=_number(marks.get("near_most"), math.inf),
                    vector_near=_number(marks.get("vector_near"), math.nan),
                ),
            )
        except (KeyError, TypeError, ValueError) as error:
            raise DataError("not a guarantee written by Publius") from error


def _term_json(offset: float, **values: JsonValue) -> dict[str, JsonValue]:
    """Write an offset only where there is one: other terms stay as they were."""
    return {**values, "offset": offset} if offset else values


def _number(value: object, missing: float) -> float:
    return missing if value is None else float(value)  # type: ignore[arg-type]


def _term(value: dict[str, JsonValue]) -> Term:
    kind = value.pop("kind")
    numbers = {key: _number(item, math.inf) for key, item in value.items()}
    return _KINDS[str(kind)](**numbers)


_KINDS: dict[str, Callable[..., Term]] = {
    "linear": Linear,
    "chordal": Chordal,
    "flat": Flat,
    "gaussian": Gaussian,
}
