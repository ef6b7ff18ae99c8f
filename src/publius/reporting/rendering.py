"""What all reports share: their frame, and how they write numbers."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from typing import Protocol

from jinja2 import Environment, PackageLoader, StrictUndefined, select_autoescape

from publius.core.estimate import Estimate
from publius.core.guarantee import Guarantee
from publius.core.stating import state_bound, state_number, state_odds
from publius.reporting.measured import Measured
from publius.reporting.statements import say
from publius.reporting.verdict import verdict


@dataclass(frozen=True, slots=True)
class Example:
    """A real line before and after; only shown on request."""

    before: str
    after: str


PRIVATE_REPORT = "report-private.html"
"""The report that shows secrets; the public one, without them, lies beside it."""


@dataclass(frozen=True, slots=True)
class Private:
    """What a report shows on request and then must not be published for.

    Args:
        examples: Real lines.
        measured: Attacks on these texts, and their use.
    """

    examples: Sequence[Example] = ()
    measured: Measured | None = None

    @property
    def is_empty(self) -> bool:
        """Whether nothing of it was asked for."""
        return not self.examples and self.measured is None


class Facts(Protocol):
    """What the frame of a report needs of a summary."""

    @property
    def guarantee(self) -> Guarantee:
        """What is guaranteed."""
        ...

    @property
    def statements(self) -> list[str]:
        """What is guaranteed and what was measured, in sentences."""
        ...

    @property
    def is_secure(self) -> bool:
        """False when a seed was given."""
        ...


def render(
    template: str, summary: Facts, warnings: Sequence[str], private: Private,
    **values: object,
) -> str:  # fmt: skip
    """Return a report as HTML without any outside reference."""
    environment = Environment(
        loader=PackageLoader("publius.reporting"),
        autoescape=select_autoescape(["html", "j2"]),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        "bound": state_bound,
        "odds": state_odds,
        "number": number,
        "estimate": estimate,
    }
    return environment.get_template(template).render(
        summary=summary,
        guarantee=summary.guarantee,
        warnings=[*_general_warnings(summary, private), *warnings],
        examples=private.examples,
        measured=private.measured,
        verdict=[] if private.measured is None else verdict(private.measured),
        made=f"Made by Publius {version('publius')} on {datetime.now(UTC):%Y-%m-%d}.",
        **values,
    )


def _general_warnings(summary: Facts, private: Private) -> list[str]:
    found = []
    if not summary.is_secure:
        found.append(say("insecure"))
    if private.examples:
        found.append(
            "This report shows original texts because --show-examples was given. Do "
            "not publish the report."
        )
    if private.measured is not None:
        found.append(
            "This report shows what was measured on the original texts because "
            "--evaluate was given; no bound covers these figures. Do not "
            "publish the report."
        )
    return found


def number(value: float | None) -> str:
    """Write a count or a measured number for people; bounds have ``state_bound``."""
    is_infinite = value is not None and math.isinf(value)
    return "no bound" if is_infinite else state_number(value)


def estimate(found: Estimate) -> str:
    """Write an estimate with its interval."""
    return f"{number(found.value)} ({number(found.low)} to {number(found.high)})"
