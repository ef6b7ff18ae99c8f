"""Measures of a rival: what they say of releases whose answer is known."""

import numpy as np
import pytest

from publius.assessment.rivals.measure import (
    Texts,
    author_risk,
    detectable,
    perplexity,
    register_gap,
    strongest,
    subject_alone,
    svm_attackers,
    use_left,
    within_topics,
)
from publius.core.errors import DataError

STYLE = (
    ("whilst rather quite", "gonna kinda yeah"),
    ("indeed thus hence", "lol wow omg"),
)
"""How the two authors of each topic write."""
TOPIC = ("ball goal team match", "chip disk code bug")
AUTHORS, TOPICS = np.repeat(np.arange(4), 12), np.repeat([0, 1], 24)
KNOWN = np.tile(np.arange(12) < 8, 4)


def _written(seed: int, *, styled: bool) -> list[str]:
    rng, texts = np.random.default_rng(seed), []
    for author, topic in zip(AUTHORS.tolist(), TOPICS.tolist(), strict=True):
        words = TOPIC[topic].split()
        if styled:
            words += STYLE[topic][author % 2].split()
        texts.append(" ".join(rng.permutation(words * 3)))
    return texts


def _texts(seed: int, *, styled: bool) -> Texts:
    originals = _written(seed, styled=True)
    return Texts(originals, _written(seed + 1, styled=styled), AUTHORS, KNOWN)


def test_style_finds_authors_and_its_absence_leaves_the_topic(seed: int) -> None:
    rng = np.random.default_rng(seed)
    kept = strongest(author_risk(_texts(seed, styled=True), svm_attackers(), rng))
    gone = author_risk(_texts(seed, styled=False), svm_attackers(), rng)
    assert set(gone) == {
        f"{name}, {how}"
        for name in ("word_svm", "ngram_svm")
        for how in ("static", "adaptive")
    }
    assert kept.value == 1.0
    # Two authors of a topic remain: the subject cannot be hidden by hiding style.
    assert 0.3 <= strongest(gone).value <= 0.85


def test_what_a_subject_gives_away_and_what_is_found_within_it(seed: int) -> None:
    rng = np.random.default_rng(seed)
    alone = subject_alone(AUTHORS, TOPICS, KNOWN)
    assert alone.value == pytest.approx(0.5)
    inside, usual, used = within_topics(_texts(seed, styled=True), TOPICS, rng)
    assert (inside.value, used) == (1.0, 2)
    assert usual == pytest.approx(0.5)
    hidden, _, _ = within_topics(_texts(seed, styled=False), TOPICS, rng)
    assert hidden.value < 0.9


def test_a_topic_of_one_author_is_no_contest(seed: int) -> None:
    with pytest.raises(DataError, match="two authors"):
        within_topics(_texts(seed, styled=True), AUTHORS, np.random.default_rng(0))


def test_topics_are_still_used(seed: int) -> None:
    found = _texts(seed, styled=False)
    uses = Texts(found.originals, found.released, TOPICS, KNOWN)
    assert use_left(uses, np.random.default_rng(seed)).value == 1.0


def test_a_release_is_told_from_originals_only_if_it_differs(seed: int) -> None:
    rng = np.random.default_rng(seed)
    assert detectable(_texts(seed, styled=False), rng).value > 0.9
    assert detectable(_texts(seed, styled=True), rng).value < 0.8


def test_register_counts_stop_words_only() -> None:
    assert register_gap(["the cat and the dog"], ["the pig and the cow"]) == 0.0
    assert register_gap(["the the"], ["of of"]) == pytest.approx(1.0)
    assert register_gap(["the cat"], ["cat cat"]) == pytest.approx(0.5)


def test_perplexity_leaves_out_texts_without_words() -> None:
    assert perplexity(np.array([np.log(8.0), np.nan, np.log(2.0)])) == pytest.approx(4)
