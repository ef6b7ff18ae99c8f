"""Agreement with libqif (PyPI: qif) on random channels, where it is installed."""

import numpy as np
import pytest

from publius.information import Channel

qif = pytest.importorskip("qif")
CASES = range(25)


def scenario(case: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(case)
    size, width, actions = rng.integers(2, 9, size=3)
    matrix = rng.dirichlet(np.full(width, 0.7), size=size)
    return matrix, rng.dirichlet(np.ones(size)), rng.random((actions, size))


@pytest.mark.parametrize("case", CASES)
def test_vulnerabilities_and_leakages(case: int) -> None:
    matrix, prior, gain = scenario(case)
    channel, measure = Channel(matrix), qif.measure
    pairs = [
        (channel.prior_vulnerability(prior), measure.bayes_vuln.prior(prior)),
        (
            channel.posterior_vulnerability(prior),
            measure.bayes_vuln.posterior(prior, matrix),
        ),
        (channel.leakage(prior), measure.bayes_vuln.mult_leakage(prior, matrix)),
        (
            channel.additive_leakage(prior),
            measure.bayes_vuln.add_leakage(prior, matrix),
        ),
        (channel.bayes_capacity(), measure.bayes_vuln.mult_capacity(matrix)),
        (
            channel.min_entropy_leakage(prior),
            measure.bayes_vuln.min_entropy_leakage(prior, matrix),
        ),
        (channel.shannon_leakage(prior), measure.shannon.add_leakage(prior, matrix)),
        (channel.prior_vulnerability(prior, gain), measure.g_vuln.prior(gain, prior)),
        (
            channel.posterior_vulnerability(prior, gain),
            measure.g_vuln.posterior(gain, prior, matrix),
        ),
        (
            channel.leakage(prior, gain),
            measure.g_vuln.mult_leakage(gain, prior, matrix),
        ),
    ]
    for ours, theirs in pairs:
        assert ours == pytest.approx(theirs, rel=1e-10, abs=1e-12)


@pytest.mark.parametrize("case", CASES)
def test_metric_epsilon(case: int) -> None:
    matrix, _, _ = scenario(case)
    places = np.random.default_rng(case).normal(size=(len(matrix), 2))
    distance = np.linalg.norm(places[:, None] - places[None], axis=2)
    theirs = qif.measure.d_privacy.smallest_epsilon(
        matrix, qif.metric.from_distance_matrix(distance)
    )
    assert Channel(matrix).metric_epsilon(distance) == pytest.approx(theirs, rel=1e-9)


@pytest.mark.parametrize("case", CASES)
def test_compositions_and_posteriors(case: int) -> None:
    matrix, prior, _ = scenario(case)
    other = np.random.default_rng(case).dirichlet(np.ones(3), size=len(matrix))
    both = Channel(matrix).beside(Channel(other)).matrix
    assert both == pytest.approx(
        np.asarray(qif.channel.compose.parallel(matrix, other))
    )
    repeated = np.hstack([matrix / 2, matrix / 2])
    outer, inner = qif.channel.hyper(repeated, prior)
    hyper = Channel(repeated).hyper(prior)
    ours = sorted(zip(hyper.outer, hyper.inner.tolist(), strict=True))
    theirs = sorted(zip(np.ravel(outer), np.asarray(inner).T.tolist(), strict=True))
    assert len(ours) == len(theirs) == matrix.shape[1]
    for (p, row), (q, column) in zip(ours, theirs, strict=True):
        assert [p, *row] == pytest.approx([q, *column], rel=1e-9)


@pytest.mark.parametrize("case", CASES)
def test_refinement(case: int) -> None:
    rng = np.random.default_rng(case)
    first = rng.dirichlet(np.ones(4), size=4)
    blurred = first @ rng.dirichlet(np.ones(3), size=4)
    unrelated = rng.dirichlet(np.ones(3), size=4)
    for second in (blurred, unrelated):
        theirs = bool(qif.refinement.refined_by(first, second))
        assert Channel(first).refined_by(Channel(second)) == theirs
