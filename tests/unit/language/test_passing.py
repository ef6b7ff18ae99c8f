import pytest

from publius.embeddings.vocabulary import Vocabulary
from publius.language.passing import are_protected, protected_words
from publius.language.tokenizer import Tokenizer
from publius.materials.words.words import find_words


def passing(text: str) -> list[str]:
    """Return the words of a text that pass."""
    words = Tokenizer().split(text)[1::2]
    protected = are_protected(text, Tokenizer())
    return [
        word for word, is_secret in zip(words, protected, strict=True) if not is_secret
    ]


@pytest.mark.parametrize(
    "text",
    [
        "AT&T",
        "at&t.",
        "A.B. Smith",
        "U.S.A.",
        "i.e.",
        "a.m.",
        "I.",
        "(A.)",
        "-of-the-",
        "and/or",
        "she/her",
        "the@",
        "it=1",
        '"It"',
        "“The",
        "*the*",
        "O'of",
        "f(a)",
        "a[i]",
        "it(the",
        "me.you",
        "the\x1c",
        "\x85the",
        "the\u203c",
        "the😀",
        "A's",
        "A&it's",
    ],
)  # fmt: skip
def test_a_joined_stop_word_is_protected(text: str) -> None:
    assert [word for word in passing(text) if word != "'s"] == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("the house of it", ["the", "of", "it"]),
        ("(the house) [of] {it}", ["the", "of", "it"]),
        ("Is it? It is! To me, then:", ["Is", "it", "It", "is", "To", "me", "then"]),
        ("(he said so.) (see it).", ["he", "so", "it"]),
        ("What about me?!", ["What", "about", "me"]),
        ("\tthe\u00a0of\u2003it\r\n", ["the", "of", "it"]),
        ("It's John's, that’s all", ["It", "'s", "'s", "that", "’s", "all"]),
        ("a house and I, or I?", ["a", "and", "I", "or", "I"]),
        ("a – the — of", ["a", "the", "of"]),
    ],
)  # fmt: skip
def test_a_free_stop_word_passes(text: str, expected: list[str]) -> None:
    assert passing(text) == expected


def test_the_same_word_passes_here_and_not_there() -> None:
    found = find_words(["at AT&T", "", "at"], Tokenizer(), Vocabulary(("house",)))
    assert found.protected.tolist() == [False, True, True, False]


def test_everything_is_protected_when_asked() -> None:
    assert protected_words("the (of) it's", Tokenizer(protect_all=True)) == [
        "the",
        "of",
        "it",
        "'s",
    ]


def test_an_empty_text_has_no_words() -> None:
    assert protected_words("", Tokenizer()) == []


@pytest.mark.parametrize(
    "word", ["fox", "\u2764", "cafe\u0301", "a_", "x\u200d", "\u6f22", "1990"]
)
def test_what_a_word_is_does_not_decide_whether_its_clitic_passes(word: str) -> None:
    parts = Tokenizer().split(f"the {word}'s den")
    assert parts[3:7] == [word, "", "'s", " "]
    assert protected_words(f"the {word}'s den", Tokenizer()) == [word, "den"]
