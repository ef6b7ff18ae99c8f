import math

import numpy as np
import pytest
import scipy.sparse as sp

from publius.assessment.auditing import audit_channel, audit_finite, audit_log_channel
from publius.core.arrays import FloatArray, IdArray
from publius.core.errors import DataError, ParameterError
from publius.information import Channel

LINE = np.abs(np.arange(6.0)[:, None] - np.arange(6.0)[None])


def exponential(beta: float) -> FloatArray:
    weight = np.exp(-beta * LINE)
    return weight / weight.sum(axis=1, keepdims=True)


def test_a_true_claim_is_certified_and_a_smaller_one_refuted() -> None:
    exact = Channel(exponential(0.5)).metric_epsilon(LINE)
    verdict = audit_channel(Channel(exponential(0.5)), LINE, exact)
    assert not verdict.refutes_claim
    assert verdict.is_exact
    assert verdict.epsilon.value == exact
    assert audit_channel(Channel(exponential(0.5)), LINE, exact - 1e-6).refutes_claim


def test_the_names_of_the_worst_pair_are_told() -> None:
    channel = Channel(
        [[0.5, 0.5], [0.9, 0.1]], inputs=["ann", "bob"], outputs=["y", "n"]
    )
    verdict = audit_channel(channel, 1 - np.eye(2), 1.0)
    assert (verdict.x, verdict.other) == ("ann", "bob")
    assert "output 'n' is 5 times likelier" in verdict.event
    assert verdict.to_json()["refuted"] is True


def test_logarithms_keep_what_probabilities_lose() -> None:
    logs = np.log(exponential(1.0))
    assert audit_log_channel(logs, LINE, 9.0).epsilon.value == pytest.approx(
        Channel(exponential(1.0)).metric_epsilon(LINE)
    )
    deep = np.array([[0.0, -900.0], [0.0, -901.0]])
    verdict = audit_log_channel(deep, 1 - np.eye(2), 1.0)
    assert verdict.epsilon.value == pytest.approx(1.0)
    assert not verdict.refutes_claim


def test_minus_infinity_is_a_probability_of_zero() -> None:
    logs = np.array([[0.0, -np.inf], [math.log(0.5), math.log(0.5)]])
    verdict = audit_log_channel(logs, 1 - np.eye(2), 50.0)
    assert verdict.refutes_claim
    assert verdict.to_json()["unbounded"] is True
    assert "impossible" in verdict.event


@pytest.mark.parametrize(
    ("logs", "message"),
    [
        ([[0.0, 1.0]], "row 0, column 1"),
        ([[0.0, np.nan]], "row 0, column 1"),
        ([[math.log(0.5), math.log(0.4)]], "row 0 sum to"),
        ([0.0], "non-empty matrix"),
    ],
)
def test_logarithms_that_are_no_law_are_refused(logs: object, message: str) -> None:
    with pytest.raises(DataError, match=message):
        audit_log_channel(logs, [[0.0]], 1.0)  # type: ignore[arg-type]


class Words:
    """A finite mechanism on a line that counts the rows it is asked for."""

    name = "line.v1"
    size = 6

    def guarantee(self) -> None: ...

    def perturb(self, x: IdArray, rng: np.random.Generator) -> IdArray:
        return (x + rng.integers(6, size=x.shape)) % 6

    def channel(self, x: IdArray) -> FloatArray:
        return np.log(exponential(0.5))[x]


def test_a_mechanism_is_audited_by_all_pairs_or_by_edges() -> None:
    edges = sp.csr_array(np.where(LINE == 1, LINE, 0.0))
    by_pairs = audit_finite(Words(), LINE, 1.0)  # type: ignore[arg-type]
    by_edges = audit_finite(Words(), edges, 1.0)  # type: ignore[arg-type]
    assert by_pairs.epsilon.value == pytest.approx(by_edges.epsilon.value)
    assert not by_pairs.refutes_claim


@pytest.mark.parametrize("claim", [-1.0, math.nan])
def test_a_claim_is_a_number_not_below_zero(claim: float) -> None:
    with pytest.raises(ParameterError, match="claim"):
        audit_channel(Channel(exponential(1.0)), LINE, claim)


@pytest.mark.parametrize("cap", [1.0, 3.0, 99.0])
def test_logarithms_and_probabilities_agree_under_any_cap(cap: float) -> None:
    rng = np.random.default_rng(3)
    law = rng.dirichlet(np.ones(9), size=300)
    places = rng.normal(size=(300, 2))
    distance = np.linalg.norm(places[:, None] - places[None], axis=2)
    distance = np.minimum(distance, cap)
    expected = Channel(law).metric_epsilon(distance)
    found = audit_log_channel(np.log(law), distance, 1.0)
    assert found.epsilon.value == pytest.approx(expected, rel=1e-12)
