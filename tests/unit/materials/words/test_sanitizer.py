import math
from pathlib import Path

import numpy as np
import pytest

import publius as pb
from publius.core.arrays import UNKNOWN
from publius.core.config import WordSettings
from publius.core.errors import DataError, ParameterError
from publius.core.rng import seeded
from publius.materials.words.assemble import sanitizer
from publius.materials.words.bags import bag_guarantee, release_bags
from publius.materials.words.oov import MASK_TEXT
from publius.materials.words.sanitizer import Sanitizer
from publius.mechanisms.graded import Graded
from publius.mechanisms.words.given import word_settings

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
    guarantee = cleaner(oov="mask").guarantee()
    assert guarantee.landmarks.unknown_loss == math.inf
    assert not any("at all" in line for line in guarantee.scope.covered)
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


@pytest.fixture
def phrases(tmp_path: Path) -> str:
    """Write vectors of words and collocations."""
    names = ("boston", "new_york", "hot_dog", "river", "tea")
    rows = (f"{name} {i} {i % 3}\n" for i, name in enumerate(names))
    path = tmp_path / "phrases.txt"
    path.write_text("".join(rows))
    return str(path)


def test_collocations_are_one_unit_and_are_written_with_spaces(phrases: str) -> None:
    used = sanitizer(WordSettings(embedding=phrases, epsilon=0.01))
    released = used.release(["I saw NEW YORK and Boston."] * 200, seeded(1))
    assert set(released.perturbed.tolist()) == {3}
    assert not any("_" in text for text in released.texts)
    assert any("HOT DOG" in text for text in released.texts)
    assert any("Hot Dog." in text for text in released.texts)
    assert any("collocations" in said for said in released.guarantee.scope.uncovered)


def test_a_collocation_and_a_word_may_stand_for_each_other(phrases: str) -> None:
    used = sanitizer(WordSettings(embedding=phrases, epsilon=200.0))
    released = used.release(["new york", "Boston"], seeded(1))
    assert released.texts == ["new york", "Boston"]
    apart = sanitizer(WordSettings(embedding=phrases, collocations=False))
    assert apart.release(["new york"], seeded(1)).perturbed.tolist() == [2]
    assert not any("colloc" in said for said in apart.guarantee().scope.uncovered)


def test_bags_keep_a_collocation_in_one_piece(phrases: str) -> None:
    used = sanitizer(WordSettings(embedding=phrases, epsilon=0.01))
    bags = release_bags(used, ["new york boston"] * 100, None, seeded(1))
    assert {len(bag) for bag in bags} == {2}
    assert "new_york" in {word for bag in bags for word in bag}
    own, fixed = (bag_guarantee(used.guarantee(), n).scope for n in (None, 5))
    assert any("colloc" in said for said in own.uncovered)
    assert not any("colloc" in said for said in fixed.uncovered)


GRADED = {
    "vocabulary": 200,
    "mechanism": "graded",
    "epsilon": 60.0,
    "sensitive_epsilon": 0.05,
}


def test_every_text_may_have_the_epsilon_of_its_grade() -> None:
    used = sanitizer(word_settings(GRADED))
    texts = ["people government world"] * 40
    released = used.release_graded(texts, [0] * 20 + [1] * 20, seeded(1))
    kept = [text == texts[0] for text in released.texts]
    assert not any(kept[:20])
    assert all(kept[20:])
    built = used.mechanism
    assert isinstance(built, Graded)
    loosest = built.grade_guarantee(1)
    assert released.guarantee.worst_loss == loosest.worst_loss
    strict = used.release_graded(["people"], [0], seeded(1)).guarantee
    assert strict.worst_loss == built.grade_guarantee(0).worst_loss
    assert strict.worst_loss < loosest.worst_loss
    assert used.release_graded([], [], seeded(1)).texts == []


@pytest.mark.parametrize("grades", [[0], [0, 2], [0, -1]])
def test_grades_that_do_not_fit_are_refused(grades: list[int]) -> None:
    used = cleaner(mechanism="graded")
    with pytest.raises((ParameterError, DataError), match="grade"):
        used.release_graded(["people", "world"], grades, seeded(1))


def test_grades_need_a_mechanism_that_has_them() -> None:
    with pytest.raises(ParameterError, match="mechanism graded"):
        cleaner().release_graded(["people"], [0], seeded(1))
    masked = cleaner(mechanism="graded", oov="mask")
    with pytest.raises(ParameterError, match="no mask"):
        masked.release_graded(["people"], [0], seeded(1))


@pytest.mark.parametrize(
    ("texts", "said"), [("a cat", "got one string"), (["a cat", None], "text 2")]
)
def test_what_is_no_list_of_texts_is_refused(texts: object, said: str) -> None:
    # The letters of a string would be texts, and some of them pass as stop words.
    sanitizer = pb.Sanitizer.from_settings(vocabulary=60)
    with pytest.raises(DataError, match=said):
        sanitizer.release(texts)
