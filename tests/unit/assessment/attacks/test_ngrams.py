"""Vectorised n-grams equal the slow definition."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from publius.assessment.attacks.ngrams import NgramCounter
from publius.core.errors import ParameterError
from publius.information.ruzicka import ngram_counts


@given(st.lists(st.text("ab cé\n", max_size=12), min_size=1, max_size=5))
def test_counts_equal_the_definition(texts: list[str]) -> None:
    counter = NgramCounter.learnt(texts, n=4, most=1000, across_words=False)
    found = counter.counts(texts).toarray()
    for row, text in zip(found, texts, strict=True):
        wanted = sorted(ngram_counts(text, 4).values())
        assert sorted(row[row > 0].tolist()) == wanted


@given(st.lists(st.text("ab ", min_size=0, max_size=9), min_size=1, max_size=4))
def test_windows_across_words_stay_in_their_text(texts: list[str]) -> None:
    counter = NgramCounter.learnt(texts, n=3, most=1000, across_words=True)
    totals = counter.counts(texts).sum(axis=1)
    assert totals.tolist() == [max(0, len(text) - 2) for text in texts]


def test_only_the_most_frequent_are_kept() -> None:
    counter = NgramCounter.learnt(["aaaa aaaa bbbb"], n=4, most=1, across_words=False)
    assert counter.counts(["aaaa", "bbbb"]).toarray().ravel().tolist() == [1, 0]


@pytest.mark.parametrize("across", [True, False])
def test_no_text_gives_no_row(across: bool) -> None:  # noqa: FBT001
    counter = NgramCounter.learnt(["abcd"], n=4, most=5, across_words=across)
    assert counter.counts([]).shape == (0, 1)
    assert np.asarray(counter.counts(["", "  "]).sum(axis=1)).tolist() == [0, 0]


@pytest.mark.parametrize("n", [0, 5])
def test_other_lengths_are_refused(n: int) -> None:
    with pytest.raises(ParameterError, match="n must lie"):
        NgramCounter.learnt(["abc"], n=n, most=5, across_words=True)
