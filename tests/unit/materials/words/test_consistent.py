"""One draw for each distinct word: what stays equal, what it costs, how it is drawn."""

import math
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

import numpy as np
import pytest

from publius.assessment.auditing.text_pair import certified_texts
from publius.core.config import WordSettings
from publius.core.errors import GuaranteeMismatchError, ParameterError
from publius.core.guarantee import Unit
from publius.core.rng import RunKey, seeded
from publius.materials.words.assemble import resolved, sanitizer, word_space
from publius.materials.words.consistent import Consistency, consistent_guarantee
from publius.materials.words.sanitizer import Sanitizer

TEXTS = ["Police police Zqx zqx qqy police.", "police zqx of government"]


@lru_cache
def cleaner(consistent: str, **settings: object) -> Sanitizer:
    chosen = WordSettings(vocabulary=300, consistent=consistent, **settings)  # type: ignore[arg-type]
    return sanitizer(chosen)


def words(text: str) -> list[str]:
    return text.lower().replace(".", "").split()


@pytest.mark.parametrize("scope", ["text", "corpus"])
def test_equal_words_of_a_text_stay_equal(scope: str) -> None:
    for number in range(20):
        first = words(cleaner(scope).release(TEXTS, seeded(number)).texts[0])
        assert len({first[0], first[1], first[5]}) == 1
        assert first[2] == first[3]


@pytest.mark.parametrize(("scope", "expected"), [("text", False), ("corpus", True)])
def test_only_a_corpus_has_equal_words_in_different_texts(
    scope: str,
    expected: bool,  # noqa: FBT001
) -> None:
    drawn = [cleaner(scope).release(TEXTS, seeded(n)).texts for n in range(20)]
    alike = [words(first)[2] == words(second)[1] for first, second in drawn]
    assert all(alike) is expected


def test_distinct_unknown_words_draw_for_themselves() -> None:
    pairs = [
        words(cleaner("corpus").release(TEXTS, seeded(seed)).texts[0])[3:5]
        for seed in range(20)
    ]
    assert any(a != b for a, b in pairs)


def test_a_text_spends_one_guarantee_for_each_distinct_word() -> None:
    for scope in ("text", "corpus"):
        used = cleaner(scope)
        assert used.release(TEXTS, seeded(0)).perturbed.tolist() == [3, 3]
        assert used.count_protected(TEXTS).tolist() == [3, 3]
    assert cleaner("no").count_protected(TEXTS).tolist() == [6, 3]


def test_one_key_gives_the_same_draws_in_every_call_and_order() -> None:
    key = RunKey.from_seed(5)
    one = replace(cleaner("corpus"), key=key).release(TEXTS, seeded(0)).texts
    other = replace(cleaner("corpus"), key=key)
    assert other.release(TEXTS[1:], seeded(1)).texts == one[1:]
    assert other.release(TEXTS[:1], seeded(2)).texts == one[:1]
    apart = replace(cleaner("corpus"), key=RunKey.from_seed(6))
    assert apart.release(TEXTS, seeded(0)).texts != one


def test_draws_of_unknown_words_can_be_derived_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    keyed = replace(cleaner("corpus"), key=RunKey.from_seed(5))
    before = keyed.release(TEXTS, seeded(0)).texts
    monkeypatch.setattr("publius.materials.words.consistent.MOST_REMEMBERED", 1)
    again = replace(cleaner("corpus"), key=RunKey.from_seed(5))
    assert again.release(TEXTS, seeded(0)).texts == before


def test_a_mask_stands_for_every_unknown_word() -> None:
    masked = replace(cleaner("corpus", oov="mask"), key=RunKey.from_seed(5))
    released = masked.release(TEXTS, seeded(0))
    assert [words(text).count("[…]") for text in released.texts] == [3, 1]


@pytest.mark.parametrize(
    ("scope", "unit", "place"),
    [("text", Unit.WORD, "text"), ("corpus", Unit.CORPUS_WORD, "corpus")],
)
def test_the_guarantee_is_another_one(scope: str, unit: Unit, place: str) -> None:
    plain, own = cleaner("no").guarantee(), cleaner(scope).guarantee()
    assert own.unit is unit
    assert own.terms == plain.terms
    assert own.landmarks == plain.landmarks
    assert own.scope.covered[1:] == plain.scope.covered
    assert f"nowhere in the {place}" in own.scope.covered[0]
    assert "no bound holds for a single place" in " ".join(own.scope.uncovered)
    with pytest.raises(GuaranteeMismatchError):
        plain.then(own)


def test_only_a_corpus_is_void_when_readers_add_texts() -> None:
    said = [
        " ".join(cleaner(s).guarantee().scope.uncovered) for s in ("text", "corpus")
    ]
    assert ["add texts" in lines for lines in said] == [False, True]


def test_without_consistency_the_guarantee_stays() -> None:
    guarantee = cleaner("no").guarantee()
    assert consistent_guarantee(guarantee, Consistency.NO) is guarantee


def test_grades_draw_for_every_place() -> None:
    with pytest.raises(ParameterError, match="every place"):
        cleaner("text").release_graded(TEXTS, [0, 0])


@pytest.mark.parametrize("form", ["bag", "tf"])
def test_only_texts_have_places(form: str) -> None:
    with pytest.raises(ParameterError, match="--as text"):
        WordSettings(form=form, consistent="text")


def test_the_loss_between_same_patterns_is_that_of_one_word() -> None:
    """Exact: the law of a text is the product of the laws of its distinct words."""
    used = cleaner("text")
    channel, guarantee = used.mechanism.channel, used.guarantee()  # type: ignore[attr-defined]
    rows = channel(np.arange(300))
    gap = float((rows.max(axis=0) - rows.min(axis=0)).max())
    assert gap <= guarantee.worst_loss < 5 * gap
    assert not math.isinf(guarantee.at(1.0, changed=2).pure)


@pytest.mark.parametrize("scope", ["text", "corpus"])
def test_numbers_of_one_entry_draw_for_themselves(scope: str) -> None:
    """A number could else not be exchanged for a word: other places would be equal."""
    used = sanitizer(WordSettings(consistent=scope))
    ids = used.embedding.vocabulary.encode(["101", "102", "house"])
    assert ids[0] == ids[1] != ids[2]
    drawn = [
        words(used.release(["101 and 102 and 101."], seeded(n)).texts[0])[0::2]
        for n in range(10)
    ]
    assert all(first == again for first, _, again in drawn)
    assert any(first != other for first, other, _ in drawn)
    assert used.count_protected(["101 and 102 and 101."]).tolist() == [2]


def test_a_number_is_exchanged_for_a_word_within_the_bound() -> None:
    used = sanitizer(WordSettings(consistent="text"))
    parts = ("room 101 102", "room house 102")
    found = certified_texts(used, word_space(resolved(WordSettings())), *parts)
    assert found.remarks == ()
    assert found.changed == 1
    assert 0 < found.epsilon <= used.guarantee().worst_loss


def test_a_blocked_word_and_its_stand_in_draw_for_themselves(tmp_path: Path) -> None:
    (tmp_path / "block.txt").write_text("police\n")
    block = str(tmp_path / "block.txt")
    used = cleaner("corpus", metric="hop", epsilon=4.0, block=block)
    number = int(used.embedding.vocabulary.encode(["police"])[0])
    stand_in = used.embedding.vocabulary.words[number]
    assert stand_in != "police"
    drawn = [
        words(used.release([f"police {stand_in}"], seeded(n)).texts[0])
        for n in range(20)
    ]
    assert any(one != other for one, other in drawn)
