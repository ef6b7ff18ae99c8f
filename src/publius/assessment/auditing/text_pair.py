"""What is certified between two given texts: the sum over the words that differ."""

import math
from dataclasses import dataclass

import numpy as np
from scipy.optimize import linear_sum_assignment

from publius.accounting.gaussian import USUAL_DELTA, guarantee_epsilon
from publius.core.arrays import UNKNOWN, FloatArray, IdArray
from publius.core.guarantee import Guarantee
from publius.core.loss import Loss
from publius.core.mechanism import Finite
from publius.core.space import Space
from publius.embeddings.vocabulary import Vocabulary
from publius.language.casing import casing_of
from publius.materials.words.consistent import Consistency, distinct_words
from publius.materials.words.oov import FunctionWords, OovPolicy
from publius.materials.words.sanitizer import Sanitizer
from publius.materials.words.words import Words, find_words

LENGTH = "the texts have a different number of protected words, which no bound covers"
LAYOUT = (
    "the texts differ in what is released as it is (spacing, punctuation, capital "
    "letters, unprotected words), which no bound covers"
)
PATTERN = "other places hold equal words, and equal words leave as equal words"
SENTENCES = "the texts have a different number of sentences, which no bound covers"
OPEN = "the guarantee has no bound for a word in which the texts differ"


@dataclass(frozen=True, slots=True)
class Certified:
    """A bound on what a release tells about which of two texts it was.

    Args:
        epsilon: From the guarantee; infinite where it says nothing.
        changed: Number of protected words, or other units, that differ.
        delta: The bound is about all but this probability.
        remarks: Why there is no bound, if there is none.
        exact: The loss by the mechanism's own law, if that is written down.
    """

    epsilon: float
    changed: int
    delta: float = 0.0
    remarks: tuple[str, ...] = ()
    exact: float | None = None

    @classmethod
    def nothing(cls, changed: int, remark: str) -> "Certified":
        """Return that nothing is certified, and why."""
        return cls(math.inf, changed, remarks=(remark,))


def certified_texts(sanitizer: Sanitizer, space: Space, a: str, b: str) -> Certified:
    """Return the bound between two texts of which words are replaced in place.

    Args:
        sanitizer: Releases them.
        space: The words under the metric of its guarantee.
        a: One text.
        b: The other.
    """
    words = find_words([a, b], sanitizer.tokenizer, sanitizer.embedding.vocabulary)
    x, other = _ids(words)
    if len(x) != len(other):
        return Certified.nothing(abs(len(x) - len(other)), LENGTH)
    if sanitizer.consistent is not Consistency.NO:
        vocabulary = sanitizer.embedding.vocabulary
        x, other, is_same = _drawn_once(words, vocabulary)
        if not is_same:
            return Certified.nothing(len(x), PATTERN)
    pairs = np.stack([x, other], axis=1)[x != other]
    if _passing(words, 0, sanitizer) != _passing(words, 1, sanitizer):
        return Certified.nothing(len(pairs), LAYOUT)
    return _summed(sanitizer, space, pairs)


def certified_bags(sanitizer: Sanitizer, space: Space, a: str, b: str) -> Certified:
    """Return the bound between two texts that are released as bags of their size.

    The order of the words is forgotten: the cheapest matching of the words counts.
    """
    words = find_words([a, b], sanitizer.tokenizer, sanitizer.embedding.vocabulary)
    x, other = _ids(words)
    if len(x) != len(other):
        return Certified.nothing(abs(len(x) - len(other)), LENGTH)
    guarantee = sanitizer.guarantee()
    cost = np.array(
        [[_loss(guarantee, space, i, j).pure for j in other] for i in x]
    ).reshape(len(x), len(x))
    # An assignment needs numbers: no bound is dearer than all bounds together.
    finite = np.isfinite(cost)
    dear = 1 + 2 * float(cost[finite].sum())
    rows, columns = linear_sum_assignment(np.where(finite, cost, dear))
    pairs = np.stack([x[rows], other[columns]], axis=1)
    return _summed(sanitizer, space, pairs[pairs[:, 0] != pairs[:, 1]], exact=False)


