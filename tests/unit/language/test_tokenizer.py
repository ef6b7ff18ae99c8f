import pytest

from publius.language.stop_words import STOP_WORDS
from publius.language.tokenizer import Tokenizer, fold

TOKENIZER = Tokenizer()


def words(text: str) -> list[str]:
    return TOKENIZER.split(text)[1::2]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        ("Hello, world!", ["Hello", "world"]),
        ("to b.o-x+1@mail.example.org now", ["to", "b.o-x+1@mail.example.org", "now"]),
        ("see https://a.b/c?d=é#f, ok", ["see", "https://a.b/c?d=é#f", "ok"]),
        ("www.example.org", ["www.example.org"]),
        ("@handle #topic_1", ["@handle", "#topic_1"]),
        ("+49 30-1234,5 3rd x_y", ["+49", "30-1234,5", "3rd", "x_y"]),
        ("O'Brien’s and John's", ["O'Brien", "’s", "and", "John", "'s"]),
        ("JOHN'S", ["JOHN", "'S"]),
        ("don't rock'n'roll", ["don't", "rock'n'roll"]),
        ("Jean-Luc", ["Jean", "Luc"]),
        ("cafe\u0301 naïve", ["cafe\u0301", "naïve"]),
        ("שלום עולם", ["שלום", "עולם"]),
        ("हिन्दी", ["हिन्दी"]),
        ("👩‍👧 ok", ["👩‍👧", "ok"]),
        ("a\x00b", ["a", "\x00", "b"]),
        ("soft\u00adhyphen", ["soft", "\u00ad", "hyphen"]),
        ("zero\u200bwidth", ["zero", "\u200b", "width"]),
        ("what\u203c really\u2049", ["what", "\u203c", "really", "\u2049"]),
        ("a\x0bb\x1cc\x85d", ["a", "\x0b", "b", "\x1c", "c", "\x85", "d"]),
        ("¼ Ⅷ ② 𝒳", ["¼", "Ⅷ", "②", "𝒳"]),
        ("\ud800", ["\ud800"]),
    ],
)  # fmt: skip
def test_split(text: str, expected: list[str]) -> None:
    parts = TOKENIZER.split(text)
    assert parts[1::2] == expected
    assert TOKENIZER.join(parts) == text


def test_a_local_part_that_is_too_long_is_still_words() -> None:
    assert "".join(TOKENIZER.split("x" * 70 + "@example.org")[0::2]) == "."


@pytest.mark.parametrize(
    "word", ["the", "The", "THE", "don't", "Don’t", "'s", "'S", "i", "will"]
)
def test_stop_words_pass_in_plain_writing(word: str) -> None:
    assert TOKENIZER.is_stop_word(word)
    assert not Tokenizer(protect_all=True).is_stop_word(word)


@pytest.mark.parametrize(
    "word",
    [
        "May",
        "Will",
        "WILL",
        "US",
        "IT",
        "WHO",
        "tHe",
        "iT",
        "s",
        "M",
        "O",
        "d",
        "doctor",
    ],
)
def test_what_may_be_a_name_does_not_pass(word: str) -> None:
    assert not TOKENIZER.is_stop_word(word)


def test_initials_are_not_stop_words() -> None:
    assert {word for word in STOP_WORDS if len(word) == 1} == {"a", "i"}


@pytest.mark.parametrize("word", sorted(STOP_WORDS))
def test_every_stop_word_is_plain_ascii(word: str) -> None:
    assert word == fold(word)
    assert word.replace("'", "").isascii()
    assert word.replace("'", "").isalpha()


def test_a_list_of_ones_own() -> None:
    assert Tokenizer(frozenset({"und"})).is_stop_word("Und")
    assert not Tokenizer(frozenset({"und"})).is_stop_word("the")


@pytest.mark.parametrize(
    "behind", [",", ".", "...", "!)", ";", "\u2019", "\u201d,", "\u3002"]
)
@pytest.mark.parametrize("word", ["fox", "http://a.b/c", "www.a.org", "x@y.org"])
def test_punctuation_behind_a_word_is_none_of_it(word: str, behind: str) -> None:
    assert Tokenizer().split(f"({word}{behind} or") == [
        "(",
        word,
        f"{behind} ",
        "or",
        "",
    ]


def test_a_hyphen_before_an_address_is_none_of_it() -> None:
    assert Tokenizer().split("-x@y.org, -@z.I") == [
        *("-", "x@y.org", ", -", "@z", ".", "I", "")
    ]
