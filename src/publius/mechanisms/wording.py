"""Numbers in the sentences of a promise."""

import math
from decimal import ROUND_CEILING, Context, Decimal

DIGITS = 5


def bound(value: float) -> str:
    """Write a bound with few digits, rounded up: a rounded promise must stay true."""
    if math.isinf(value):
        return "infinity"
    rounded = Context(DIGITS, ROUND_CEILING).create_decimal(Decimal(value))
    return f"{rounded.normalize():f}"
