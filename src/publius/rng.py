"""Random streams for users of the library: ``secure()`` and ``seeded(n)``."""

from publius.core.rng import secure, seeded

__all__ = ["secure", "seeded"]
