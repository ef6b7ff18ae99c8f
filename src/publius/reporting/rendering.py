"""What all reports share: their frame, and how they write numbers."""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined, select_autoescape
from markupsafe import Markup, escape

from publius.core.estimate import Estimate
from publius.core.stating import state_bound, state_number, state_odds
from publius.core.visible import visible
from publius.reporting.made import made
from publius.reporting.measured import Measured
from publius.reporting.statements import say
from publius.reporting.summary import Summary
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


def render(
    template: str, summary: Summary[Any], warnings: Sequence[str], private: Private,
    **values: object,
) -> str:  # fmt: skip
    """Return a report as HTML without any outside reference."""
    environment = Environment(
        loader=PackageLoader("publius.reporting"),
        autoescape=select_autoescape(["html", "j2"]),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_seen,
    )
    environment.filters |= {
        "bound": state_bound,
        "odds": state_odds,
        "number": number,
        "estimate": estimate,
        "held": held,
    }
    return environment.get_template(template).render(
        summary=summary,
        facts=summary.facts,
        guarantee=summary.facts.guarantee,
        warnings=[*_general_warnings(summary, private), *warnings],
        examples=private.examples,
        measured=private.measured,
        verdict=[] if private.measured is None else verdict(private.measured),
        made=made(),
        **values,
    )


def _seen(value: object) -> object:
    """Return what is written in a page: no name in it can turn or break a line."""
    if isinstance(value, Markup):
        return Markup(visible(value))  # noqa: S704 - escaped where it was made
    return visible(value) if isinstance(value, str) else value


def _general_warnings(summary: Summary[Any], private: Private) -> list[str]:
    told = []
    if not summary.is_secure:
        told.append(say("insecure"))
    if private.examples:
        told.append(
            "This report shows original texts because --show-examples was given. Do "
            "not publish the report."
        )
    if private.measured is not None:
        told.append(
            "This report shows what was measured on the original texts because "
            "--evaluate was given; no bound covers these figures. Do not "
            "publish the report."
        )
    return told


def number(value: float | None) -> str:
    """Write a count or a measured number for people; bounds have ``state_bound``."""
    is_infinite = value is not None and math.isinf(value)
    return "no bound" if is_infinite else state_number(value)


def held(line: str) -> Markup:
    """Return a line whose options and shares no narrow page breaks apart."""
    whole = r'<span class="held">\g<0></span>'
    return Markup(re.sub(r"--[a-z-]+|[\d.,]+ %", whole, str(escape(line))))  # noqa: S704 - escaped


def counted(count: int, one: str, many: str = "") -> str:
    """Write how many things there are."""
    return f"{number(count)} {one if count == 1 else many or one + 's'}"


def estimate(value: Estimate) -> str:
    """Write an estimate with its interval."""
    return f"{number(value.value)} ({number(value.low)} to {number(value.high)})"
