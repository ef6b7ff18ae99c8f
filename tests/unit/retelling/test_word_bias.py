"""Pieces of released words that were not used yet are favoured, and nothing else."""

import numpy as np
import pytest

from publius.language.models.causal.byte_pairs import BytePairs
from publius.retelling.word_bias import AGAIN, END, Wanted, WordBias

PIECES = ["<end>", "Ġ", "a", "b", "c", "A", "Ġa", "Ġab", "Ġc"]
BREAK, B, C, WORD_A, WORD_AB, WORD_C = 1, 3, 4, 6, 7, 8
EVERY = np.arange(len(PIECES))[None, :]
FIRST = np.array([0])


def bias(*words: str, ahead: int | None = None, strength: float = 2.0) -> WordBias:
    merges = [("Ġ", "a"), ("Ġa", "b"), ("Ġ", "c")]
    wanted = Wanted([list(words)], strength, ahead)
    return WordBias(wanted, BytePairs(PIECES, merges), (0,))


def favoured(own: WordBias) -> set[int]:
    return set(np.nonzero(own.added(FIRST, EVERY)[0] > 0)[0].tolist())


def take(own: WordBias, *pieces: int) -> WordBias:
    for piece in pieces:
        own.take(FIRST, np.array([piece]))
    return own


def test_words_may_begin_and_go_on() -> None:
    own = bias("ab", "cb")
    # "Ab" begins with the space alone, since no piece has space and capital.
    assert favoured(own) == {WORD_AB, WORD_C, BREAK}
    assert favoured(take(own, WORD_C)) == {WORD_AB, BREAK, B}
    assert favoured(take(own, B)) == {WORD_AB, BREAK}


def test_a_word_that_was_broken_off_begins_anew() -> None:
    own = take(bias("cb"), WORD_C, C)
    assert favoured(own) == {WORD_C, BREAK}
    assert own.added(FIRST, EVERY)[0, 0] == -END * 2.0


def test_a_word_is_used_as_often_as_it_stands() -> None:
    own = take(bias("ab", "ab"), WORD_AB)
    assert WORD_AB in favoured(own)
    take(own, WORD_AB)
    assert not favoured(own)
    assert own.added(FIRST, EVERY)[0, WORD_AB] == -AGAIN * 2.0


def test_an_end_costs_the_share_of_words_that_are_left() -> None:
    own = bias("ab", "c")
    costs = [
        take(own, *pieces).added(FIRST, EVERY)[0, 0]
        for pieces in ([], [WORD_AB], [WORD_C])
    ]
    assert costs == pytest.approx([-2 * END, -END, 0])


def test_where_the_order_is_kept_only_the_next_words_are_favoured() -> None:
    own = bias("c", "ab", "a", ahead=1)
    assert favoured(own) == {WORD_C, BREAK}
    assert favoured(take(own, WORD_C)) == {WORD_AB, BREAK}


def test_a_passage_without_words_has_no_wishes() -> None:
    own = bias()
    assert not own.added(FIRST, EVERY).any()
    assert not take(own, WORD_A).added(FIRST, EVERY).any()
