"""The facts and the page of a release of times or places."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

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
from publius.reporting.summary import Exposure, Summary


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
class RecordFacts:
    """What a release of times or places tells.

    Args:
        kind: ``times`` or ``places``.
        mechanism: Registered name.
        settings: As they were resolved; public.
        level: Loss within the protection radius.
        within: The protection radius in words.
        accuracy: Of released values.
        guarantee: Of one record.
        exposure: Disclosed figures; its busiest author is a person here.
        limit: Nobody can have more records than these, by the settings; None if any.
    """

    kind: str
    mechanism: str
    settings: Mapping[str, JsonValue]
    level: float
    within: str
    accuracy: Accuracy
    guarantee: Guarantee
    exposure: Exposure
    limit: int | None = None

    @property
    def statements(self) -> list[str]:
        """What is guaranteed, in sentences."""
        said = record_statements(self.guarantee, self.kind, self.level, self.within)
        if self.is_limited and not is_boundless(self.guarantee):
            said = [*self._of_persons(), *said]
        return said

    @property
    def rows(self) -> int:
        """Released rows."""
        return self.exposure.rows

    @property
    def busiest(self) -> int | None:
        """Records of the person with most of them; None without persons."""
        return self.limit or self.exposure.busiest

    @property
    def is_limited(self) -> bool:
        """Whether nobody can have more records than `busiest`, by the settings."""
        return self.limit is not None

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

    @property
    def packages(self) -> tuple[str, ...]:
        """Packages whose versions the manifest names."""
        return ("publius", "numpy", "scipy", "randomgen", "pyarrow")

    def before(self) -> dict[str, object]:
        """Return what was released, and the settings."""
        return {"kind": self.kind, "settings": {**self.settings}}

    def after(self) -> dict[str, object]:
        """Return losses, accuracy and counts."""
        accuracy = self.accuracy
        return {
            "losses": {
                "level": self.level,
                "within": self.within,
                "worst_pair": self.guarantee.worst_loss,
                "busiest_person_level": self.person_level,
                "busiest_person_worst": self.person_loss,
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
        }


def render_directional(
    summary: Summary[RecordFacts],
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
        warnings(summary.facts, shows_originals=shows_originals),
        Private(),
        pictures=pictures,
    )


def warnings(facts: RecordFacts, *, shows_originals: bool) -> list[str]:
    """Return what the reader must not overlook."""
    told = []
    if shows_originals:
        told.append(
            "This report shows original values because --show-before was given. Do "
            "not publish the report."
        )
    if is_boundless(facts.guarantee):
        return [*told, say("record.boundless", things=facts.kind)]
    if facts.level > HIGH_LEVEL:
        factor, loss = state_odds(facts.level), state_bound(facts.level)
        told.append(say("warning.record", factor=factor, loss=loss))
    if facts.person_level is not None and facts.person_level > HIGH_LEVEL:
        told.append(
            say(
                "warning.trajectory" if facts.is_limited else "warning.person",
                count=number(facts.busiest),
                loss=state_bound(facts.person_level),
                things=facts.kind,
                within=facts.within,
            )
        )
    return told
