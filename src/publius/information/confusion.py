"""Confusability and the hiding and revealing of equivalence relations."""

from collections.abc import Hashable, Sequence

import numpy as np
from numpy.typing import ArrayLike

from publius.core.arrays import at_least
from publius.core.errors import ParameterError
from publius.information.channel import Channel
from publius.information.gain import Classes
from publius.information.matrix import Number, row_blocks


def confusability(channel: Channel) -> int:
    """Return the largest k for which the channel is k-confusable.

    It is the least number of secrets that an output leaves possible (paper,
    Definition 5). Outputs that never occur are not counted.
    """
    possible = np.zeros(channel.shape[1], dtype=np.int64)
    for _, block in row_blocks(channel.matrix):
        possible += np.count_nonzero(block, axis=0)
    return int(possible[possible > 0].min())


def is_confusable(channel: Channel, k: int) -> bool:
    """Tell whether every output leaves at least `k` secrets possible."""
    return confusability(channel) >= at_least("k", k, 1)


def is_universally_confusable(channel: Channel) -> bool:
    """Tell whether no output rules out any secret (paper, Definition 6).

    Definition 6 asks for all k; k is meant up to the number of secrets.
    """
    return confusability(channel) == channel.shape[0]


def exposure(
    channel: Channel, labels: Sequence[Hashable], prior: ArrayLike | None = None
) -> Number:
    """Return the leakage about the class of the secret, less 1.

    It is the smallest epsilon for which the channel is epsilon-hiding and the largest
    delta for which it is delta-revealing. The prior is uniform unless given.
    """
    return channel.leakage(prior, Classes(labels)) - 1


def is_hiding(
    channel: Channel,
    labels: Sequence[Hashable],
    epsilon: Number,
    prior: ArrayLike | None = None,
) -> bool:
    """Tell whether the channel hides the relation (paper, Definition 8)."""
    if not epsilon >= 0:
        raise ParameterError(f"epsilon must be >= 0, got {epsilon}")
    return bool(exposure(channel, labels, prior) <= epsilon)


def is_revealing(
    channel: Channel,
    labels: Sequence[Hashable],
    delta: Number,
    prior: ArrayLike | None = None,
) -> bool:
    """Tell whether the channel reveals the relation (paper, Definition 9)."""
    if not delta >= 0:
        raise ParameterError(f"delta must be >= 0, got {delta}")
    return bool(exposure(channel, labels, prior) >= delta)
