"""Shannon and min-entropy leakage, in bits."""

import math

import numpy as np

from publius.core.arrays import FloatArray
from publius.information.gain import Identity
from publius.information.matrix import Dense, Matrix, row_blocks, to_float


def shannon_bits(prior: Dense, matrix: Matrix) -> float:
    """Return the mutual information of secret and output.

    Each term is ``prior * C * log2(C / marginal)``, so equal rows give exactly 0
    instead of a difference of two entropies.
    """
    weights = np.asarray(prior, dtype=np.float64)
    law = to_float(matrix)
    marginal: FloatArray = np.asarray(weights @ law)
    total = 0.0
    for run, block in row_blocks(law):
        used = weights[run] > 0
        part = np.asarray(block[used], dtype=np.float64)
        ratio = np.divide(part, marginal, out=np.ones_like(part), where=part > 0)
        np.log2(ratio, out=ratio)
        total += float(np.einsum("i,ij,ij->", weights[run][used], part, ratio))
    return max(0.0, total)


def min_entropy_bits(prior: Dense, matrix: Matrix) -> float:
    """Return the logarithm of the multiplicative Bayes leakage (Smith 2009)."""
    after = Identity().best(matrix, prior).sum()
    return math.log2(float(after / prior.max()))
