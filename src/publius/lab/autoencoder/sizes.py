"""How large the experiments of chapter 6 are, in full and quick."""

from collections.abc import Sequence
from dataclasses import dataclass

from publius.autoencoder import Architecture, Training
from publius.lab.autoencoder import CRITICS, IMDB, PUBLIC
from publius.lab.autoencoder.recipes import Bench, Effort
from publius.lab.autoencoder.reviews import (
    Review,
    read_reviews,
    thinned,
    with_sentiment,
)
from publius.lab.experiment import Request

FIGURE_SIGMAS = (0.01, 0.1, 0.3, 0.5, 0.7, 1.0, 3.0, 10.0, 100.0)
"""Of a DP-VAE: the range of Figure 6.4, closer where it falls."""

AUTHOR_SIGMAS = (0.01, 0.1, 1.0, 3.0, 14.2, 38.8, 100.0)
"""Of a DP-AAE, with the two that the thesis chose."""


@dataclass(frozen=True, slots=True)
class Size:
    """How large an experiment is.

    Args:
        authors: Of IMDb62; the thesis has ten.
        learnt: Training reviews of each author for the autoencoders.
        known: Rewritten training reviews of each author for the attackers.
        tested: Rewritten test reviews of each author.
        effort: How much a model is trained.
    """

    authors: int
    learnt: int
    known: int
    tested: int
    effort: Effort


FULL = Size(
    10,
    1500,
    300,
    100,
    Effort(
        None,
        Training(
            epochs=40, minutes=2.9, batch=512, word_dropout=0.25, anneal=0.2,
            patience=0, held_out=0.01,
        ),
    ),
)  # fmt: skip
QUICK = Size(
    4,
    80,
    50,
    25,
    Effort(
        Architecture(
            vocabulary=2000, width=128, hidden=192, encoder_layers=1, max_tokens=40
        ),
        Training(epochs=30, minutes=1.0, batch=128, word_dropout=0.25, patience=0),
    ),
)


@dataclass(frozen=True, slots=True)
class Stage:
    """A corpus ready for an experiment.

    Args:
        corpus: Its name in the table.
        bench: Trains on all of its training reviews.
        reviews: Those that are rewritten and scored.
    """

    corpus: str
    bench: Bench
    reviews: Sequence[Review]


def stage(request: Request, name: str) -> Stage:
    """Read a corpus and choose what is learnt and what is scored."""
    size = QUICK if request.quick else FULL
    reviews = read_reviews(request.path(name), authors=size.authors)
    if name == IMDB:
        reviews = with_sentiment(reviews, request.path(PUBLIC))
    learnt = thinned(reviews, known=size.learnt, tested=0)
    return Stage(
        {IMDB: "imdb62", CRITICS: "four critics"}[name],
        Bench(learnt, size.effort, request.seed),
        thinned(reviews, known=size.known, tested=size.tested),
    )
