"""Every attack finds authors with habits, and none where there are no habits."""

import numpy as np
import pytest

from publius.assessment.attacks import (
    ATTACKS,
    Documents,
    Knowledge,
    Known,
    Koppel,
    Resources,
    attack,
    training,
)
from publius.assessment.attacks.writeprints import Reader, Standard
from publius.core.arrays import IdArray
from publius.core.errors import DataError, ParameterError, UnknownNameError
from publius.core.metric import Euclidean
from publius.embeddings.embedding import Embedding
from publius.embeddings.vocabulary import Vocabulary

HABITS = (
    "however the quiet garden slept while rivers murmured beyond old stone walls",
    "dude that game was awesome and those players totally ran so fast today",
    "pursuant to section four the committee shall report findings within thirty days",
)
WORDS = sorted(set(" ".join(HABITS).split()))


def _texts(rng: np.random.Generator, authors: IdArray, share: float) -> list[str]:
    """Draw words of the author with probability `share`, of anybody otherwise."""
    own = [habit.split() for habit in HABITS]
    return [
        " ".join(
            str(rng.choice(own[author] if rng.random() < share else WORDS))
            for _ in range(30)
        )
        for author in authors
    ]


def _documents(seed: int, share: float) -> Documents:
    rng = np.random.default_rng(seed)
    authors = np.arange(120) % 3
    texts = _texts(rng, authors, share)
    return Documents(texts, texts, authors, np.arange(120) % 2 == 0)


@pytest.fixture(scope="module")
def resources() -> Resources:
    vectors = np.random.default_rng(5).normal(size=(len(WORDS), 8))
    embedding = Embedding(Vocabulary(tuple(WORDS)), vectors, Euclidean())

    def encode(texts: object) -> np.ndarray:
        return np.array([[t.count(w) for w in WORDS] for t in texts], float)  # type: ignore[attr-defined]

    return Resources(lambda: embedding, lambda: encode)


@pytest.mark.parametrize("name", sorted(ATTACKS))
def test_attack_finds_habits(name: str, resources: Resources) -> None:
    found = attack(
        training(name, resources), _documents(0, 0.8), Knowledge.ADAPTIVE,
        np.random.default_rng(1),
    )  # fmt: skip
    assert found.accuracy.low > 0.6
    assert found.chance == pytest.approx(1 / 3)


@pytest.mark.parametrize("name", sorted(ATTACKS))
def test_attack_finds_nothing_where_nothing_is(name: str, resources: Resources) -> None:
    found = attack(
        training(name, resources), _documents(2, 0.0), Knowledge.ADAPTIVE,
        np.random.default_rng(1),
    )  # fmt: skip
    assert found.accuracy.value < 0.65
    assert found.accuracy.low <= 0.45


def test_static_attacker_learns_from_originals() -> None:
    documents = Documents(
        ["a", "b", "c", "d"], ["1", "2", "3", "4"], np.array([0, 1, 0, 1]),
        np.array([True, True, False, False]),
    )  # fmt: skip
    assert list(documents.known(Knowledge.STATIC).texts) == ["a", "b"]
    assert list(documents.known(Knowledge.ADAPTIVE).texts) == ["1", "2"]
    assert documents.targets == ["3", "4"]


def test_koppel_may_say_do_not_know() -> None:
    found = attack(
        Koppel(threshold=1.0, repeats=5), _documents(0, 0.8), Knowledge.STATIC,
        np.random.default_rng(0),
    )  # fmt: skip
    assert found.answered.value == 0
    assert found.accuracy.value == 0


def test_known_needs_a_document_of_every_candidate() -> None:
    with pytest.raises(DataError, match="every candidate"):
        Known(["a", "b"], np.array([0, 0]), 2)


def test_documents_need_both_sides() -> None:
    with pytest.raises(DataError, match="known and unknown"):
        Documents(["a"], ["a"], np.array([0]), np.array([True]))


def test_unknown_attack_is_named(resources: Resources) -> None:
    with pytest.raises(UnknownNameError, match="koppel"):
        training("kopel", resources)


def test_koppel_refuses_a_share_beyond_one() -> None:
    with pytest.raises(ParameterError, match="share"):
        Koppel(share=1.5)


def test_writeprints_rows_have_unit_length_and_ignore_constant_features() -> None:
    texts = ["aa bb cc dd.", "aa aa bb ee!", "cc ff aa dd?"]
    reader = Reader.learnt(texts)
    standard = Standard.learnt(reader, reader(texts))
    rows = standard(texts)
    assert np.linalg.norm(rows, axis=1) == pytest.approx(1.0)
    constant = np.ptp(reader(texts).toarray(), axis=0) == 0
    assert constant.any()
    assert rows[:, constant] == pytest.approx(0.0, abs=1e-9)
