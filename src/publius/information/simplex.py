"""Decide ``A x = b, x >= 0`` in fractions: the first phase of the simplex method."""

from fractions import Fraction

import numpy as np

from publius.information.matrix import ExactArray


def solve(a: ExactArray, b: ExactArray) -> tuple[ExactArray | None, ExactArray]:
    """Return a solution or None, and the dual values.

    Without a solution the dual values `y` prove it: ``y @ A <= 0`` and ``y @ b > 0``
    (Farkas). Bland's rule makes the search end.

    Args:
        a: Matrix of fractions.
        b: Right-hand side, fractions >= 0.
    """
    count, width = a.shape
    zero, one = Fraction(0), Fraction(1)
    eye = np.array(
        [[one if i == j else zero for j in range(count)] for i in range(count)]
    )
    tableau = np.hstack([a, eye, b[:, None]])
    # Costs are 1 on the artificial columns; this row holds the reduced costs.
    cost = -tableau.sum(axis=0)
    cost[width : width + count] += one
    basis = list(range(width, width + count))
    while True:
        entering = next((j for j in range(width) if cost[j] < 0), None)
        if entering is None:
            break
        leaving = _leaving(tableau, entering, basis)
        pivot = tableau[leaving] / tableau[leaving, entering]
        tableau -= np.outer(tableau[:, entering], pivot)
        tableau[leaving] = pivot
        cost = cost - cost[entering] * pivot
        basis[leaving] = entering
    duals = one - cost[width : width + count]
    # The last entry of the cost row is minus the sum of the artificial variables.
    if cost[-1] != 0:
        return None, duals
    solution = np.array([zero] * width)
    for row, column in enumerate(basis):
        if column < width:
            solution[column] = tableau[row, -1]
    return solution, duals


def _leaving(tableau: ExactArray, entering: int, basis: list[int]) -> int:
    """Return the row that limits the entering column, lowest variable on ties."""
    column = tableau[:, entering]
    ratios = [
        (tableau[row, -1] / column[row], basis[row], row)
        for row in range(len(column))
        if column[row] > 0
    ]
    # A column of the first phase always has a positive entry: the sum is bounded.
    return min(ratios)[2]
