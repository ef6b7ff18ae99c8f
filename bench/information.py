"""Time leakage, capacity and metric epsilon of a large channel.

    python bench/information.py [SIZE] [--all-pairs]

One pass over memory (``matrix.sum()``) is the yardstick.
"""

import sys
import time
from collections.abc import Callable

import numpy as np
import scipy.sparse as sp

from publius.information import Channel, Classes, Tries


def timed(name: str, call: Callable[[], object], unit: float | None = None) -> float:
    start = time.perf_counter()
    call()
    seconds = time.perf_counter() - start
    ratio = f"{seconds / unit:8.1f} passes" if unit else ""
    print(f"{name:44s} {seconds:8.3f} s {ratio}")
    return seconds


def main(size: int, *, all_pairs: bool) -> None:
    rng = np.random.default_rng(0)
    matrix = rng.random((size, size)) + 0.01
    matrix /= matrix.sum(axis=1, keepdims=True)
    prior = rng.dirichlet(np.ones(size))
    matrix.sum()
    one = timed("one pass (sum)", matrix.sum)
    made: list[Channel] = []
    timed("construct and check", lambda: made.append(Channel(matrix)), one)
    channel = made[0]
    timed("Bayes capacity", channel.bayes_capacity, one)
    timed("Bayes leakage", lambda: channel.leakage(prior), one)
    labels = rng.integers(0, 50, size=size)
    timed(
        "class leakage, 50 classes",
        lambda: channel.leakage(prior, Classes(labels)),
        one,
    )
    timed("3-tries leakage", lambda: channel.leakage(prior, Tries(3)), one)
    timed("Shannon leakage", lambda: channel.shannon_leakage(prior), one)
    gain = rng.random((100, size))
    timed("gain matrix, 100 actions", lambda: channel.leakage(prior, gain), one)
    discrete = 1.0 - np.eye(size)
    timed("metric epsilon, discrete", lambda: channel.metric_epsilon(discrete), one)
    step = np.abs(np.arange(size)[:, None] - np.arange(size)[None])
    ends = np.arange(size - 1)
    line = sp.csr_array((np.ones(size - 1), (ends, ends + 1)), shape=(size, size))
    timed("metric epsilon, line by edges", lambda: channel.metric_epsilon(line), one)
    hops = np.minimum(step, 4.0)
    timed("metric epsilon, line capped at 4", lambda: channel.metric_epsilon(hops), one)
    if all_pairs:
        # No pair of this channel can be skipped: all lose the same per unit.
        places = rng.random((size, 8))
        distance = np.sqrt(((places[:, None] - places[None]) ** 2).sum(axis=2))
        weight = np.exp(-2.0 * distance)
        level = Channel(weight / weight.sum(axis=1, keepdims=True))
        timed("metric epsilon, all pairs", lambda: level.metric_epsilon(distance), one)


if __name__ == "__main__":
    numbers = [int(word) for word in sys.argv[1:] if word.isdigit()]
    main(numbers[0] if numbers else 10_000, all_pairs="--all-pairs" in sys.argv)
