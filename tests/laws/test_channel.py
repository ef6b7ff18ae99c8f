"""Laws of quantitative information flow, on channels drawn by hypothesis."""

import math

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from publius.core.arrays import FloatArray
from publius.information import (
    Channel,
    Classes,
    Tries,
    exposure,
    is_universally_confusable,
    leakage_bound,
)

LOOSE = 1 + 1e-9


@st.composite
def channels(
    draw: st.DrawFn, rows: int | None = None, *, full: bool = False
) -> Channel:
    """Channels with weights from a short list, so that zeros and ties are common."""
    size = draw(st.integers(1, 5)) if rows is None else rows
    width = draw(st.integers(1, 5))
    weights = st.sampled_from([1, 1, 2, 5] if full else [0, 0, 1, 1, 3])
    table = draw(st.lists(st.lists(weights, min_size=width, max_size=width),
                          min_size=size, max_size=size))  # fmt: skip
    matrix = np.array(table, dtype=float)
    matrix[matrix.sum(axis=1) == 0] = 1.0
    return Channel(matrix / matrix.sum(axis=1, keepdims=True))


@st.composite
def scenarios(draw: st.DrawFn) -> tuple[Channel, FloatArray, FloatArray]:
    """A channel with a prior and a non-negative gain function."""
    channel = draw(channels())
    size = channel.shape[0]
    weights = np.array(draw(st.lists(st.integers(0, 4), min_size=size, max_size=size)))
    prior = (weights + (weights.sum() == 0)) / (weights + (weights.sum() == 0)).sum()
    actions = draw(st.integers(1, 4))
    rows = st.lists(st.integers(0, 3), min_size=size, max_size=size)
    gain = np.array(draw(st.lists(rows, min_size=actions, max_size=actions)), float)
    return channel, prior, gain


@given(scenarios())
def test_an_output_never_lowers_the_gain(
    scenario: tuple[Channel, FloatArray, FloatArray],
) -> None:
    channel, prior, gain = scenario
    after = channel.posterior_vulnerability(prior, gain)
    assert after >= channel.prior_vulnerability(prior, gain) - 1e-12


@given(scenarios())
def test_theorem_1_capacity_bounds_every_leakage(
    scenario: tuple[Channel, FloatArray, FloatArray],
) -> None:
    channel, prior, gain = scenario
    assume(channel.prior_vulnerability(prior, gain) > 0)
    assert channel.leakage(prior, gain) <= channel.bayes_capacity() * LOOSE
    assert channel.leakage() == pytest.approx(channel.bayes_capacity())


@given(scenarios())
def test_the_hyper_gives_the_same_vulnerability(
    scenario: tuple[Channel, FloatArray, FloatArray],
) -> None:
    channel, prior, gain = scenario
    hyper = channel.hyper(prior)
    averaged = hyper.outer @ (hyper.inner @ gain.T).max(axis=1)
    assert channel.posterior_vulnerability(prior, gain) == pytest.approx(averaged)
    assert hyper.outer.sum() == pytest.approx(1.0)


@given(scenarios())
def test_exact_and_floating_arithmetic_agree(
    scenario: tuple[Channel, FloatArray, FloatArray],
) -> None:
    channel, _, gain = scenario
    counts = np.round(channel.matrix * 27720).astype(int)
    assume((counts.sum(axis=1) == 27720).all())
    exact = Channel.exact([[f"{n}/27720" for n in row] for row in counts])
    rough = Channel(counts / 27720)
    assert float(exact.posterior_vulnerability(None, gain)) == pytest.approx(
        rough.posterior_vulnerability(None, gain)
    )
    assert float(exact.bayes_capacity()) == pytest.approx(rough.bayes_capacity())


@settings(max_examples=50)
@given(st.data())
def test_a_cascade_refines_and_leaks_less(data: st.DataObject) -> None:
    first = data.draw(channels())
    second = first.then(data.draw(channels(first.shape[1])))
    assert first.refined_by(second)
    assert second.bayes_capacity() <= first.bayes_capacity() * LOOSE
    assert second.shannon_leakage() <= first.shannon_leakage() + 1e-9
    labels = data.draw(
        st.lists(st.integers(0, 2), min_size=first.shape[0], max_size=first.shape[0])
    )
    # Theorem 4.
    assert exposure(second, labels) <= exposure(first, labels) + 1e-9


@settings(max_examples=50)
@given(st.data())
def test_refinement_is_decided_with_a_proof(data: st.DataObject) -> None:
    first = data.draw(channels())
    second = data.draw(channels(first.shape[0]))
    proof = first.refinement(second)
    if proof.holds:
        assert np.allclose(first.matrix @ proof.witness, second.matrix, atol=1e-7)
    else:
        objection = second.posterior_vulnerability(None, proof.gain)
        assert objection > first.posterior_vulnerability(None, proof.gain)


@settings(max_examples=25)
@given(st.data())
def test_theorem_2_refinement_survives_both_compositions(data: st.DataObject) -> None:
    first = data.draw(channels(3))
    second = first.then(data.draw(channels(first.shape[1])))
    other = data.draw(channels(3))
    assert first.beside(other).refined_by(second.beside(other))
    joint = np.array([[0.1, 0.2, 0.3], [0.25, 0.05, 0.1]])
    assert first.dalenius(joint).refined_by(second.dalenius(joint))
    # Seeing more never helps the secret.
    assert first.beside(other).refined_by(first)


@given(channels(4, full=True), st.integers(0, 2**32 - 1))
def test_theorem_3_privacy_bounds_leakage(channel: Channel, seed: int) -> None:
    places = np.random.default_rng(seed).normal(size=(4, 2))
    distance = np.linalg.norm(places[:, None] - places[None], axis=2)
    epsilon = channel.metric_epsilon(distance)
    assert channel.bayes_capacity() <= leakage_bound(epsilon, distance) * LOOSE
    assert is_universally_confusable(channel)


@given(channels(4, full=True), channels(4, full=True))
def test_privacy_adds_up_side_by_side(first: Channel, second: Channel) -> None:
    distance = 1.0 - np.eye(4)
    parts = first.metric_epsilon(distance) + second.metric_epsilon(distance)
    both = first.beside(second)
    assert both.metric_epsilon(distance) <= parts * LOOSE + 1e-12
    assert is_universally_confusable(both)
    product = first.bayes_capacity() * second.bayes_capacity()
    assert both.bayes_capacity() <= product * LOOSE


@given(channels(6), st.sampled_from([[0, 0, 1, 1, 2, 2], [0, 1, 2, 3, 4, 5]]))
def test_theorem_5_for_authors_with_equally_many_documents(
    channel: Channel, author: list[int]
) -> None:
    topic = [0, 0, 0, 0, 1, 1]
    assert exposure(channel, topic) <= exposure(channel, author) + 1e-9


@given(channels(5), st.integers(1, 5))
def test_more_tries_and_coarser_classes_gain_more(channel: Channel, k: int) -> None:
    one = channel.posterior_vulnerability(None, Tries(k))
    assert channel.posterior_vulnerability(None, Tries(k + 1)) >= one - 1e-12
    fine = channel.posterior_vulnerability(None, Classes([0, 1, 2, 3, 4]))
    assert fine == pytest.approx(channel.posterior_vulnerability())
    assert (
        channel.posterior_vulnerability(None, Classes([0, 0, 2, 3, 3])) >= fine - 1e-12
    )


@given(channels(4))
def test_a_zero_probability_breaks_every_epsilon(channel: Channel) -> None:
    epsilon = channel.metric_epsilon(1.0 - np.eye(4))
    assert math.isinf(epsilon) != is_universally_confusable(channel)
