"""The report of replaced words: one self-contained page for people."""

from publius.core.stating import state_bound, state_odds
from publius.reporting.figures import odds_curve, unchanged_histogram
from publius.reporting.rendering import Private, render
from publius.reporting.repeated import equal_draws
from publius.reporting.story import WordStory
from publius.reporting.summary import ReleaseSummary

HIGH_LEVEL = 8.0
"""Beyond e^8 ≈ 3,000 the odds between near words are hardly bounded."""


def render_page(
    summary: ReleaseSummary, story: WordStory, private: Private | None = None
) -> str:
    """Return the report as HTML without any outside reference."""
    return render(
        "report.html.j2",
        summary,
        warnings(summary),
        private or Private(),
        story=story,
        histogram=unchanged_histogram(story.profile.unchanged),
        curve=odds_curve(summary.guarantee),
        equal_draws=equal_draws(summary.guarantee),
    )


def warnings(summary: ReleaseSummary) -> list[str]:
    """Return what the reader must not overlook about this mechanism."""
    level = summary.guarantee.near_level
    if level <= HIGH_LEVEL:
        return []
    return [
        f"The level against near words is {state_bound(level)}: the odds may change by "
        f"a factor of {state_odds(level)}. This protects little; choose a smaller "
        "epsilon."
    ]
