"""Figure 3: the density of equation 7 on the line, and what it misses."""

import numpy as np
from scipy.integrate import quad
from scipy.special import hyp2f1

from publius.core.arrays import FloatArray
from publius.papers.directional.result import Cell, Reproduction, Setting, curve
from publius.papers.hyperbolic.sources import UNSOUND

EPSILONS = (0.125, 0.5, 1.0, 2.0, 8.0)
SHOWN = (0.0, 0.25, 0.5, 0.9)


def normaliser(epsilon: float) -> float:
    """Return Z = 2 · 2F1(1, ε; 2 + ε; -1) / (1 + ε)."""
    return float(2 * hyp2f1(1, epsilon, 2 + epsilon, -1) / (1 + epsilon))


def density(x: FloatArray, epsilon: float) -> FloatArray:
    """Return equation 7 at points of (-1, 1), for noise around the origin."""
    size = np.abs(x)
    return ((1 - size) / (1 + size)) ** epsilon / normaliser(epsilon)


def densities(setting: Setting) -> Reproduction:
    """Draw the density of the published noise in one dimension, as in figure 3."""
    at = np.linspace(-0.999, 0.999, setting.times(401))
    rows: list[tuple[Cell, ...]] = []
    for epsilon in EPSILONS:
        whole = 2 * _mass(epsilon, 0.0)
        heights = density(np.array(SHOWN), epsilon).tolist()
        rows.append(
            (epsilon, normaliser(epsilon), whole, *heights, _mass(epsilon, 0.5))
        )
    curves = [curve("equation 7", f"ε = {e:g}", at, density(at, e)) for e in EPSILONS]
    return Reproduction(
        "feyisetan-fig3",
        "Density of equation 7 in one dimension",
        ("ε", "Z", "integral", *(f"p({x:g})" for x in SHOWN),
         "outside the ball after adding to 0.5"),
        tuple(rows),
        tuple(curves),
        ("x", "density"),
        ("The figure is published without numbers. The closed normaliser is right in "
         "one dimension (the integrals are 1).",
         "The last column is the probability that the sum of this noise and a word at "
         "0.5 leaves the ball, from where the paper projects it back: what is added "
         "inside a ball does not stay there.", UNSOUND),
    )  # fmt: skip


def _mass(epsilon: float, start: float) -> float:
    """Return the probability of noise above `start`."""
    return float(quad(lambda x: float(density(np.array(x), epsilon)), start, 1)[0])
