"""Values as JSON has them."""

import math
from collections.abc import Mapping


def finite_number(value: float) -> float | None:
    """Return a number; None for one that JSON has no name for."""
    return float(value) if math.isfinite(value) else None


def finite(value: object) -> object:
    """Return a value in which every number that JSON has no name for is None."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {key: finite(item) for key, item in value.items()}
    return (
        [finite(item) for item in value] if isinstance(value, list | tuple) else value
    )
