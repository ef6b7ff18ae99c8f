"""Exact audits: the smallest epsilon of a law that is written down."""

import math
from collections.abc import Hashable, Sequence

import numpy as np
from numpy.typing import ArrayLike

from publius.assessment.auditing.verdict import Verdict
from publius.core.arrays import FloatArray, IdArray
from publius.core.errors import DataError
from publius.core.estimate import Estimate
from publius.core.mechanism import Finite
from publius.core.stating import state_number
from publius.information.channel import Channel
from publius.information.matrix import Sparse
from publius.information.privacy import NEVER, Search, WorstPair, check_distance

LOG_SUM_TOLERANCE = 1e-6


def audit_channel(
    channel: Channel, distance: "ArrayLike | Sparse", claim: float
) -> Verdict:
    """Compare the exact epsilon of a channel with what is claimed."""
    worst = channel.worst_pair(distance)
    return _verdict(worst, claim, channel.inputs or (), channel.outputs or ())


def audit_log_channel(
    log_prob: ArrayLike,
    distance: "ArrayLike | Sparse",
    claim: float,
    *,
    names: Sequence[Hashable] | None = None,
) -> Verdict:
    """Compare the exact epsilon of natural log-probabilities with what is claimed.

    Logarithms keep probabilities that would round to 0; minus infinity is 0 itself.
    """
    logs = np.asarray(log_prob, dtype=np.float64)
    if logs.ndim != 2 or 0 in logs.shape:
        raise DataError(f"log_prob must be a non-empty matrix, got shape {logs.shape}")
    _check_log_rows(logs)
    edges = check_distance(distance, len(logs))
    search = Search(lambda ids: np.maximum(logs[ids], NEVER), logs.shape)
    if isinstance(edges, np.ndarray):
        search.survey(edges)
    search.run(edges)
    inputs = range(len(logs)) if names is None else names
    outputs = inputs if logs.shape[0] == logs.shape[1] else range(logs.shape[1])
    return _verdict(search.result(edges), claim, inputs, outputs)


def audit_finite(
    mechanism: Finite, distance: "ArrayLike | Sparse", claim: float
) -> Verdict:
    """Compare the exact epsilon of a finite mechanism with what is claimed.

    Rows are asked for in blocks and cached when they fit 2 GiB (16,000 words). Beyond
    that each comparison asks for its rows again: use the mechanism's own certificate.
    """
    edges = check_distance(distance, mechanism.size)

    def rows(ids: IdArray) -> FloatArray:
        return np.maximum(mechanism.channel(ids), NEVER)

    search = Search(rows, (mechanism.size, mechanism.size))
    if isinstance(edges, np.ndarray):
        search.survey(edges)
    search.run(edges)
    names = range(mechanism.size)
    return _verdict(search.result(edges), claim, names, names)


def _check_log_rows(logs: FloatArray) -> None:
    good = logs <= LOG_SUM_TOLERANCE
    if not good.all():
        row, column = np.argwhere(~good)[0]
        raise DataError(
            f"log-probabilities must be numbers <= 0; row {row}, column {column} is not"
        )
    sums = np.exp(logs).sum(axis=1)
    wrong = ~(np.abs(sums - 1) <= LOG_SUM_TOLERANCE)
    if wrong.any():
        row = int(np.argmax(wrong))
        raise DataError(
            f"rows of log_prob must be distributions within {LOG_SUM_TOLERANCE:g}; the "
            f"probabilities of row {row} sum to {float(sums[row])!r}"
        )


def _verdict(
    worst: WorstPair,
    claim: float,
    inputs: Sequence[Hashable],
    outputs: Sequence[Hashable],
) -> Verdict:
    told = "is impossible under the other secret"
    if math.isfinite(worst.loss):
        ratio = state_number(math.exp(min(worst.loss, 700.0)), 4)
        told = f"is {ratio} times likelier than under the other secret"
    return Verdict(
        claim=claim,
        epsilon=Estimate.exact(worst.epsilon),
        x=inputs[worst.x],
        other=inputs[worst.other],
        distance=worst.distance,
        event=f"output {outputs[worst.output]!r} {told}",
    )
