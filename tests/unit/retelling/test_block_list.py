"""No word of a block list stands in what is written, however it is dressed."""

import re
import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from publius.retelling.block_list import GAP, BlockList

WORDS = ("film", "café", "groß", "covid19", "13", "new york", "don't", "ﬁn", "ısı")
DRESSES = {
    "upper": str.upper,
    "title": str.title,
    "wide": lambda word: "".join(
        chr(ord(c) + 0xFEE0) if "!" <= c <= "~" else c for c in word
    ),
    "apart": lambda word: unicodedata.normalize("NFD", word),
    "marked": lambda word: "\u0301".join(word) + "\u0336",
    "cut": "\u200b".join,
    "joined": "\u034f".join,
    "varied": "\ufe0f".join,
    "bold": lambda word: "".join(
        chr(0x1D41A + ord(c) - 97) if "a" <= c <= "z" else c for c in word
    ),
}
AROUND = ("{}", "_{}_", "({})", "a {}.", "{}'s", "x-{}", "{}\n")


def seen(text: str) -> str:
    """Return what a reader takes a text for: by another way than the module."""
    shown = (
        c
        for c in unicodedata.normalize("NFKD", text)
        if unicodedata.category(c)[0] != "C" or c.isspace()
    )
    plain = "".join(c for c in shown if unicodedata.category(c) != "Mn")
    return plain.upper().casefold()


def stands(word: str, text: str) -> bool:
    """Say whether a word stands in a text, its parts one after the other."""
    parts = re.findall(r"[^\W_]+", seen(word))
    between = r"[\W_]+".join(map(re.escape, parts))
    return bool(re.search(rf"(?<![^\W_]){between}(?![^\W_])", seen(text)))


@pytest.mark.parametrize("dress", DRESSES.values(), ids=DRESSES)
@pytest.mark.parametrize("around", AROUND)
def test_a_blocked_word_is_found_in_every_form(dress: object, around: str) -> None:
    for word in WORDS:
        text = around.format(dress(word))  # type: ignore[operator]
        assert stands(word, text), (word, text)
        made = BlockList.of([word]).taken_out(text, lambda _: GAP)
        assert not stands(word, made), (word, made)


@settings(derandomize=True, max_examples=300)
@given(
    st.lists(st.sampled_from([*WORDS, "🖕", "a", "b1", "12"]), min_size=1, max_size=5),
    st.lists(
        st.one_of(
            st.sampled_from(
                [*WORDS, "FILMS", "new", "york", "a1", "b12", "b", "🖕", "-"]
            ),
            st.text(max_size=4),
        ),
        max_size=8,
    ),
    st.sampled_from(["", " ", "\u200b", "_", "2"]),
    st.sampled_from([*WORDS, "movie", "a", "1", GAP]),
)
def test_no_text_and_no_stand_in_leaves_a_blocked_word(
    blocked: list[str], parts: list[str], between: str, other: str
) -> None:
    """Also where what is put in the place of one makes another with what is beside."""
    made = BlockList.of(blocked).taken_out(between.join(parts), lambda _: other)
    assert not any(stands(word, made) for word in blocked if seen(word).isalnum())
    assert "🖕" not in blocked or "🖕" not in made


def test_what_is_not_blocked_stays_as_it_is() -> None:
    listed = BlockList.of(["hell", "new york"])
    text = "Hello, shell! A new day in York\u2026 naïve \uff21 \u200b½."
    assert listed.taken_out(text, str.upper) == text
    assert not listed.holds(text)


def test_an_allowed_word_stands_where_a_blocked_one_was() -> None:
    listed = BlockList.of(["film", "new york"])
    made = listed.taken_out("A FILM of New York, ２film2.", lambda word: f"<{word}>x")
    assert made == "A … of …, ２…2."  # the stand-ins hold the blocked words
    made = listed.taken_out("A FILM of New York, ２film2.", lambda _: "movie")
    assert made == "A movie of movie, ２movie2."


def test_a_sign_is_blocked_and_a_gap_may_be() -> None:
    listed = BlockList.of(["…", "🖕"])
    assert listed.taken_out("a… b🖕 c...", lambda _: GAP) == "a b c"