def certified_whole(guarantee: Guarantee, changed: int) -> Certified:
    """Return the bound when `changed` units, such as sentences, are any others."""
    if changed == 0:
        return Certified(0.0, 0)
    loss = guarantee.at(guarantee.landmarks.diameter, changed=changed)
    if math.isfinite(loss.pure):
        return Certified(loss.pure, changed, loss.slack)
    if math.isinf(loss.renyi[0]):
        return Certified.nothing(changed, OPEN)
    epsilon = guarantee_epsilon(guarantee, USUAL_DELTA, changed=changed)
    return Certified(epsilon, changed, USUAL_DELTA)


def _summed(
    sanitizer: Sanitizer, space: Space, pairs: IdArray, *, exact: bool = True
) -> Certified:
    guarantee, total = sanitizer.guarantee(), Loss()
    for x, other in pairs.tolist():
        total = total + _loss(guarantee, space, x, other)
    remarks = (OPEN,) if math.isinf(total.pure) else ()
    law = None
    mechanism = sanitizer.mechanism
    is_drawn = sanitizer.oov is not OovPolicy.MASK or bool((pairs != UNKNOWN).all())
    if exact and is_drawn and isinstance(mechanism, Finite):
        law = _by_law(mechanism, pairs)
    return Certified(total.pure, len(pairs), total.slack, remarks, law)


def _by_law(mechanism: Finite, pairs: IdArray) -> float:
    """Return the exact loss: words are drawn independently, so their losses add."""
    total = 0.0
    for pair in pairs:
        x, other = mechanism.channel(pair)
        total += _largest_gap(x, other)
    return total


def _largest_gap(x: FloatArray, other: FloatArray) -> float:
    possible = np.isfinite(x) | np.isfinite(other)
    gap = np.abs(x[possible] - other[possible])
    return float(gap.max(initial=0.0))


def _loss(guarantee: Guarantee, space: Space, x: int, other: int) -> Loss:
    """Return the loss between two ids; unknown words are one symbol."""
    if x == other:
        return Loss()
    if UNKNOWN in (x, other):
        unknown = guarantee.landmarks.unknown_loss
        return Loss.unbounded() if math.isinf(unknown) else Loss.from_pure(unknown)
    there = float(space.rows(np.array([x]))[0, other])
    back = float(space.rows(np.array([other]))[0, x])
    return guarantee.at(max(there, back))


def _ids(words: Words) -> tuple[IdArray, IdArray]:
    """Return the ids of the protected words of both texts."""
    ids, owner = words.ids[words.codes], words.owner
    first, second = (ids[words.protected & (owner == text)] for text in (0, 1))
    return first, second


def _drawn_once(words: Words, vocabulary: Vocabulary) -> tuple[IdArray, IdArray, bool]:
    """Return the distinct words of both texts, and whether they repeat alike."""
    distinct = distinct_words(words, Consistency.TEXT, vocabulary)
    owner = words.owner[words.protected]
    first, second = (distinct.codes[owner == text] for text in (0, 1))
    count = int((distinct.owners == 0).sum())
    is_same = np.array_equal(first, second - count)
    return distinct.ids[:count], distinct.ids[count:], is_same


def _passing(words: Words, text: int, sanitizer: Sanitizer) -> list[object]:
    """Return all of a text that leaves as it is, protected words as their casing."""
    start = int(words.counts[:text].sum())
    is_dropped = sanitizer.function_words is FunctionWords.DROP
    passing: list[object] = []
    for place, part in enumerate(words.parts[text]):
        if place % 2 == 0:
            passing.append(part)
        elif words.protected[start + place // 2]:
            passing.append(casing_of(part))
        else:
            # A dropped word leaves its gap, by which texts may still differ.
            passing.append("" if is_dropped else part)
    return passing
