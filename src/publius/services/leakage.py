"""Leakage: what a channel tells about its secrets."""

import math
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from publius.assessment.auditing.files import read_channel, read_table
from publius.core.arrays import FloatArray
from publius.core.errors import DataError
from publius.core.html import html_table
from publius.core.watch import Watch
from publius.information import Channel, confusability
from publius.services.verb import verb

Given: TypeAlias = str | Path | ArrayLike
"""A file, or the numbers themselves."""


@dataclass(frozen=True, slots=True, eq=False)
class LeakageRequest:
    """Which channel, for whom.

    Args:
        channel: A file (NPZ, CSV, Parquet, NPY) or an array, one row per secret.
        prior: Probabilities of the secrets; None for uniform ones.
        gain: A gain function, one row per action; None gains 1 for naming the secret.
        refined_by: Another channel: is it at least as secure for everybody?
        tolerance: How far a row may sum from 1; nothing is renormalised.
    """

    channel: Given
    prior: Given | None = None
    gain: Given | None = None
    refined_by: Given | None = None
    tolerance: float = 1e-9


@dataclass(frozen=True, slots=True, repr=False)
class Leakage:
    """Figures of one channel by name."""

    figures: dict[str, object]

    def to_json(self) -> dict[str, object]:
        """Return plain values."""
        return dict(self.figures)

    def __repr__(self) -> str:
        leaked = self.figures["multiplicative_leakage"]
        return f"<Leakage: multiplicative {leaked:.6g}>"

    def _repr_html_(self) -> str:
        return html_table("Leakage", ("", ""), list(self.figures.items()))


@verb(LeakageRequest)
def leakage(request: LeakageRequest, watch: Watch) -> Leakage:
    """Measure vulnerability, leakage and capacity of a channel.

    Example:
        >>> import publius as pb
        >>> pb.leakage([[0.75, 0.25], [0.25, 0.75]])
        <Leakage: multiplicative 1.5>
    """
    watch.stage("measuring the channel")
    channel, distance = _channel(request.channel, request.tolerance)
    prior = None if request.prior is None else _numbers(request.prior).ravel()
    gain = None if request.gain is None else _numbers(request.gain)
    figures: dict[str, object] = {
        "secrets": channel.shape[0],
        "outputs": channel.shape[1],
        "prior_vulnerability": float(channel.prior_vulnerability(prior, gain)),
        "posterior_vulnerability": float(channel.posterior_vulnerability(prior, gain)),
        "multiplicative_leakage": float(channel.leakage(prior, gain)),
        "additive_leakage": float(channel.additive_leakage(prior, gain)),
        "bayes_capacity": float(channel.bayes_capacity()),
        "min_entropy_leakage_bits": channel.min_entropy_leakage(prior),
        "shannon_leakage_bits": channel.shannon_leakage(prior),
        "confusability": confusability(channel),
    }
    if distance is not None:
        epsilon = channel.metric_epsilon(distance)
        figures["metric_epsilon"] = epsilon if math.isfinite(epsilon) else None
    if request.refined_by is not None:
        other, _ = _channel(request.refined_by, request.tolerance)
        proof = channel.refinement(other)
        figures["refined_by"] = proof.holds
        figures["witness"] = _rows(proof.witness)
        figures["separating_gain"] = _rows(proof.gain)
    return Leakage(figures)


def _channel(given: Given, tolerance: float) -> tuple[Channel, FloatArray | None]:
    if not isinstance(given, str | Path):
        return Channel(matrix(given), tolerance=tolerance), None
    file = read_channel(Path(given))
    law = np.exp(file.values) if file.is_log else file.values
    return Channel(law, tolerance=tolerance), file.distance


def _numbers(given: Given) -> FloatArray:
    if isinstance(given, str | Path):
        return read_table(Path(given))
    return matrix(given)


def matrix(given: ArrayLike) -> FloatArray:
    """Return rows of numbers as an array.

    Raises:
        DataError: They are no numbers, or rows of unequal length.
    """
    try:
        return np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError):
        pass
    raise DataError("expected a file, or rows of as many numbers each")


def _rows(table: FloatArray | None) -> list[list[float]] | None:
    return None if table is None else [[float(v) for v in row] for row in table]
