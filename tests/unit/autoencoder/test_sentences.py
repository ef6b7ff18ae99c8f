"""Cutting texts into sentences and joining what was decoded."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from publius.autoencoder.sentences import cased, join, split


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("One. Two! Three?", ["One.", "Two!", "Three?"]),
        ('He said "no." Then he left.', ['He said "no."', "Then he left."]),
        ("Mr. Smith met Dr. J. Doe. They talked.",
         ["Mr. Smith met Dr. J. Doe.", "They talked."]),
        ("a line\nanother line\n\n\nlast", ["a line", "another line", "last"]),
        ("spaced . out . text", ["spaced .", "out .", "text"]),
        ("no end", ["no end"]),
        ("", []),
        (" \n\t ", []),
    ],
)  # fmt: skip
def test_split(text: str, sentences: list[str]) -> None:
    assert split(text) == sentences


@pytest.mark.parametrize(
    "text", ["Dr. " * 250_000, "e.g. ) " * 150_000, " " * 1_000_000, ".'" * 500_000]
)
def test_hostile_texts_take_linear_time(text: str) -> None:
    """Reading from the beginning at each abbreviation would take hours."""
    assert len("".join(split(text)).replace(" ", "")) == len("".join(text.split()))
    assert len(cased(text)) <= len(text)


@given(st.text())
def test_no_letter_is_lost_and_none_is_added(text: str) -> None:
    assert "".join("".join(split(text)).split()) == "".join(text.split())


@given(st.text())
def test_no_sentence_is_empty(text: str) -> None:
    assert all(sentence.strip() == sentence != "" for sentence in split(text))


def test_join_writes_usual_capitals_and_marks() -> None:
    said = ["i think i saw it .", "", "it 's ( nice ) !"]
    assert join(said) == "I think I saw it. It 's ( nice)!"


def test_digits_close_up() -> None:
    assert cased("in 1 9 7 6 i saw it") == "In 1976 I saw it"


def test_a_sentence_without_letters_stays() -> None:
    assert cased("...") == "..."
