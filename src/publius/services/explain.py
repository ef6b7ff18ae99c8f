"""Explain: what a word is replaced by, and who else could have been there."""

from dataclasses import dataclass, field

from publius.assessment.deniability.explanation import Explanation
from publius.assessment.deniability.explanation import explain as explain_word
from publius.core.config import WordSettings
from publius.core.watch import Watch
from publius.services.prepared import PREPARED
from publius.services.verb import verb


@dataclass(frozen=True, slots=True)
class ExplainRequest:
    """Which word, under which mechanism.

    Args:
        word: A public word, or a collocation that the vocabulary has.
        settings: The mechanism; single settings may be given by name.
        best: How many replacements and neighbours to list.
    """

    word: str
    settings: WordSettings = field(default_factory=WordSettings)
    best: int = 15


@verb(ExplainRequest)
def explain(request: ExplainRequest, watch: Watch) -> Explanation:
    """Explain what happens to a public word.

    Example:
        >>> import publius as pb
        >>> pb.explain("london", vocabulary=2000).mechanism
        'exponential.v1'
    """
    return explain_word(
        request.word,
        request.settings,
        best=request.best,
        progress=watch.stage,
        build=lambda settings, progress: PREPARED(settings, progress).mechanism,
    )
