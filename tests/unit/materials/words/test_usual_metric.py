"""What is drawn where neither metric nor ε is asked for."""

from typing import Any

import pytest

from publius.core.config import WordSettings
from publius.core.errors import ParameterError
from publius.materials.words.assemble import plan, resolved

HOP = "hop:k=10:cap=4"


@pytest.mark.parametrize(
    ("given", "metric", "epsilon"),
    [
        ({}, "like", 2.75),
        ({"epsilon": 3.0}, "like", 3.0),
        ({"level": 3.0}, "like", 3.0),
        ({"form": "bag"}, "like", 2.75),
        ({"metric": "hop"}, "hop", 4.0),
        ({"vocabulary": 500}, HOP, 4.0),
        ({"remap": "bayes"}, HOP, 4.0),
        ({"mechanism": "graded"}, HOP, 4.0),
        ({"mechanism": "laplace"}, "euclidean", 4.0),
        ({"embedding": "wordnet-poincare"}, "hyperbolic", 4.0),
    ],
)
def test_every_setting_has_its_metric_and_epsilon(
    given: dict[str, Any], metric: str, epsilon: float
) -> None:
    found = resolved(WordSettings(**given))
    assert (found.metric, found.epsilon, found.rate) == (metric, epsilon, epsilon)
    assert resolved(found) == found


def test_the_default_keeps_the_stated_rule() -> None:
    guarantee = plan(WordSettings()).guarantee
    assert guarantee.metric.startswith("like:cap=4@")
    assert guarantee.worst_loss <= 13.1  # what the former default lost at worst
    assert guarantee.near_level <= 2.75


@pytest.mark.parametrize("epsilon", [0.0, -1.0, float("nan"), float("inf")])
def test_no_bad_epsilon_becomes_the_usual_one(epsilon: float) -> None:
    with pytest.raises(ParameterError, match="epsilon"):
        WordSettings(epsilon=epsilon)
