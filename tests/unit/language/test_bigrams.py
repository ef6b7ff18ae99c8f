import numpy as np

from publius.language.bigrams import letter_bigrams


def test_each_bigram_counts_once() -> None:
    found = letter_bigrams(["banana", "nab", "a", ""]).toarray()
    assert found.sum(axis=1).tolist() == [3, 2, 0, 0]  # ba an na; na ab
    assert (found @ found.T)[0, 1] == 1


def test_words_without_bigrams() -> None:
    assert np.array_equal(letter_bigrams(["a"]).toarray(), [[0.0]])
