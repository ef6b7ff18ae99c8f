"""Sub-words: nothing is unknown, nothing can pose as a special token."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from publius.autoencoder.architecture import BEGIN, END, PAD
from publius.autoencoder.subwords import SPECIAL, Subwords, framed, packed, pieces
from publius.core.errors import DataError, ParameterError

CODE = Subwords.learn(["the cat sat on the mat.", "a dog ran to the cat!"] * 5, 300)


@pytest.mark.parametrize("text", ["the cat", "наука и жизнь", "漢字", "naïve 😀"])
def test_any_script_comes_back(text: str) -> None:
    assert CODE.decode(CODE.encode([text])) == [text]


@given(st.text(alphabet="abc <>/s pad\n", max_size=30))
def test_no_text_holds_a_special_token(text: str) -> None:
    assert all(token >= len(SPECIAL) for token in CODE.encode([text])[0])


@pytest.mark.parametrize("name", SPECIAL)
def test_the_letters_of_a_special_token_stay_letters(name: str) -> None:
    assert min(CODE.encode([f"a {name} b"])[0]) >= len(SPECIAL)


def test_the_code_survives_being_written() -> None:
    again = Subwords.from_json(CODE.written)
    assert again.encode(["the dog sat"]) == CODE.encode(["the dog sat"])
    assert again.size == CODE.size


@pytest.mark.parametrize("written", ["", "{}", '{"model": 3}', "not json"])
def test_other_json_is_refused(written: str) -> None:
    with pytest.raises(DataError, match="sub-word code"):
        Subwords.from_json(written)


def test_too_small_a_code_is_refused() -> None:
    with pytest.raises(ParameterError, match="vocabulary"):
        Subwords.learn(["a"], 10)


@given(st.lists(st.integers(4, 9), max_size=60), st.integers(1, 20))
def test_pieces_are_short_and_lose_nothing(ids: list[int], most: int) -> None:
    found = pieces(ids, most)
    assert [i for piece in found for i in piece] == ids
    assert max(map(len, found)) <= most
    assert len(found) == max(1, -(-len(ids) // most))


def test_rows_are_filled_and_framed() -> None:
    tokens = packed([[5, 6, 7], [], [8]])
    rows, lengths = tokens.rows(np.array([2, 0, 1]))
    assert rows.tolist() == [[8, PAD, PAD], [5, 6, 7], [PAD, PAD, PAD]]
    read, said = framed(rows, lengths)
    assert read.tolist()[0] == [BEGIN, 8, PAD, PAD]
    assert said.tolist() == [[8, END, PAD, PAD], [5, 6, 7, END], [END, PAD, PAD, PAD]]
