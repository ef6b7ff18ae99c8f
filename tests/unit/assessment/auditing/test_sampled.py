import numpy as np
import pytest

from publius.assessment.auditing import Plan, audit_sampled
from publius.assessment.auditing.events import low_bit_features
from publius.assessment.auditing.sampled import _pairs
from publius.core.arrays import IdArray, Rng
from publius.core.errors import DataError, ParameterError

DISCRETE = 1 - np.eye(3)


def coin(place: int, count: int, rng: Rng) -> IdArray:
    return rng.integers(3, size=count) * 0 + place


def test_the_worst_pair_is_found_among_many() -> None:
    def draw(place: int, count: int, rng: Rng) -> IdArray:
        return np.where(rng.random(count) < (0.9 if place == 17 else 0.5), 1, 0)

    plan = Plan(draws=4000, pairs=400)
    verdict = audit_sampled(draw, 1 - np.eye(24), 1.0, plan, np.random.default_rng(1))
    assert verdict.refutes_claim
    assert 17 in (verdict.x, verdict.other)
    assert verdict.searched == 8


def test_secrets_at_distance_zero_must_not_differ() -> None:
    rng = np.random.default_rng(2)
    verdict = audit_sampled(coin, np.zeros((2, 2)), 5.0, Plan(draws=400), rng)
    assert np.isinf(verdict.epsilon.low)
    assert verdict.refutes_claim


def test_near_and_far_pairs_are_looked_at_first() -> None:
    line = np.abs(np.arange(50.0)[:, None] - np.arange(50.0)[None])
    pairs = _pairs(line, 8)
    gaps = [abs(a - b) for a, b in pairs]
    assert gaps[:6] == [1] * 6
    assert gaps[-1] == 49


def test_what_cannot_be_audited_is_refused() -> None:
    rng = np.random.default_rng(0)
    with pytest.raises(DataError, match="finite distance"):
        audit_sampled(coin, np.where(np.eye(2), 0, np.inf), 1.0, Plan(), rng)
    with pytest.raises(DataError, match="2 names for 3 secrets"):
        audit_sampled(coin, DISCRETE, 1.0, Plan(), rng, names=["a", "b"])
    with pytest.raises(DataError, match="40 coordinates are too many"):
        audit_sampled(
            lambda _, n, rng: rng.random((n, 40)), DISCRETE, 1.0, Plan(400), rng
        )


@pytest.mark.parametrize(
    "settings", [{"draws": 3}, {"confidence": 1.0}, {"confidence": 0.0}, {"pairs": 0}]
)
def test_plans_are_checked(settings: dict[str, float]) -> None:
    with pytest.raises(ParameterError):
        Plan(**settings)  # type: ignore[arg-type]


def test_the_last_bit_of_a_float() -> None:
    rows = np.array([[1.0], [0.75], [2.0**-40 * 3], [0.0], [1 + 2.0**-52]])
    assert low_bit_features(rows)[:, 0].tolist() == [0.0, -2.0, -40.0, 99.0, -52.0]
