"""Every example and theorem of Fernandes, Dras and McIver (2018), corrected."""

import math
from fractions import Fraction

import numpy as np
import pytest

from publius.information import (
    Channel,
    Classes,
    confusability,
    exposure,
    is_confusable,
    is_hiding,
    is_revealing,
    is_universally_confusable,
    leakage_bound,
    ngram_counts,
    ruzicka,
)

PARITY = Channel.exact([[1, 0], [0, 1], [1, 0], [0, 1]])  # eq. 7
HALVES = Channel.exact([[1, 0], [1, 0], [0, 1], [0, 1]])  # eq. 8
CORRELATION = Channel.exact([[1, 0], [0, 1], [1, 0], [0, 1]]).matrix.T / 4  # eq. 9
TRIANGLE = Channel.exact(
    [["1/2", "1/4", "1/4"], ["1/4", "1/2", "1/4"], ["1/4", "1/4", "1/2"]]
)


def test_lemma_1_an_intersection_attack_undoes_confusability() -> None:
    assert confusability(PARITY) == 2
    assert confusability(HALVES) == 2
    both = PARITY.beside(HALVES)
    assert not is_confusable(both, 2)
    assert both.posterior_vulnerability() == 1


def test_lemma_2_a_linkage_attack_undoes_confusability() -> None:
    # Erratum: eq. 9 sums to 4; a joint distribution needs the factor 1/4.
    linked = PARITY.dalenius(CORRELATION)
    assert is_confusable(PARITY, 2)
    assert not is_confusable(linked, 2)
    assert linked.matrix.tolist() == [[1, 0], [0, 1]]
    assert linked.leakage(CORRELATION.sum(axis=1)) == 2


def test_definition_6_universal_confusability_survives_both_attacks() -> None:
    assert is_universally_confusable(TRIANGLE)
    assert not is_universally_confusable(PARITY)
    assert is_universally_confusable(TRIANGLE.beside(TRIANGLE))
    correlation = np.array([[Fraction(1, 6)] * 3, [Fraction(1, 3), Fraction(1, 6), 0]])
    assert is_universally_confusable(TRIANGLE.dalenius(correlation))


def test_an_output_that_never_occurs_confuses_nothing() -> None:
    assert confusability(Channel([[0.5, 0.5, 0.0], [0.5, 0.5, 0.0]])) == 2


def test_the_triangle_is_log_2_private() -> None:
    distance = 1.0 - np.eye(3)
    assert TRIANGLE.metric_epsilon(distance) == pytest.approx(math.log(2), rel=1e-15)
    assert TRIANGLE.bayes_capacity() == Fraction(3, 2)
    assert TRIANGLE.leakage() == Fraction(3, 2)


def test_section_3_5_the_column_maxima_bound_the_guess() -> None:
    prior = [Fraction(1, 2), Fraction(3, 10), Fraction(1, 5)]
    after = TRIANGLE.posterior_vulnerability(prior)
    assert after <= TRIANGLE.bayes_capacity() * TRIANGLE.prior_vulnerability(prior)


def test_theorem_3_bounds_the_capacity() -> None:
    distance = 1.0 - np.eye(3)
    bound = leakage_bound(TRIANGLE.metric_epsilon(distance), distance)
    assert bound == pytest.approx(2.0)
    assert TRIANGLE.bayes_capacity() <= bound


def test_section_3_6_a_topic_is_revealed_and_an_author_hidden() -> None:
    # Erratum: the second relation of the example is that of the authors, not topics.
    topic, author = ["ab", "ab", "cd", "cd"], ["ac", "bd", "ac", "bd"]
    assert HALVES.bayes_capacity() == 2
    assert is_revealing(HALVES, topic, 1)
    assert not is_revealing(HALVES, topic, Fraction(101, 100))
    assert is_hiding(HALVES, author, 0)
    assert HALVES.posterior_vulnerability(None, Classes(topic)) == 1
    assert HALVES.posterior_vulnerability(None, Classes(author)) == Fraction(1, 2)


def test_theorem_4_refinement_keeps_hiding_and_loses_revealing() -> None:
    labels = [0, 0, 1]
    blurred = TRIANGLE.then(Channel.exact([[1, 0], ["1/2", "1/2"], [0, 1]]))
    assert TRIANGLE.refined_by(blurred)
    assert exposure(blurred, labels) <= exposure(TRIANGLE, labels)
    assert is_hiding(blurred, labels, exposure(TRIANGLE, labels))
    assert is_revealing(TRIANGLE, labels, exposure(blurred, labels))


def test_theorem_5_is_false_for_classes_of_unequal_size() -> None:
    # Erratum: the proof divides by 1/|S| where it needs the prior vulnerability of the
    # finer relation. Here the finer one leaks less than the coarser one.
    author = ["p", "p", "q", "r", "s"]
    topic = ["t", "t", "u", "u", "u"]
    reveals_topic = Channel.exact([[1, 0], [1, 0], [0, 1], [0, 1], [0, 1]])
    assert exposure(reveals_topic, topic) == Fraction(2, 3)
    assert exposure(reveals_topic, author) == Fraction(1, 2)


def test_hiding_and_revealing_ask_for_a_number_not_below_zero() -> None:
    with pytest.raises(ValueError, match="epsilon must be >= 0"):
        is_hiding(HALVES, [0, 0, 1, 1], -0.5)
    with pytest.raises(ValueError, match="delta must be >= 0"):
        is_revealing(HALVES, [0, 0, 1, 1], float("nan"))
    with pytest.raises(ValueError, match="k must be"):
        is_confusable(HALVES, 0)


def test_section_2_the_trigrams_of_orwell() -> None:
    found = list(ngram_counts("The object of persecution", 3, spaces=True))
    assert found[:9] == ["The", "he ", "e o", " ob", "obj", "bje", "jec", "ect", "ct "]


def test_definition_11_the_author_metric() -> None:
    # Erratum: min and max are of the counts, not of their differences.
    assert ruzicka({"a": 2, "b": 1}, {"a": 1, "c": 3}) == pytest.approx(1 - 1 / 6)
