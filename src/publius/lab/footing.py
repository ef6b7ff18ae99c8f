"""Equal footing: the same certified privacy for every contender of a comparison."""

import math
from collections.abc import Callable
from dataclasses import replace

from publius.assemble import Plan, plan, resolved
from publius.config import WordSettings
from publius.core.errors import ParameterError

TERMS = 100
"""Words of a released document on the footing of documents, if none are asked for."""

CLOSE = 0.03
"""A loss may stay below the asked one by this share."""

TRIES = 12


def by_word(settings: WordSettings, level: float) -> tuple[WordSettings, Plan]:
    """Reach a level against the tenth nearest word."""
    settings = resolved(replace(settings, level=level))
    return settings, plan(settings)


def by_document(settings: WordSettings, loss: float) -> tuple[WordSettings, Plan]:
    """Reach a pure loss between any two documents, whatever their words and lengths.

    Only a release of a fixed number of words has such a loss: what is not a vector of
    terms leaves as a bag. The certified loss grows with ε, almost in proportion.
    """
    settings = resolved(replace(for_documents(settings), level=None))
    epsilon, made = loss / settings.length, None
    for _ in range(TRIES):
        settings = replace(settings, epsilon=epsilon)
        made = plan(settings)
        found = made.promise.worst_loss
        if not math.isfinite(found):
            raise ParameterError(
                f"{settings.mechanism} promises nothing for any two documents; compare "
                "it on the footing of words"
            )
        if loss * (1 - CLOSE) <= found <= loss:
            return settings, made
        epsilon *= loss * (1 - CLOSE / 2) / found
    raise ParameterError(
        f"{settings.mechanism} does not reach a loss of {loss:g} per document"
    )


def for_documents(settings: WordSettings) -> WordSettings:
    """Return the same release with a fixed number of words."""
    form = "tf" if settings.form == "tf" else "bag"
    return replace(settings, form=form, length=settings.length or TERMS)


Footing = Callable[[WordSettings, float], tuple[WordSettings, Plan]]
FOOTINGS: dict[str, Footing] = {"word": by_word, "document": by_document}
"""What a level means: loss against a near word, or between any two documents."""
