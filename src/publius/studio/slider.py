"""The slider: how much may be learnt, in steps whose certificates ship."""

from publius.core.config import WordSettings

STEPS = (1.0, 1.5, 2.0, 2.5, 3.0, 3.5, 4.0, 4.5, 5.0, 6.0, 7.0, 8.0, 10.0)
"""Values of ε whose certificates ship with the package."""

DEFAULT = STEPS.index(WordSettings().epsilon)
"""Where the slider stands first."""
