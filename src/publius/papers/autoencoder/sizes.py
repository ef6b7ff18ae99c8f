"""How large the experiments of chapter 6 are, in full and quick."""

from collections.abc import Sequence
from dataclasses import dataclass

from publius.autoencoder import Architecture, Training
from publius.papers.autoencoder import CRITICS, IMDB, PUBLIC
from publius.papers.autoencoder.recipes import Bench, Effort
from publius.papers.autoencoder.reviews import (
    Review,
    read_reviews,
    shortened,
    thinned,
    with_sentiment,
)
from publius.papers.experiment import Request

FIGURE_SIGMAS = (0.01, 0.1, 0.3, 0.5, 0.7, 1.0, 3.0, 10.0, 100.0)
"""Of a DP-VAE: the range of Figure 6.4, closer where it falls."""

AUTHOR_SIGMAS = (0.01, 0.1, 1.0, 3.0, 14.2, 38.8, 100.0)
"""Of a DP-AAE, with the two that the thesis chose."""


@dataclass(frozen=True, slots=True)
class Condition:
    """What of the reviews is rewritten and scored.

    Args:
        sentences: First ones of every review; None is the whole review.
        known: Training reviews of each author for the attackers; None is all.
        tested: Test reviews of each author; None is all.
    """

    sentences: int | None
    known: int | None = None
    tested: int | None = None

    def of(self, reviews: Sequence[Review]) -> list[Review]:
        """Return what is scored, in this condition."""
        kept = thinned(reviews, known=self.known, tested=self.tested)
        return shortened(kept, self.sentences)


@dataclass(frozen=True, slots=True)
class Size:
    """How large an experiment is.

    Args:
        authors: Of IMDb62; the thesis has ten.
        learnt: Training reviews of each author for the autoencoders, always whole.
        short: The condition of all rows.
        whole: The condition of a few rows.
        effort: How much a model is trained.
    """

    authors: int
    learnt: int
    short: Condition
    whole: Condition
    effort: Effort


FULL = Size(
    authors=10,
    learnt=1500,
    # The thesis's originals have an author MCC of .89 and a rating MCC of .47. Whole
    # reviews of IMDb62 have .98 and .60, their first five sentences .93 and .46.
    short=Condition(5),
    whole=Condition(None, known=300, tested=100),
    effort=Effort(
        None,
        Training(
            epochs=8, batch=768, word_dropout=0.25, anneal=0.2, patience=0,
            held_out=0.01,
        ),
    ),
)  # fmt: skip
QUICK = Size(
    authors=4,
    learnt=80,
    short=Condition(5, known=50, tested=25),
    whole=Condition(None, known=50, tested=25),
    effort=Effort(
        Architecture(
            vocabulary=2000, width=128, hidden=192, encoder_layers=1, max_tokens=40
        ),
        Training(epochs=30, minutes=1.0, batch=128, word_dropout=0.25, patience=0),
    ),
)


@dataclass(frozen=True, slots=True)
class Stage:
    """A corpus ready for an experiment, in one condition.

    Args:
        corpus: Its name in the table.
        bench: Trains on all sentences of its training reviews.
        reviews: Those that are rewritten and scored.
        sentences: First ones of every review; None is the whole review.
    """

    corpus: str
    bench: Bench
    reviews: Sequence[Review]
    sentences: int | None


def stages(request: Request, name: str) -> tuple[Stage, Stage]:
    """Read a corpus: its reviews cut short, and some of them whole, one bench."""
    size = QUICK if request.quick else FULL
    reviews = read_reviews(request.path(name), authors=size.authors)
    if name == IMDB:
        # The verdict is on the whole review, as stars are.
        reviews = with_sentiment(reviews, request.path(PUBLIC))
    learnt = thinned(reviews, known=size.learnt, tested=0)
    corpus = {IMDB: "imdb62", CRITICS: "four critics"}[name]
    bench = Bench(learnt, size.effort, request.seed)
    short, whole = (
        Stage(corpus, bench, condition.of(reviews), condition.sentences)
        for condition in (size.short, size.whole)
    )
    return short, whole
