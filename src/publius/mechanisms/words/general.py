"""Replace words by more general ones: certified, with weights that favour them.

In the Poincaré ball general words lie near the centre. With public weights
``exp(-TILT * beta * |r - GENERAL|)``, r the radius of the output, a step inwards gains
more than the distance costs, until words are as general as "territory" or "music";
"entity" and "object" would say nothing any more. Any public weights are sound: the loss
of a pair never exceeds ``2 * beta`` per unit of distance, and the certificate says what
it is.
"""

import numpy as np

from publius.core.arrays import FloatArray, positive
from publius.core.config import WordSettings
from publius.core.errors import ParameterError
from publius.core.metric import Hyperbolic
from publius.embeddings.embedding import Embedding
from publius.mechanisms import prepared
from publius.mechanisms.balance import TOLERANCE, Calibrator, Progress
from publius.mechanisms.exponential import Exponential
from publius.mechanisms.law import Decay
from publius.mechanisms.words.entry import named_space
from publius.mechanisms.words.tables import cache_calibration, cached_calibration
from publius.numerics.geometry import poincare

LAW = "exponential.v1"

TILT = 2.0
"""How much faster weights fall with the radius than with the distance."""

GENERAL = 2.5
"""Radius of the words that are favoured; 43 shipped nouns lie further in."""


def general_weights(vectors: FloatArray, beta: float) -> FloatArray:
    """Return a weight for each point of the ball, largest where words are general."""
    radius = np.linalg.norm(poincare.log0(vectors), axis=1)
    away = np.abs(radius - GENERAL)
    # The largest weight is 1: with a steep decay all others may underflow.
    return np.exp(-TILT * beta * (away - away.min()))


def generalising(
    embedding: Embedding, settings: WordSettings, progress: Progress
) -> Exponential:
    """Build the exponential mechanism whose outputs tend to be more general words."""
    if settings.metric != Hyperbolic.id:
        raise ParameterError(
            f"generalising is hyperbolic; it has no metric {settings.metric!r}"
        )
    space = named_space(embedding, settings)
    name = file_of(space.id, settings.rate)
    calibrated = cached_calibration(name, space.size, settings.rate)
    if calibrated is None:
        progress("certifying the weights")
        calibrated = calibration(embedding, settings.rate)
        cache_calibration(name, calibrated)
    return Exponential(space, *calibrated)


def calibration(embedding: Embedding, epsilon: float) -> prepared.Calibration:
    """Return decay and certificate within `epsilon`."""
    # The loss of a pair never exceeds 2 * beta * d, whatever the weights.
    beta = positive("epsilon", epsilon) / 2 * (1 - TOLERANCE)
    decay = Decay.rounded(beta, general_weights(embedding.vectors, beta))
    return decay, Calibrator.of(embedding.space(Hyperbolic.id)).certify(decay)


def file_of(space_id: str, epsilon: float) -> str:
    """Return the file of a calibration."""
    law = f"{LAW}-general-{TILT:g}-{GENERAL:g}"
    return prepared.file_name(space_id, epsilon, balanced=False, mechanism=law)
