"""Weighted composition: terms are picked by count times public weight, exactly."""

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.stats import binomtest

from publius.core.errors import DataError
from publius.core.rng import seeded
from publius.mechanisms.syntf import MOST_TERMS, CosineRatings, SynTF

RATINGS = CosineRatings(np.eye(4), fingerprint="f")


def _made(weights: np.ndarray | None, epsilon: float = 80.0) -> SynTF:
    return SynTF(RATINGS, epsilon, 20_000, weights)


def test_equal_weights_change_nothing() -> None:
    x = sp.csr_array(np.array([[3, 0, 1, 0]]))
    plain, same = _made(None), _made(np.ones(4, dtype=np.int64))
    one, two = plain.perturb(x, seeded(1)), same.perturb(x, seeded(1))
    np.testing.assert_array_equal(one.toarray(), two.toarray())
    assert plain.losses == same.losses


def test_terms_are_picked_by_weighted_count() -> None:
    x = sp.csr_array(np.array([[3, 0, 1, 0]]))
    drawn = _made(np.array([1, 1, 9, 1])).perturb(x, seeded(1)).toarray()[0]
    # At epsilon 80 a word stays; 9 of 12 tickets belong to the third one.
    assert binomtest(int(drawn[2]), 20_000, 0.75).pvalue > 1e-9
    assert binomtest(int(drawn[2]), 20_000, 0.25).pvalue < 1e-9


@pytest.mark.parametrize("weights", [np.ones(3, np.int64), np.array([1, 0, 1, 1])])
def test_bad_weights_are_refused(weights: np.ndarray) -> None:
    with pytest.raises(DataError, match="term_weights"):
        _made(weights)


def test_too_large_counts_are_refused() -> None:
    x = sp.csr_array(np.array([[MOST_TERMS, 0, 0, 0]]))
    with pytest.raises(DataError, match="weighted"):
        _made(np.array([2, 1, 1, 1])).perturb(x, seeded(0))
