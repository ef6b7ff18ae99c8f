"""Release each text as a bag of words: the order is forgotten."""

import math
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np

from publius.core.arrays import UNKNOWN, IdArray, Rng
from publius.core.guarantee import Flat, Guarantee, Landmarks, Scope, Unit
from publius.core.stating import multiply_up
from publius.materials.words.oov import MASK_TEXT
from publius.materials.words.sanitizer import ABOUT_LAYOUT, MASKED, UNITS, Sanitizer
from publius.materials.words.words import find_words, refuse_unknown

_WHOLE = "The protected words of a text and how many there are."
_BOUNDLESS = (
    "The protected words of a text: no bound holds between two of them in general, "
    "hence none between two texts."
)


def release_bags(
    sanitizer: Sanitizer, texts: Sequence[str], length: int | None, rng: Rng
) -> list[list[str]]:
    """Release each text as a bag of words in vocabulary order.

    Args:
        sanitizer: Finds and replaces words.
        texts: The secrets.
        length: Draw exactly this many words of each text, with repetition; a text
            without words draws ⊥. None draws every protected word once.
        rng: Source of noise.
    """
    words = find_words(texts, sanitizer.tokenizer, sanitizer.embedding.vocabulary)
    where = np.flatnonzero(words.protected)
    owner, ids = words.owner[where], words.ids[words.codes[where]]
    refuse_unknown(ids, sanitizer.oov)
    if length is None:
        drawn = sanitizer.perturb_ids(ids, rng)
    else:
        # ⊥ draws its own law here whatever the policy: a mask or a refusal would tell
        # an empty text, or one in which an unknown word was picked, from the others.
        owner, ids = _resampled(owner, ids, len(texts), length, rng)
        drawn = sanitizer.mechanism.perturb(ids, rng)
    # Sorting by public rank forgets the order.
    order = np.lexsort((drawn, owner))
    bounds = np.searchsorted(owner[order], np.arange(len(texts) + 1))
    # The mask is the last entry, where UNKNOWN = -1 finds it. A bag is written with
    # spaces between its members, so that a collocation keeps or gets underscores.
    words_of = sanitizer.embedding.vocabulary.words
    spelling = np.array(
        [*(word.replace(" ", "_") for word in words_of), MASK_TEXT], dtype=object
    )
    spelled = spelling[drawn[order]].tolist()
    return [spelled[a:b] for a, b in pairwise(bounds)]


def bag_guarantee(guarantee: Guarantee, length: int | None) -> Guarantee:
    """Return the guarantee of a bag.

    A bag of the text's own size keeps the guarantee per word, which lifts to the Earth
    Mover's metric by ``Guarantee.for_bag``. A bag of fixed `length` is a mixture of
    word laws for each of its members, so it costs at most `length` times the largest
    loss between any two inputs, whatever the texts and their lengths are.
    """
    told = guarantee.scope.uncovered
    left = tuple(line for line in told if line not in ABOUT_LAYOUT)
    if length is None:
        uncovered: tuple[str, ...] = ("The number of protected words of a text.",)
        if MASKED in told:
            uncovered += ("How many of them were unknown.",)
        return replace(
            guarantee, scope=replace(guarantee.scope, uncovered=uncovered + left)
        )
    loss = max(guarantee.worst_loss, guarantee.landmarks.unknown_loss)
    worst = multiply_up(loss, length)
    counted = tuple(line for line in left if line != UNITS)
    return replace(
        guarantee,
        metric=f"discrete@documents:{guarantee.metric}",
        unit=Unit.DOCUMENT,
        terms=(Flat(worst),),
        scope=_of_whole_texts(guarantee.scope, worst, counted),
        landmarks=Landmarks(1.0, 1.0, worst, 1.0),
    )


def _of_whole_texts(words: Scope, worst: float, left: tuple[str, ...]) -> Scope:
    """Return what is said about a bag of fixed length: nothing where nothing bounds."""
    if math.isinf(worst):
        return Scope((), (_BOUNDLESS, *left), words.assumptions)
    uncovered = ("Nothing else of the text is released.", *left)
    return Scope((_WHOLE,), uncovered, words.assumptions)


def _resampled(
    owner: IdArray, ids: IdArray, texts: int, length: int, rng: Rng
) -> tuple[IdArray, IdArray]:
    """Pick `length` words of each text with repetition; ⊥ for a text without words."""
    bounds = np.searchsorted(owner, np.arange(texts + 1))
    start, stop = bounds[:-1], bounds[1:]
    pick = rng.integers(0, np.maximum(stop - start, 1)[:, None], size=(texts, length))
    candidates = np.append(ids, UNKNOWN)
    place = np.where((stop == start)[:, None], len(ids), start[:, None] + pick)
    return np.repeat(np.arange(texts), length), candidates[place].ravel()
