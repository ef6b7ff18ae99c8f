"""The report: one self-contained page for people."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from jinja2 import Environment, PackageLoader, StrictUndefined, select_autoescape

from publius.reporting.figures import odds_curve, unchanged_histogram
from publius.reporting.story import WordStory
from publius.reporting.summary import ReleaseSummary

HIGH_LEVEL = 8.0
"""Beyond e^8 ≈ 3,000 the odds between near words are hardly bounded."""


@dataclass(frozen=True, slots=True)
class Example:
    """A real line before and after; only shown on request."""

    before: str
    after: str


def render_page(
    summary: ReleaseSummary, story: WordStory, examples: Sequence[Example] = ()
) -> str:
    """Return the report as HTML without any outside reference."""
    environment = Environment(
        loader=PackageLoader("publius.reporting"),
        autoescape=select_autoescape(["html", "j2"]),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["number"] = number
    environment.filters["odds"] = odds
    return environment.get_template("report.html.j2").render(
        summary=summary,
        story=story,
        examples=examples,
        warnings=warnings(summary, has_examples=bool(examples)),
        histogram=unchanged_histogram(story.profile.unchanged),
        curve=odds_curve(summary.guarantee),
    )


def warnings(summary: ReleaseSummary, *, has_examples: bool) -> list[str]:
    """Return what the reader must not overlook."""
    found = []
    if not summary.is_secure:
        found.append(
            "INSECURE: this release was made with a seed. Whoever knows or guesses the "
            "seed can undo it. Do not publish it."
        )
    if has_examples:
        found.append(
            "This report shows original texts because --show-examples was given. Do "
            "not publish the report."
        )
    level = summary.guarantee.near_level
    if level > HIGH_LEVEL:
        found.append(
            f"The level against near words is {number(level)}: the odds may change by "
            f"a factor of {odds(level)}. This protects little; choose a smaller "
            "epsilon."
        )
    return found


def number(value: float | None) -> str:
    """Write a number for people."""
    if value is None or math.isnan(value):
        return "–"
    if math.isinf(value):
        return "no bound"
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"


def odds(level: float) -> str:
    """Write e^level for people."""
    if math.isnan(level):
        return "–"
    if math.isinf(level):
        return "no bound"
    if level > 30:
        return f"e^{level:.0f} (beyond any use)"
    return number(math.exp(level))
