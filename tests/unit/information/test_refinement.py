from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp

from publius.core.errors import DataError
from publius.information import Channel
from publius.information.simplex import solve

RNG = np.random.default_rng(4)


def test_a_cascade_refines_and_the_witness_makes_it() -> None:
    first = Channel(RNG.dirichlet(np.ones(4), size=6))
    second = first.then(Channel(RNG.dirichlet(np.ones(3), size=4)))
    proof = first.refinement(second)
    assert proof.holds
    assert proof.gain is None
    assert np.allclose(first.then(Channel(proof.witness)).matrix, second.matrix)


@pytest.mark.parametrize("exact", [True, False])
def test_the_gain_function_objects(*, exact: bool) -> None:
    weak = Channel.exact([["1/2", "1/2"], ["1/4", "3/4"], [0, 1]])
    strong = Channel.exact([["3/4", "1/4"], ["1/4", "3/4"], ["1/4", "3/4"]])
    if not exact:
        weak, strong = (Channel(c.matrix.astype(float)) for c in (weak, strong))
    proof = weak.refinement(strong)
    assert not proof.holds
    assert proof.witness is None
    before = weak.posterior_vulnerability(None, proof.gain)
    after = strong.posterior_vulnerability(None, proof.gain)
    assert after - before == pytest.approx(proof.gap)
    assert proof.gap > 0
    assert 0 <= proof.gain.min() <= proof.gain.max() <= 1


def test_every_channel_lies_between_the_identity_and_silence() -> None:
    channel = Channel(sp.csr_array(RNG.dirichlet(np.ones(5), size=5)))
    identity, silence = Channel(np.eye(5)), Channel(np.ones((5, 1)))
    assert identity.refined_by(channel)
    assert channel.refined_by(silence)
    assert not channel.refined_by(identity)
    assert not silence.refined_by(channel)


def test_exact_arithmetic_sees_what_floating_point_cannot() -> None:
    tiny = Fraction(1, 10**30)
    fair = Channel.exact([["1/2", "1/2"], ["1/2", "1/2"]])
    leaning = Channel.exact(
        [[Fraction(1, 2) + tiny, Fraction(1, 2) - tiny], [0.5, 0.5]]
    )
    proof = fair.refinement(leaning)
    assert not proof.holds
    assert proof.gap == tiny / 2
    assert leaning.refined_by(fair)


def test_refinement_needs_the_same_secrets() -> None:
    with pytest.raises(DataError, match="same secrets, got 2 and 3"):
        Channel(np.eye(2)).refined_by(Channel(np.eye(3)))


def test_programmes_too_large_are_refused() -> None:
    with pytest.raises(DataError, match="too large for exact"):
        Channel.exact(np.eye(30, dtype=int)).refined_by(
            Channel.exact(np.eye(30, dtype=int))
        )
    big = Channel(np.full((300, 300), 1 / 300))
    with pytest.raises(DataError, match="too large to decide"):
        big.refined_by(big)


def test_simplex_finds_a_solution_or_a_proof_that_there_is_none() -> None:
    one, two = Fraction(1), Fraction(2)
    a = np.array([[one, one], [one, -one]])
    solution, _ = solve(a, np.array([two, one]))
    assert solution is not None
    assert (a @ solution).tolist() == [2, 1]
    bound = np.array([one, two])
    nothing, duals = solve(np.array([[one, one], [one, one]]), bound)
    assert nothing is None
    assert (duals @ np.array([[one, one], [one, one]]) <= 0).all()
    assert duals @ bound > 0
