"""Refinement: whether one channel is at least as secure as another for everybody.

``C`` is refined by ``D`` when ``D = C R`` for a stochastic ``R`` (post-processing);
otherwise a gain function exists for which ``D`` leaks more (McIver et al. 2014, the
"Coriaceous" theorem). One linear programme gives either: its solution is the witness
``R``, its dual the gain function.
"""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import scipy
import scipy.sparse as sp

from publius.core.arrays import FloatArray
from publius.core.errors import DataError
from publius.information.gain import MatrixGain
from publius.information.matrix import (
    Dense,
    ExactArray,
    Matrix,
    Number,
    alike,
    is_exact,
    rows,
)
from publius.information.simplex import solve

TOLERANCE = 1e-8
"""In floating point ``C R`` and ``D`` count as equal when no entry differs by more."""

LARGEST = 20_000_000
"""Largest number of non-zero coefficients of a programme in floating point."""

LARGEST_EXACT = 400_000
"""Largest tableau of a programme in fractions."""


@dataclass(frozen=True, slots=True, eq=False)
class Refinement:
    """The answer, with its proof.

    Args:
        holds: Whether the first channel is refined by the second.
        witness: A stochastic matrix that turns the first into the second, or None.
        gain: A gain function with values in [0, 1] for which the second has the larger
            posterior vulnerability under the uniform prior, or None.
        gap: By how much it is larger; 0 when refinement holds.
    """

    holds: bool
    witness: Dense | None
    gain: Dense | None
    gap: Number


def refine(first: Matrix, second: Matrix) -> Refinement:
    """Decide whether `second` is `first` followed by a channel, with proof."""
    if first.shape[0] != second.shape[0]:
        raise DataError(
            f"refinement compares channels on the same secrets, got {first.shape[0]} "
            f"and {second.shape[0]}"
        )
    a, b = alike(first, second)
    c, d = rows(a, slice(None)), rows(b, slice(None))
    return _refine_exactly(c, d) if is_exact(c) else _refine_numerically(c, d)


def _refine_numerically(c: FloatArray, d: FloatArray) -> Refinement:
    """Minimise the sum of ``|C R - D|`` over stochastic ``R``."""
    (secrets, inner), outer = c.shape, d.shape[1]
    if np.count_nonzero(c) * outer > LARGEST:
        raise DataError(
            f"channels {c.shape} and {d.shape} are too large to decide refinement; "
            f"the programme would have more than {LARGEST} coefficients"
        )
    slack = sp.eye_array(secrets * outer)
    product = sp.kron(sp.csr_array(c), sp.eye_array(outer))
    sums = sp.kron(sp.eye_array(inner), np.ones((1, outer)))
    empty = sp.csr_array((inner, 2 * secrets * outer))
    solved = scipy.optimize.linprog(  # type: ignore[call-overload]  # its types know no sparse matrix
        np.r_[np.zeros(inner * outer), np.ones(2 * secrets * outer)],
        A_eq=sp.vstack([sp.hstack([product, slack, -slack]), sp.hstack([sums, empty])]),
        b_eq=np.r_[d.ravel(), np.ones(inner)],
        method="highs",
        options={
            "primal_feasibility_tolerance": 1e-10,
            "dual_feasibility_tolerance": 1e-10,
        },
    )
    if solved.x is None:
        raise DataError(f"the refinement programme was not solved: {solved.message}")
    witness = np.maximum(solved.x[: inner * outer].reshape(inner, outer), 0.0)
    witness /= witness.sum(axis=1, keepdims=True)
    if np.abs(c @ witness - d).max() <= TOLERANCE:
        return Refinement(holds=True, witness=witness, gain=None, gap=0.0)
    duals = solved.eqlin.marginals[: secrets * outer].reshape(secrets, outer)
    return _separated(duals.T, c, d)


def _refine_exactly(c: ExactArray, d: ExactArray) -> Refinement:
    """Look for ``R`` in fractions; infeasibility yields the gain function (Farkas)."""
    (secrets, inner), outer = c.shape, d.shape[1]
    count = secrets * outer + inner
    if count * (count + inner * outer) > LARGEST_EXACT:
        raise DataError(
            f"channels {c.shape} and {d.shape} are too large for exact refinement; "
            "compare them in floating point"
        )
    one = np.array([Fraction(int(i == j)) for i in range(outer) for j in range(outer)])
    eye = one.reshape(outer, outer)
    product = np.kron(c, eye)
    sums = np.kron(
        np.array([[Fraction(int(i == j)) for j in range(inner)] for i in range(inner)]),
        np.array([[Fraction(1)] * outer]),
    )
    bound = np.concatenate([d.ravel(), np.array([Fraction(1)] * inner)])
    solution, duals = solve(np.vstack([product, sums]), bound)
    if solution is not None:
        witness = solution.reshape(inner, outer)
        return Refinement(holds=True, witness=witness, gain=None, gap=Fraction(0))
    return _separated(duals[: secrets * outer].reshape(secrets, outer).T, c, d)


def _separated(gain: Dense, c: Dense, d: Dense) -> Refinement:
    """Turn a separating hyperplane into a gain function in [0, 1] and check it."""
    # Adding a constant to all gains of one secret moves both vulnerabilities alike.
    shifted = gain - gain.min(axis=0)
    top = shifted.max()
    gain = shifted / top if top > 0 else shifted
    prior = np.full(len(c), 1 / Fraction(len(c)), dtype=c.dtype)
    scenario = MatrixGain(gain)
    gap = scenario.best(d, prior).sum() - scenario.best(c, prior).sum()
    if not gap > 0:
        raise DataError(
            "refinement cannot be decided in floating point for these channels; "
            "use Channel.exact"
        )
    return Refinement(holds=False, witness=None, gain=gain, gap=gap)
