"""Equal privacy: the same certified privacy for every contender of a comparison."""

import math
from collections.abc import Callable
from dataclasses import replace

from publius.core.config import WordSettings
from publius.core.errors import ParameterError
from publius.core.guarantee import Guarantee, Unit
from publius.materials.words.assemble import Plan, plan, resolved

TERMS = 100
"""Words of a released document at equal privacy of documents, if none are asked for."""

CLOSE = 0.03
"""What is certified may stay below what is asked by this share."""

TRIES = 12

Made = tuple[WordSettings, Plan]


def by_word(settings: WordSettings, level: float) -> Made:
    """Reach a certified level against the tenth nearest word.

    A mechanism may guarantee less per unit of distance than its parameter says, so the
    parameter is raised until the guarantee is used up. A mechanism that guarantees
    something about documents only is given the level as its parameter.
    """
    settings = resolved(replace(settings, level=level))
    made = plan(settings)
    guarantee = made.guarantee
    if guarantee.unit is not Unit.TOKEN or not math.isfinite(guarantee.near_level):
        return settings, made
    return _reached((settings, made), level, lambda certified: certified.near_level)


def by_document(settings: WordSettings, loss: float) -> Made:
    """Reach a pure loss between any two documents, whatever their words and lengths.

    Only a release of a fixed number of words has such a loss: what is not a vector of
    terms leaves as a bag.
    """
    settings = resolved(replace(for_documents(settings), level=None))
    settings = replace(settings, epsilon=loss / settings.length)
    made = plan(settings)
    if not math.isfinite(made.guarantee.worst_loss):
        raise ParameterError(
            f"{settings.mechanism} guarantees nothing for any two documents; compare "
            "it at equal privacy of words"
        )
    return _reached((settings, made), loss, lambda certified: certified.worst_loss)


def _reached(first: Made, target: float, measure: Callable[[Guarantee], float]) -> Made:
    """Change ε until what is certified comes close to the target from below.

    Losses grow with ε, almost in proportion, until a mechanism tells all it can.
    """
    settings, made = first
    best: Made | None = None
    reached = 0.0
    for _ in range(TRIES):
        loss = measure(made.guarantee)
        if loss <= target:
            is_full = best is not None and loss < reached * (1 + CLOSE / 2)
            if loss > reached:
                best, reached = (settings, made), loss
            if loss >= target * (1 - CLOSE) or is_full:
                break
        epsilon = settings.rate * target * (1 - CLOSE / 2) / loss
        settings = replace(settings, epsilon=epsilon)
        made = plan(settings)
    if best is None:
        raise ParameterError(f"{settings.mechanism} does not reach {target:g}")
    return best


def for_documents(settings: WordSettings) -> WordSettings:
    """Return the same release with a fixed number of words."""
    form = "tf" if settings.form == "tf" else "bag"
    return replace(settings, form=form, length=settings.length or TERMS)


Reach = Callable[[WordSettings, float], Made]
EQUAL_PRIVACY: dict[str, Reach] = {"word": by_word, "document": by_document}
"""What a level means: loss against a near word, or between any two documents."""
