"""Prepare the default sanitizers while the first page is being read."""

from collections.abc import Callable

from publius.core.config import WordSettings
from publius.materials.words.assemble import prepare, resolved
from publius.services.explain import explain
from publius.services.prepared import PREPARED

STEPS = (1.0, 1.5, 2.0, 2.5, 3.0, 3.5, 4.0, 4.5, 5.0, 6.0, 7.0, 8.0, 10.0)
"""Values of ε whose certificates ship with the package: the slider's."""

EXAMPLE = "doctor"

DEFAULT = STEPS.index(WordSettings().epsilon)


def settings_at(step: int, *, protect: str = "content") -> WordSettings:
    """Return the resolved settings of a step of the slider."""
    return resolved(WordSettings(epsilon=STEPS[step], protect=protect))


def warm(load: Callable[[], None]) -> None:
    """Build the sanitizers of the slider, the default first, and load the rest.

    Args:
        load: Imports the parts of the application that the first page does not need.
    """
    prepare(WordSettings())
    PREPARED(settings_at(DEFAULT))
    load()
    for step in sorted(range(len(STEPS)), key=lambda step: abs(step - DEFAULT)):
        for protect in ("content", "all"):
            PREPARED(settings_at(step, protect=protect))
    explain(EXAMPLE, settings_at(DEFAULT), 1)
