import math

import numpy as np
import pytest

from publius.assemble import sanitizer
from publius.config import WordSettings
from publius.core.arrays import UNKNOWN
from publius.core.errors import DataError
from publius.core.rng import seeded
from publius.sanitize.oov import MASK_TEXT
from publius.sanitize.sanitizer import Sanitizer

TEXT = "The Zyx-7 CHIEF, said  to\tQwertz: people!"


def cleaner(**settings: object) -> Sanitizer:
    return sanitizer(WordSettings(vocabulary=200, **settings))  # type: ignore[arg-type]


def test_layout_and_stop_words_stay() -> None:
    released = cleaner().release([TEXT], seeded(1))
    parts = cleaner().tokenizer.split(TEXT)
    for gap in (", ", "  to\t", ": ", "!"):
        assert gap in released.texts[0]
    assert released.texts[0].startswith("The ")
    assert released.perturbed.tolist() == [len(parts) // 2 - 2]
    assert released.masked == 0


def test_casing_is_carried_over() -> None:
    used = cleaner(epsilon=0.01)
    words = used.release(["Qwx QWX qwx"] * 50, seeded(2)).texts
    for first, second, third in (text.split(" ") for text in words):
        assert first[:1] == first[:1].upper()
        assert second == second.upper()
        assert third == third.lower()


def test_empty_texts_and_no_texts() -> None:
    assert cleaner().release(["", " \n", "!"], seeded(0)).texts == ["", " \n", "!"]
    assert cleaner().release([], seeded(0)).texts == []


def test_texts_do_not_depend_on_their_neighbours_layout() -> None:
    both = cleaner().release(["people said", "government"], seeded(3))
    assert len(both.texts) == 2
    assert both.perturbed.tolist() == [2, 1]


def test_uniform_gives_every_unknown_word_one_law() -> None:
    used = cleaner()
    one = used.release(["qwertz " * 500], seeded(4)).texts
    other = used.release(["asdfgh " * 500], seeded(4)).texts
    assert one == other
    assert "qwertz" not in one[0]


def test_mask_marks_unknown_words_only() -> None:
    released = cleaner(oov="mask").release(["qwertz people"], seeded(0))
    mark, known = released.texts[0].split(" ")
    assert mark == MASK_TEXT
    assert known in cleaner().embedding.vocabulary.words
    assert released.masked == 1


def test_refuse_releases_nothing_and_quotes_nothing() -> None:
    with pytest.raises(DataError, match="1 of 2 protected words") as caught:
        cleaner(oov="refuse").release(["qwertz people"], seeded(0))
    assert "qwertz" not in str(caught.value)
    assert cleaner(oov="refuse").release(["people"], seeded(0)).texts


def test_function_words_can_be_dropped() -> None:
    used = cleaner(function_words="drop")
    text = used.release(["The people of the\nworld, and more"], seeded(1)).texts[0]
    first, second, *rest = text.replace(", ", " ").split(" ")
    assert {first.lower(), second.lower()} <= set(used.embedding.vocabulary.words)
    assert rest == [""]


def test_protect_all_perturbs_stop_words() -> None:
    used = cleaner(protect="all", epsilon=0.01)
    text = used.release(["the of and to " * 50], seeded(1)).texts[0]
    assert len(set(text.split())) > 40
    assert used.release(["the of"], seeded(0)).perturbed.tolist() == [2]


def test_without_a_generator_two_releases_differ() -> None:
    used = cleaner(epsilon=0.01)
    secret = ["people " * 40]
    assert used.release(secret).texts != used.release(secret).texts


@pytest.mark.parametrize(
    ("settings", "said", "unsaid"),
    [
        ({}, "Stop words", "unknown"),
        ({"protect": "all"}, "capital letters", "Stop words"),
        ({"function_words": "drop"}, "capital letters", "Stop words"),
        ({"oov": "mask"}, "Where a word was unknown", "nothing"),
    ],
)
def test_the_guarantee_names_what_stays(
    settings: dict[str, str], said: str, unsaid: str
) -> None:
    lines = " ".join(cleaner(**settings).guarantee().scope.uncovered)
    assert said in lines
    assert unsaid not in lines


def test_a_mask_has_no_bound_against_known_words() -> None:
    promise = cleaner(oov="mask").guarantee()
    assert promise.landmarks.unknown_loss == math.inf
    assert not any("at all" in line for line in promise.scope.covered)
    assert math.isfinite(cleaner().guarantee().landmarks.unknown_loss)


def test_the_loss_of_an_unknown_word_is_the_largest_log_ratio() -> None:
    mechanism = cleaner().mechanism
    size = 200
    known = mechanism.channel(np.arange(size))  # type: ignore[attr-defined]
    unknown = mechanism.channel(np.array([UNKNOWN]))  # type: ignore[attr-defined]
    largest = np.abs(known - unknown).max()
    stated = cleaner().guarantee().landmarks.unknown_loss
    assert largest <= stated + 1e-9
    assert largest > stated - 1e-6


def test_counting_draws_nothing() -> None:
    used = cleaner()
    secrets = ["people and world", "", TEXT]
    counted = used.count_protected(secrets)
    assert counted.tolist() == used.release(secrets, seeded(0)).perturbed.tolist()
