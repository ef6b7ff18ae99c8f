"""Fewer words: common ones are left to the writer, and of long texts some are drawn."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from publius.core.arrays import UNKNOWN
from publius.core.errors import ParameterError
from publius.core.rng import seeded
from publius.embeddings.like import NEGATIONS
from publius.embeddings.vocabulary import Vocabulary
from publius.retelling.choosing import at_most
from publius.retelling.content import without_common
from publius.retelling.retelling import Cut, Retelling
from publius.retelling.settings import RetellSettings

COMMON = ["people", "government", "year"]
RARE = ["violin", "harbour", "dentist", "sculptor"]


@given(
    st.lists(st.integers(0, 12), min_size=1, max_size=6),
    st.integers(1, 8),
    st.integers(0, 99),
)
def test_a_text_gives_its_words_in_order_and_no_more_than_asked(
    sizes: list[int], most: int, seed: int
) -> None:
    counts = np.array(sizes)
    ids = np.arange(counts.sum())
    kept, left = at_most(ids, counts, most, seeded(seed))
    assert left.tolist() == np.minimum(counts, most).tolist()
    assert (np.diff(kept) > 0).all()  # in order, none twice
    owner = np.repeat(np.arange(len(counts)), counts)
    assert np.bincount(owner[kept], minlength=len(counts)).tolist() == left.tolist()


def test_every_place_is_chosen_as_often_whatever_stands_there() -> None:
    chosen = np.zeros(8)
    rng = seeded(3)
    for _ in range(800):
        kept, _ = at_most(np.arange(8), np.array([8]), 2, rng)
        chosen[kept] += 1
    assert chosen.min() > 140  # 200 expected, standard deviation 12
    assert chosen.max() < 260


def test_the_choice_does_not_look_at_the_words() -> None:
    one, _ = at_most(np.arange(6), np.array([6]), 3, seeded(8))
    other, _ = at_most(np.array([5, 5, 0, 9, 0, 7]), np.array([6]), 3, seeded(8))
    assert np.array([5, 5, 0, 9, 0, 7])[one].tolist() == other.tolist()


def test_unknown_words_and_negations_are_never_common() -> None:
    words = Vocabulary(("the", "not", "people", "violin"))
    ids = np.array([2, UNKNOWN, 1, 3, 2, 2])
    kept, counts = without_common(ids, np.array([4, 2]), words, 3)
    assert kept.tolist() == [UNKNOWN, 1, 3]
    assert counts.tolist() == [3, 0]


@given(st.lists(st.sampled_from(COMMON), max_size=9), st.integers(0, 4))
def test_common_words_change_nothing(
    retelling: Retelling, added: list[str], place: int
) -> None:
    own = replace(retelling, cut=Cut("keep", 16, common=1000))
    without = " ".join(RARE)
    longer = " ".join([*RARE[:place], *added, *RARE[place:]])
    assert own.release([without], seeded(4)).texts == (
        own.release([longer], seeded(4)).texts
    )
    assert own.count([longer]).tolist() == [len(RARE)]
    # A law that draws all words does tell them.
    assert retelling.count([longer]).tolist() == [len(RARE) + len(added)]


def test_a_negation_stays_however_common_it_is(retelling: Retelling) -> None:
    own = replace(retelling, cut=Cut(common=20_000))
    assert own.count([" ".join(sorted(NEGATIONS)), "the people"]).tolist() == [6, 0]


@pytest.mark.parametrize("order", ["keep", "passage", "shuffle"])
def test_a_long_text_spends_no_more_than_the_words_that_are_drawn(
    order: str, retelling: Retelling
) -> None:
    own = replace(retelling, cut=Cut(order, 4, most=6))
    texts = [" ".join(RARE * 5), "violin", ""]
    drawn = own.draw(texts, seeded(1))
    assert [[len(p) for p in passages] for passages in drawn] == [[4, 2], [1], []]
    assert own.count(texts).tolist() == [6, 1, 0]


def test_texts_longer_than_the_limit_are_told_apart_by_their_words_alone(
    retelling: Retelling,
) -> None:
    own = replace(retelling, cut=Cut("shuffle", 4, most=6))
    lengths = [
        [len(p) for p in own.draw([" ".join(["violin"] * n)], seeded(n))[0]]
        for n in (6, 7, 60)
    ]
    assert lengths == [[4, 2]] * 3


def test_the_guarantee_says_up_to_how_many_words_are_told(retelling: Retelling) -> None:
    words = retelling.mechanism.guarantee()
    for order in ("keep", "passage", "shuffle"):
        own = replace(retelling, cut=Cut(order, most=48)).guarantee()
        assert own.terms == words.terms
        (told,) = [line for line in own.scope.uncovered if "content words" in line]
        assert told.startswith("How many content words a text has, up to 48")
    scope = replace(retelling, cut=Cut(common=1000)).guarantee().scope
    assert any("1,000 commonest words" in line for line in scope.covered)
    assert not any("commonest" in line for line in retelling.guarantee().scope.covered)


@pytest.mark.parametrize(
    "wrong", [{"most_words": 0}, {"skip_common": -1}, {"most_words": 5, "words": 5}]
)
def test_what_makes_no_sense_is_refused(wrong: dict[str, int]) -> None:
    with pytest.raises(ParameterError):
        RetellSettings(**wrong)  # type: ignore[arg-type]
