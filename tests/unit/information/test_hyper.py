from fractions import Fraction

import numpy as np
import pytest

from publius.information import Channel


def test_equal_posteriors_are_merged_and_impossible_outputs_left_out() -> None:
    # Columns 0 and 1 are proportional; column 3 never occurs.
    hyper = Channel([[0.2, 0.4, 0.4, 0.0], [0.1, 0.2, 0.7, 0.0]]).hyper()
    assert hyper.outer == pytest.approx([0.45, 0.55])
    assert hyper.inner == pytest.approx(np.array([[2 / 3, 1 / 3], [4 / 11, 7 / 11]]))


def test_exact_posteriors() -> None:
    hyper = Channel.exact([["1/3", "1/3", "1/3"], ["1/6", "1/6", "2/3"]]).hyper()
    assert hyper.outer.tolist() == [Fraction(1, 2), Fraction(1, 2)]
    assert hyper.inner.tolist() == [
        [Fraction(2, 3), Fraction(1, 3)],
        [Fraction(1, 3), Fraction(2, 3)],
    ]


def test_posteriors_that_differ_are_kept_apart_when_their_projections_agree() -> None:
    # With prior weights sqrt(1) % 1 = sqrt(4) % 1 = 0, secrets 0 and 3 project alike.
    channel = Channel([[1.0, 0.0], [0.5, 0.5], [0.5, 0.5], [0.0, 1.0]])
    hyper = channel.hyper([0.5, 0.0, 0.0, 0.5])
    assert hyper.inner.tolist() == [[1.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 1.0]]


def test_the_mean_posterior_is_the_prior() -> None:
    rng = np.random.default_rng(2)
    law = rng.dirichlet(np.ones(5), size=9)
    repeated = np.hstack([law / 2, law / 4, law / 4])
    prior = rng.dirichlet(np.ones(9))
    hyper = Channel(repeated).hyper(prior)
    assert len(hyper.outer) == 5
    assert hyper.outer @ hyper.inner == pytest.approx(prior)
