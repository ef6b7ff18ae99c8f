import math

import numpy as np
import pytest

from publius.assessment.auditing.text_pair import (
    LAYOUT,
    LENGTH,
    OPEN,
    PATTERN,
    Certified,
    certified_bags,
    certified_texts,
    certified_whole,
)
from publius.core.config import WordSettings
from publius.core.guarantee import Flat, Gaussian, Guarantee, Landmarks, Unit
from publius.materials.words.assemble import resolved, sanitizer, word_space
from publius.mechanisms.words.given import word_settings

SETTINGS = resolved(WordSettings(vocabulary=300, epsilon=1.0))
A, B = "The people saw the government again.", "The people saw the president again."


def certified(a: str, b: str, **changes: object) -> Certified:
    settings = WordSettings(**{"vocabulary": 300, "epsilon": 1.0, **changes})  # type: ignore[arg-type]
    settings = resolved(settings)
    return certified_texts(sanitizer(settings), word_space(settings), a, b)


def loss_of(x: str, other: str) -> float:
    used, space = sanitizer(SETTINGS), word_space(SETTINGS)
    ids = used.embedding.vocabulary.encode([x, other])
    return used.guarantee().at(float(space.rows(ids[:1])[0, ids[1]])).pure


def test_losses_of_words_that_differ_add() -> None:
    one = certified(A, B)
    assert (one.changed, one.delta, one.remarks) == (1, 0.0, ())
    assert one.epsilon == pytest.approx(loss_of("government", "president"))
    both = certified(A, "The city saw the president again.")
    added = one.epsilon + loss_of("people", "city")
    assert both.changed == 2
    assert both.epsilon == pytest.approx(added)
    assert both.exact is not None
    assert both.exact <= both.epsilon * (1 + 1e-9)


def test_equal_texts_and_two_unknown_words_lose_nothing() -> None:
    assert certified(A, A).epsilon == 0
    assert certified("We saw Quorble.", "We saw Zyxwins.").epsilon == 0
    masked = certified("We saw quorble.", "We saw zyxwins.", oov="mask")
    assert masked.epsilon == 0


def test_an_unknown_word_against_a_known_one() -> None:
    known = certified("The people saw quorble.", "The people saw president.")
    unknown = sanitizer(SETTINGS).guarantee().landmarks.unknown_loss
    assert known.epsilon == pytest.approx(unknown)
    masked = certified("The people saw quorble.", "The people saw years.", oov="mask")
    assert math.isinf(masked.epsilon)
    assert masked.remarks == (OPEN,)


@pytest.mark.parametrize(
    ("a", "b", "why"),
    [
        ("The people saw  it.", "The people saw it.", LAYOUT),
        ("The people saw it.", "The People saw it.", LAYOUT),
        ("The people saw it.", "The people saw her.", LAYOUT),
        ("The people saw it.", "The people saw it!", LAYOUT),
        ("The people saw it.", "The people saw people again it.", LENGTH),
    ],
)
def test_nothing_is_certified_about_what_passes(a: str, b: str, why: str) -> None:
    bound = certified(a, b)
    assert math.isinf(bound.epsilon)
    assert bound.remarks == (why,)


def test_protecting_all_words_covers_stop_words() -> None:
    assert math.isfinite(certified("He saw it.", "She saw it.", protect="all").epsilon)


def test_dropped_words_are_no_difference() -> None:
    bound = certified(
        "people saw her again", "people saw it again", function_words="drop"
    )
    assert bound.epsilon == 0


def test_bags_forget_the_order() -> None:
    used, space = sanitizer(SETTINGS), word_space(SETTINGS)
    assert certified_bags(used, space, "people years", "years people").epsilon == 0
    moved = certified_bags(used, space, "people years", "years president")
    assert moved.epsilon == pytest.approx(loss_of("people", "president"))
    assert certified_bags(used, space, "", "").epsilon == 0
    assert math.isinf(certified_bags(used, space, "people", "people years").epsilon)


def test_whole_texts_and_sentences() -> None:
    flat = Guarantee("m", Unit.DOCUMENT, (Flat(3.0),), landmarks=Landmarks(1, 1, 3))
    assert certified_whole(flat, 1) == Certified(3.0, 1)
    assert certified_whole(flat, 0) == Certified(0.0, 0)
    open_ = Guarantee("m", Unit.DOCUMENT, (Flat(math.inf),))
    assert certified_whole(open_, 1).remarks == (OPEN,)
    noise = Guarantee(
        "m", Unit.SENTENCE, (Gaussian(1.0),), landmarks=Landmarks(diameter=1.0)
    )
    one, two = certified_whole(noise, 1), certified_whole(noise, 2)
    assert 0 < one.delta < 1e-5
    assert 3 < one.epsilon < two.epsilon < math.inf


def test_an_impossible_output_has_no_exact_bound() -> None:
    settings = resolved(
        word_settings(
            {"vocabulary": 300, "epsilon": 1.0, "mechanism": "custext", "group": 5}
        )
    )
    used, space = sanitizer(settings), word_space(settings)
    words = np.array(used.embedding.vocabulary.words)[[40, 250]]
    bound = certified_texts(used, space, *words.tolist())
    assert math.isinf(bound.epsilon)
    assert bound.exact is None or math.isinf(bound.exact)


@pytest.mark.parametrize("scope", ["text", "corpus"])
def test_equal_draws_lose_once_and_only_between_equal_patterns(scope: str) -> None:
    once = certified("people people", "years years", consistent=scope)
    assert once.epsilon == pytest.approx(loss_of("people", "years"))
    assert certified("people people", "years years").changed == 2
    other = certified("people people", "people years", consistent=scope)
    assert other.remarks == (PATTERN,)
    names = certified("Zyx met Quor", "Zyx met Zyx", consistent=scope)
    assert names.remarks == (PATTERN,)
