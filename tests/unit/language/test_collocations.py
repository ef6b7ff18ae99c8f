import pytest
from hypothesis import given
from hypothesis import strategies as st

from publius.core.arrays import UNKNOWN
from publius.embeddings.vocabulary import Vocabulary
from publius.language.collocations import Collocations, spelled
from publius.language.tokenizer import Tokenizer
from publius.materials.words.words import find_words, has_collocations

WORDS = (
    "new", "york", "city", "new_york", "new_york_city", "per cent", "of_the",
    "men's_room", "city_of_york", "The_Hague", "the_hague", "_", "x_",
)  # fmt: skip
VOCABULARY = Vocabulary(WORDS)


def units(text: str, tokenizer: Tokenizer | None = None) -> list[str]:
    """Return the units of a text, those of several words as the vocabulary has them."""
    found = find_words([text], tokenizer or Tokenizer(), VOCABULARY)
    assert "".join(found.parts[0]) == text
    names = [WORDS[i] if i != UNKNOWN else "?" for i in found.ids[found.codes]]
    forms = [found.forms[code] for code in found.codes]
    return [
        name if " " in form or "\t" in form else form
        for name, form in zip(names, forms, strict=True)
    ]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("new york", ["new_york"]),
        ("New York City!", ["new_york_city"]),
        ("new york new york city", ["new_york", "new_york_city"]),
        ("NEW new york", ["NEW", "new_york"]),
        ("new  york", ["new", "york"]),
        ("new, york", ["new", "york"]),
        ("new\tyork", ["new_york"]),
        ("five per cent", ["five", "per cent"]),
        ("the men's room", ["the", "men's_room"]),
        ("of the city of york", ["of", "the", "city_of_york"]),
        ("the Hague", ["the_hague"]),
        ("new york_city", ["new", "york_city"]),
        ("york", ["york"]),
        ("", []),
    ],
)
def test_the_longest_sequence_from_the_left_is_one_unit(
    text: str, found: list[str]
) -> None:
    assert units(text) == found


def test_a_unit_of_several_words_is_protected_with_its_stop_words() -> None:
    found = find_words(["city of york"], Tokenizer(), VOCABULARY)
    assert found.protected.tolist() == [True]


def test_no_unit_goes_over_from_one_text_to_the_next() -> None:
    found = find_words(["new", "", "york"], Tokenizer(), VOCABULARY)
    assert found.counts.tolist() == [1, 0, 1]


def test_words_only_if_asked() -> None:
    apart = Tokenizer(collocations=False)
    assert units("new york", apart) == ["new", "york"]
    assert not has_collocations(VOCABULARY, apart)
    assert has_collocations(VOCABULARY, Tokenizer())
    assert not has_collocations(Vocabulary(("new", "_", "a_")), Tokenizer())


def test_stop_words_alone_are_joined_only_where_they_are_protected() -> None:
    assert units("of the") == ["of", "the"]
    assert units("of the", Tokenizer(protect_all=True)) == ["of_the"]


def test_an_entry_in_lower_case_goes_first() -> None:
    found = find_words(["The Hague"], Tokenizer(), VOCABULARY)
    assert found.ids.tolist() == [WORDS.index("the_hague")]


@pytest.mark.parametrize(
    ("word", "text"), [("new_york", "new york"), ("_", "_"), ("x_", "x_"), ("a", "a")]
)
def test_spelling_in_a_text(word: str, text: str) -> None:
    assert spelled(word) == text


LETTERS = ("a", "b", "c")
PHRASES = st.lists(
    st.lists(st.sampled_from(LETTERS), min_size=2, max_size=4).map("_".join),
    min_size=1,
    max_size=6,
    unique=True,
)


@given(PHRASES, st.lists(st.sampled_from((*LETTERS, "z")), max_size=12))
def test_units_are_those_of_the_plain_definition(
    phrases: list[str], words: list[str]
) -> None:
    tokenizer = Tokenizer(stop_words=frozenset())
    vocabulary = Vocabulary((*LETTERS, *phrases))
    expected, place = [], 0
    while place < len(words):
        for length in range(len(words) - place, 0, -1):
            name = "_".join(words[place : place + length])
            if length == 1 or name in phrases:
                expected.append(name)
                place += length
                break
    found = find_words([" ".join(words)], tokenizer, vocabulary)
    forms = [found.forms[code] for code in found.codes]
    assert [form.replace(" ", "_") for form in forms] == expected
    known = [name in vocabulary.words for name in expected]
    assert (found.ids[found.codes] != UNKNOWN).tolist() == known


def test_a_vocabulary_without_collocations_finds_none() -> None:
    assert Collocations(("a", "b"), Tokenizer()).size == 0
