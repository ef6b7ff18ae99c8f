"""Prepare the sanitizers of the slider while the first page is being read."""

from collections.abc import Callable

from publius.core.config import WordSettings
from publius.materials.words.assemble import prepare
from publius.services.explain import explain
from publius.services.prepared import PREPARED
from publius.studio.habits import Chosen, habits
from publius.studio.laws import settings_at
from publius.studio.slider import DEFAULT, STEPS

EXAMPLE = "doctor"
SENTENCE = "the old doctor came to the house by the river and asked for bread " * 2


def warm(load: Callable[[], None]) -> None:
    """Build the sanitizers of the slider, the default first, and load the rest.

    Args:
        load: Imports the parts of the application that the first page does not need.
    """
    PREPARED(settings_at(DEFAULT))
    habits(SENTENCE, Chosen())
    explain(EXAMPLE, settings_at(DEFAULT), 1)
    prepare(WordSettings())
    for step in sorted(range(len(STEPS)), key=lambda step: abs(step - DEFAULT)):
        PREPARED(settings_at(step))
    load()
    for step in range(len(STEPS)):
        PREPARED(settings_at(step, protect="all"))
