import numpy as np
import pytest

from publius.core.errors import DataError, ParameterError
from publius.information import ngram_counts, ruzicka, ruzicka_matrix


def test_ngrams_without_spaces_stay_inside_words() -> None:
    counts = ngram_counts("to sleep, to dream", 4)
    assert dict(counts) == {
        "to": 2,
        "slee": 1,
        "leep": 1,
        "eep,": 1,
        "drea": 1,
        "ream": 1,
    }


@pytest.mark.parametrize("spaces", [True, False])
def test_the_empty_text_has_no_ngrams(*, spaces: bool) -> None:
    assert not ngram_counts("", 3, spaces=spaces)


def test_a_text_shorter_than_n_counts_as_a_whole() -> None:
    assert dict(ngram_counts("ab", 4, spaces=True)) == {"ab": 1}


def test_n_must_be_positive() -> None:
    with pytest.raises(ParameterError, match="n must be"):
        ngram_counts("text", 0)


def test_empty_bags_are_equal_and_disjoint_bags_as_far_as_can_be() -> None:
    assert ruzicka({}, {}) == 0.0
    assert ruzicka({"a": 1}, {"b": 1}) == 1.0
    assert ruzicka({"a": 1}, {}) == 1.0


def test_the_table_agrees_with_single_distances() -> None:
    rng = np.random.default_rng(0)
    counts = rng.integers(0, 4, size=(6, 9))
    counts[3] = 0
    bags = [{str(i): int(v) for i, v in enumerate(row)} for row in counts]
    expected = [[ruzicka(a, b) for b in bags] for a in bags]
    assert np.allclose(ruzicka_matrix(counts, counts), expected)


def test_counts_must_be_counts() -> None:
    with pytest.raises(DataError, match="counts must be numbers >= 0"):
        ruzicka({"a": -1}, {"a": 1})
    with pytest.raises(DataError, match="row 0, column 1"):
        ruzicka_matrix([[1.0, np.nan]], [[1.0, 1.0]])
    with pytest.raises(DataError, match="same features, got 2 and 1"):
        ruzicka_matrix([[1.0, 1.0]], [[1.0]])
    with pytest.raises(DataError, match="must be a table"):
        ruzicka_matrix([1.0], [[1.0]])
