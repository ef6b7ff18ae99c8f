"""The report of replaced words: one self-contained page for people."""

from publius.reporting.rendering import Private, render
from publius.reporting.statements import draws_alike, sum_warnings, word_warnings
from publius.reporting.story import WordStory
from publius.reporting.summary import ReleaseSummary
from publius.reporting.svg import odds_curve, unchanged_histogram


def render_page(
    summary: ReleaseSummary, story: WordStory, private: Private | None = None
) -> str:
    """Return the report as HTML without any outside reference."""
    return render(
        "report.html.j2",
        summary,
        [
            *summary.warnings,
            *word_warnings(summary.guarantee, summary.mechanism),
            *sum_warnings(
                summary.guarantee, summary.document_loss, summary.author_loss
            ),
        ],
        private or Private(),
        story=story,
        histogram=unchanged_histogram(story.profile.unchanged),
        curve=odds_curve(summary.guarantee),
        is_equal=draws_alike(summary.guarantee),
    )
