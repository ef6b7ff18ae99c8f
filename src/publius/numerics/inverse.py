"""What can be said about the inputs of a channel, from its rows alone."""

from collections.abc import Callable

import numpy as np

from publius.core.arrays import FloatArray, IdArray
from publius.core.space import blocks
from publius.numerics.parallel import map_blocks


def pull_rows(
    channel: Callable[[IdArray], FloatArray], values: FloatArray
) -> FloatArray:
    """Return the sum over x of ``P(z | x) * values[x]`` for every output z.

    Works in blocks of inputs: ``size**2`` times the columns of values, constant memory.

    Args:
        channel: Log-probabilities of all outputs, one row per input.
        values: One row per input.
    """
    size = len(values)
    total = np.zeros(values.shape)
    rows = blocks(size, size, item_bytes=32)
    for part in map_blocks(lambda ids: np.exp(channel(ids)).T @ values[ids], rows):
        total += part
    return total


def scan_likeliest(
    channel: Callable[[IdArray], FloatArray],
    z: IdArray,
    log_prior: FloatArray,
    most: int,
) -> tuple[IdArray, FloatArray]:
    """Return the inputs with the largest ``log_prior(x) + log P(z | x)``.

    Every row of the channel is formed once: right for any channel, slow for large ones.

    Args:
        channel: Log-probabilities of all outputs, one row per input.
        z: Outputs.
        log_prior: Of each input.
        most: Inputs that are kept for each output.
    """
    size = len(log_prior)
    ids = np.full((len(z), most), -1, dtype=np.int64)
    best = np.full((len(z), most), -np.inf)

    def weighed(x: IdArray) -> tuple[IdArray, FloatArray]:
        return x, channel(x)[:, z] + log_prior[x][:, None]

    for x, log_weight in map_blocks(weighed, blocks(size, size)):
        # Few blocks hold an input that is among the likeliest of an output.
        better = np.flatnonzero((log_weight > best.min(axis=1)).any(axis=0))
        own = np.hstack([best[better], log_weight[:, better].T])
        names = np.hstack([ids[better], np.broadcast_to(x, (len(better), len(x)))])
        kept = np.argpartition(-own, most - 1, axis=1)[:, :most]
        best[better] = np.take_along_axis(own, kept, axis=1)
        ids[better] = np.take_along_axis(names, kept, axis=1)
    return ids, best
