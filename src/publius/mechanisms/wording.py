"""Numbers in the sentences of a guarantee."""

import math

from publius.core.stating import state_bound

DIGITS = 5


def bound(value: float) -> str:
    """Write a bound for a sentence that says "at most"."""
    return "infinity" if math.isinf(value) else state_bound(value, DIGITS)
