"""SynTF picks tokens uniformly and replaces them by its channel."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.stats import chisquare

from publius.core.arrays import UNKNOWN
from publius.core.rng import seeded
from publius.mechanisms.syntf import SynTF

ALPHA = 1e-9
DRAWS = 200_000
RATINGS = np.array(
    [
        [1.0, 0.6, 0.2, 0.1],
        [0.6, 1.0, 0.5, 0.0],
        [0.2, 0.5, 1.0, 0.3],
        [0.1, 0.0, 0.3, 1.0],
    ]
)
COUNTS = np.array([5, 0, 1, 2])

pytestmark = pytest.mark.statistical


@dataclass(frozen=True)
class Table:
    """Ratings given one by one."""

    id: str = "table@f"
    size: int = 4

    def rows(self, ids: Any) -> Any:
        return RATINGS[ids].copy()


def channel(epsilon: float) -> Any:
    weights = np.exp(epsilon / 2 * RATINGS)
    return weights / weights.sum(axis=1, keepdims=True)


def released(epsilon: float, seed: int) -> Any:
    x = sp.csr_array(np.vstack([np.zeros(4, dtype=int), COUNTS]))
    return SynTF(Table(), epsilon, DRAWS).perturb(x, seeded(seed)).toarray()


def test_terms_are_drawn_in_proportion_to_their_counts(seed: int) -> None:
    # At a large epsilon the term itself comes out: what is left is the choice of terms.
    x = sp.csr_array(COUNTS[None])
    seen = SynTF(Table(), 400.0, DRAWS).perturb(x, seeded(10 + seed)).toarray()[0]
    assert seen[1] == 0
    here = COUNTS > 0
    assert chisquare(seen[here], DRAWS * COUNTS[here] / 8).pvalue > ALPHA
    once = DRAWS * here[here] / 3  # choosing among distinct words is rejected
    assert chisquare(seen[here], once).pvalue < ALPHA


@pytest.mark.parametrize("epsilon", [1.0, 3.0, 8.0])
def test_counts_follow_the_composition_of_both_steps(epsilon: float, seed: int) -> None:
    seen = released(epsilon, 100 + seed)[1]
    wanted = COUNTS / 8 @ channel(epsilon)
    assert chisquare(seen, DRAWS * wanted).pvalue > ALPHA
    for other in (0.5 * epsilon, 2.0 * epsilon):  # a lost or doubled factor 2
        wrong = COUNTS / 8 @ channel(other)
        assert chisquare(seen, DRAWS * wrong).pvalue < ALPHA


def test_empty_documents_draw_all_words_alike(seed: int) -> None:
    seen = released(3.0, 200 + seed)[0]
    assert chisquare(seen).pvalue > ALPHA
    wrong = channel(3.0)[0]  # not as the first word would
    assert chisquare(seen, DRAWS * wrong).pvalue < ALPHA


@pytest.mark.parametrize("term", [0, 3, UNKNOWN])
def test_substitutes_follow_the_channel(term: int, seed: int) -> None:
    mechanism = SynTF(Table(), 3.0, 1)
    drawn = mechanism.substitute(np.full(DRAWS, term), seeded(300 + seed))
    seen = np.bincount(drawn, minlength=4)
    wanted = np.full(4, 0.25) if term == UNKNOWN else channel(3.0)[term]
    assert chisquare(seen, DRAWS * wanted).pvalue > ALPHA
    wrong = channel(3.0)[1] if term == UNKNOWN else channel(3.3)[term]
    assert chisquare(seen, DRAWS * wrong).pvalue < ALPHA
