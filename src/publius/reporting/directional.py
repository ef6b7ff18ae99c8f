"""The facts and the page of a release of times or places."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version

from publius.core.guarantee import Guarantee, JsonValue
from publius.core.stating import multiply_up, state_bound, state_odds
from publius.reporting.rendering import Private, number, render
from publius.reporting.statements import (
    HIGH_LEVEL,
    is_boundless,
    person_statements,
    record_statements,
    say,
)


@dataclass(frozen=True, slots=True)
class Accuracy:
    """How far released values lie from the original ones, from the law alone.

    Args:
        mean: Mean distance.
        median: Half of the values lie within it.
        most: Nineteen of twenty lie within it.
        unit: Of the three.
    """

    mean: float
    median: float
    most: float
    unit: str


@dataclass(frozen=True, slots=True)
class DirectionalSummary:
    """What the manifest of a release of times or places holds.

    Args:
        kind: ``times`` or ``places``.
        mechanism: Registered name.
        settings: As they were resolved; public.
        level: Loss within the protection radius.
        within: The protection radius in words.
        guarantee: The promise of one record.
        accuracy: Of released values.
        rows: Released rows.
        busiest: Records of the person with most of them; None without persons.
        is_limited: Nobody can have more than `busiest` records, by the settings.
        is_secure: False when a seed was given.
        files: SHA-256 of each released file.
    """

    kind: str
    mechanism: str
    settings: Mapping[str, JsonValue]
    level: float
    within: str
    guarantee: Guarantee
    accuracy: Accuracy
    rows: int
    busiest: int | None
    is_secure: bool
    files: Mapping[str, str]
    is_limited: bool = False

    @property
    def statements(self) -> list[str]:
        """What is guaranteed, in sentences."""
        warned = [] if self.is_secure else [say("insecure")]
        said = record_statements(self.guarantee, self.kind, self.level, self.within)
        if self.is_limited and not is_boundless(self.guarantee):
            said = [*self._of_persons(), *said]
        return [*warned, *said]

    def _of_persons(self) -> list[str]:
        return person_statements(
            self.kind,
            most=self.busiest or 0,
            near=self.person_level or 0.0,
            far=self.person_loss or 0.0,
            within=self.within,
        )

    @property
    def person_level(self) -> float | None:
        """Level for the person with most records: losses add."""
        if self.busiest is None:
            return None
        return multiply_up(self.level, self.busiest)

    @property
    def person_loss(self) -> float | None:
        """Worst loss of the person with most records."""
        if self.busiest is None:
            return None
        return multiply_up(self.guarantee.worst_loss, self.busiest)

    def to_json(self) -> dict[str, JsonValue]:
        """Return the manifest."""
        packages = ("publius", "numpy", "scipy", "randomgen", "pyarrow")
        accuracy = self.accuracy
        return {
            "publius": version("publius"),
            "versions": {name: version(name) for name in packages},
            "kind": self.kind,
            "secure": self.is_secure,
            "mechanism": self.mechanism,
            "settings": {**self.settings},
            "guarantee": self.guarantee.to_json(),
            "statements": list(self.statements),
            "losses": {
                "level": self.level,
                "within": self.within,
                "worst_pair": _finite(self.guarantee.worst_loss),
                "busiest_person_level": _finite(self.person_level),
                "busiest_person_worst": _finite(self.person_loss),
            },
            "accuracy": {
                "mean": accuracy.mean,
                "median": accuracy.median,
                "nineteen_of_twenty": accuracy.most,
                "unit": accuracy.unit,
            },
            "counts": {
                "rows": self.rows,
                "busiest_person": None if self.is_limited else self.busiest,
            },
            "files": {**self.files},
        }


def render_directional(
    summary: DirectionalSummary,
    pictures: Sequence[tuple[str, str]],
    *,
    shows_originals: bool,
) -> str:
    """Return the report as HTML without any outside reference.

    Args:
        summary: The facts.
        pictures: Headings and SVG.
        shows_originals: Whether a picture shows unreleased values.
    """
    return render(
        "directional.html.j2",
        summary,
        warnings(summary, shows_originals=shows_originals),
        Private(),
        pictures=pictures,
    )


def warnings(summary: DirectionalSummary, *, shows_originals: bool) -> list[str]:
    """Return what the reader must not overlook."""
    found = []
    if shows_originals:
        found.append(
            "This report shows original values because --show-before was given. Do "
            "not publish the report."
        )
    if is_boundless(summary.guarantee):
        return [*found, say("record.boundless", things=summary.kind)]
    if summary.level > HIGH_LEVEL:
        factor, loss = state_odds(summary.level), state_bound(summary.level)
        found.append(say("warning.record", factor=factor, loss=loss))
    if summary.person_level is not None and summary.person_level > HIGH_LEVEL:
        found.append(
            say(
                "warning.trajectory" if summary.is_limited else "warning.person",
                count=number(summary.busiest),
                loss=state_bound(summary.person_level),
                things=summary.kind,
                within=summary.within,
            )
        )
    return found


def _finite(value: float | None) -> float | None:
    return value if value is not None and math.isfinite(value) else None
