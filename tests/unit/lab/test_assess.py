"""Words are paired place by place, and the learnt channel is used."""

import numpy as np
import pytest

from publius.core.errors import DataError
from publius.embeddings.embedding import Embedding
from publius.embeddings.vocabulary import Vocabulary
from publius.lab.assess import align, invert_sample
from publius.lab.sample import Sample, make_sample

WORDS = ("cat", "dog", "car", "bus")


@pytest.fixture
def embedding() -> Embedding:
    return Embedding(Vocabulary(WORDS), np.eye(4))


def _sample(released: list[str]) -> Sample:
    originals = ["the cat saw a dog"] * len(released)
    labels = ["x", "y"] * (len(released) // 2)
    return make_sample(originals, labels, np.random.default_rng(0), released=released)


def test_stop_words_are_no_targets(embedding: Embedding) -> None:
    pairs = align(_sample(["the dog ate a cat"] * 8), embedding, known=True)
    assert pairs.x.tolist()[:3] == [0, -1, 1]
    assert pairs.z.tolist()[:3] == [1, -1, 0]


def test_a_fixed_swap_is_undone(embedding: Embedding) -> None:
    found = invert_sample(_sample(["the car saw a bus"] * 8), embedding)
    assert found.kept.value == 0
    assert found.guessed.value == 1
    assert found.unaligned == 0


def test_documents_of_another_length_are_counted(embedding: Embedding) -> None:
    texts = ["the car saw a bus"] * 6 + ["shorter"] * 2
    assert invert_sample(_sample(texts), embedding).unaligned == 2


def test_nothing_to_pair_is_an_error(embedding: Embedding) -> None:
    with pytest.raises(DataError, match="release as text"):
        invert_sample(_sample(["bag"] * 8), embedding)
