"""Settings of words at every step of the slider."""

from functools import lru_cache

from publius.core.config import WordSettings
from publius.materials.words.assemble import resolved
from publius.studio.slider import STEPS


@lru_cache(maxsize=2 * len(STEPS))
def settings_at(step: int, *, protect: str = "content") -> WordSettings:
    """Return the resolved settings of a step of the slider."""
    return resolved(WordSettings(epsilon=STEPS[step], protect=protect))
