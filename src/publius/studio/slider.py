"""The slider: how much may be learnt, in steps whose certificates ship."""

from publius.core.config import USUAL_EPSILON

STEPS = (1.0, 1.5, 2.0, 2.5, 2.75, 3.0, 3.5, 4.0, 4.5, 5.0, 6.0, 8.0)
"""Values of ε whose certificates ship with the package."""

DEFAULT = STEPS.index(USUAL_EPSILON["like"])
"""Where the slider stands first."""
