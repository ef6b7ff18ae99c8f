"""The loss of the mechanism, computed from its channel."""

import numpy as np
import pytest
from publius_example.mechanism import RandomizedResponse


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 5.0])
def test_no_pair_of_words_loses_more_than_epsilon(epsilon: float) -> None:
    channel = RandomizedResponse(epsilon, 20).channel(np.arange(-1, 20))
    loss = channel.max(axis=0) - channel.min(axis=0)
    assert loss.max() <= epsilon * (1 + 1e-12)
