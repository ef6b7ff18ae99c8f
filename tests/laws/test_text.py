"""Laws of text in and text out: nothing is lost, and nothing secret passes."""

import unicodedata
from functools import lru_cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from publius.core.config import WordSettings
from publius.core.rng import seeded
from publius.language.casing import apply_casing, casing_of
from publius.language.passing import are_protected
from publius.language.tokenizer import SPACES, Tokenizer
from publius.materials.words.assemble import sanitizer
from publius.materials.words.sanitizer import Sanitizer

PIECES = ["the", "May", "people", "@x", "http://", "1,2", "'s", "’", "-", "_", "+"]
PIECES += ["\u200d", "\u00ad", "\u0301", "\ufe0f", "\x00", "\u202e", "é", "ש", "ह"]
PIECES += ["👩", "\n", " ", ".", "#"]
TEXTS = st.text() | st.lists(st.sampled_from(PIECES)).map("".join)


@given(TEXTS, st.booleans())
def test_split_loses_nothing(text: str, protect_all: bool) -> None:  # noqa: FBT001
    tokenizer = Tokenizer(protect_all=protect_all)
    parts = tokenizer.split(text)
    assert tokenizer.join(parts) == text
    assert len(parts) % 2 == 1
    assert all(parts[1::2])


@given(st.text(st.characters(categories=["Cs", "Co", "Cn", "Cc", "Cf", "Ll"])))
def test_split_loses_no_surrogate_or_unassigned_character(text: str) -> None:
    assert "".join(Tokenizer().split(text)) == text


def is_layout(character: str) -> bool:
    """White space, or punctuation and symbols that are the same in every text."""
    kind = unicodedata.category(character)
    return (
        character in SPACES
        or kind[0] == "P"
        or (kind[0] == "S" and character < "\uffff")
    )


@given(TEXTS)
def test_gaps_hold_layout_only(text: str) -> None:
    for gap in Tokenizer().split(text)[0::2]:
        assert all(is_layout(c) and not c.isalnum() and c != "_" for c in gap)


@pytest.mark.parametrize(
    "kind", ["Cc", "Cf", "Co", "Cs", "Mn", "Mc", "Me", "Nd", "Nl", "No", "So", "Lo"]
)
def test_no_character_of_a_telling_kind_is_in_a_gap(kind: str) -> None:
    """Every character of Unicode, one kind at a time; listed white space is layout."""
    every = [chr(c) for c in range(0x110000)]
    of_kind = [c for c in every if unicodedata.category(c) == kind and c not in SPACES]
    gaps = " ".join(of_kind)
    assert set("".join(Tokenizer().split(gaps)[0::2])) <= {" "}


def test_of_control_characters_only_layout_passes() -> None:
    control = {c for c in SPACES if unicodedata.category(c) == "Cc"}
    assert control == {"\t", "\n", "\f", "\r"}


@given(TEXTS)
def test_a_stop_word_that_passes_stands_free(text: str) -> None:
    """Whatever passes has white space or an end next to its brackets and stops."""
    tokenizer = Tokenizer()
    parts = tokenizer.split(text)
    for place in np.flatnonzero(~are_protected(text, tokenizer)).tolist():
        before = "".join(parts[: 2 * place + 1]).rstrip("([{")
        after = "".join(parts[2 * place + 2 :]).removeprefix("'s").removeprefix("’s")
        is_clitic = parts[2 * place + 1] in ("'s", "’s", "'S", "’S")
        assert is_clitic or before == "" or before[-1] in SPACES
        rest = after.lstrip(")]}.,;:!?…")
        assert rest == "" or rest[0] in SPACES


@given(st.text(min_size=1, max_size=8))
def test_casing_is_stable(word: str) -> None:
    casing = casing_of(word)
    assert apply_casing("qx", casing) in ("qx", "Qx", "QX")


@lru_cache
def cleaner(**settings: str) -> Sanitizer:
    return sanitizer(WordSettings(vocabulary=50, **settings))  # type: ignore[arg-type]


def allowed(cleaner: Sanitizer) -> set[str]:
    """Every spelling that may be drawn."""
    words = cleaner.embedding.vocabulary.words
    return {f for w in words for f in (w, w[:1].upper() + w[1:], w.upper())} | {"[…]"}


@given(TEXTS, st.sampled_from(["content", "all"]), st.sampled_from(["uniform", "mask"]))
def test_a_release_is_gaps_stop_words_and_drawn_words(
    text: str, protect: str, oov: str
) -> None:
    used = cleaner(protect=protect, oov=oov)
    released = used.release([text], seeded(0)).texts[0]
    drawable, rest = allowed(used), released
    parts = used.tokenizer.split(text)
    protected = are_protected(text, used.tokenizer)
    # Read the release against the secret's own layout: between two gaps, nothing but
    # what passes by the list or what the vocabulary could have given.
    for place, part in enumerate(parts):
        if place % 2 == 0 or not protected[place // 2]:
            assert rest.startswith(part)
            rest = rest[len(part) :]
            continue
        ends = [w for w in drawable if rest.startswith(w)]
        following = "".join(parts[place + 1 : place + 2])
        fitting = [w for w in ends if rest[len(w) :].startswith(following)]
        assert fitting
        rest = rest[len(max(fitting, key=len)) :]
        if len(fitting) > 1:
            return  # "o" and "of": either may have been drawn


@given(
    st.text(
        st.characters(categories=["L", "N", "S", "C", "M"], min_codepoint=0x100),
        min_size=1,
    )
)
def test_no_rare_character_survives(text: str) -> None:
    released = cleaner().release([text], seeded(0)).texts[0]
    known = set("".join(allowed(cleaner())))
    assert not {c for c in released if not is_layout(c)} - known
