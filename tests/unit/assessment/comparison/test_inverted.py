"""Words are paired place by place, and the learnt channel is used."""

import json
from pathlib import Path

import numpy as np
import pytest

from publius.assessment.comparison.inverted import (
    align,
    invert_sample,
    release_settings,
)
from publius.assessment.comparison.sample import Sample, make_sample
from publius.core.config import WordSettings
from publius.core.errors import DataError
from publius.embeddings.embedding import Embedding
from publius.embeddings.vocabulary import Vocabulary
from publius.language.tokenizer import Tokenizer
from publius.materials.words.assemble import sanitizer, word_embedding

WORDS = ("cat", "dog", "car", "bus")


@pytest.fixture
def embedding() -> Embedding:
    return Embedding(Vocabulary(WORDS), np.eye(4))


def _rng() -> np.random.Generator:
    return np.random.default_rng(0)


def _sample(released: list[str]) -> Sample:
    originals = ["the cat saw a dog"] * len(released)
    labels = ["x", "y"] * (len(released) // 2)
    return make_sample(originals, labels, np.random.default_rng(0), released=released)


def test_stop_words_are_no_targets(embedding: Embedding) -> None:
    pairs = align(
        _sample(["the dog ate a cat"] * 8), embedding, Tokenizer(), known=True
    )
    assert pairs.x.tolist()[:3] == [0, -1, 1]
    assert pairs.z.tolist()[:3] == [1, -1, 0]


def test_a_fixed_swap_is_undone(embedding: Embedding) -> None:
    found = invert_sample(_sample(["the car saw a bus"] * 8), embedding, _rng())
    assert found.kept.value == 0
    assert found.guessed.value == 1
    assert found.unaligned == 0


def test_documents_of_another_length_are_counted(embedding: Embedding) -> None:
    texts = ["the car saw a bus"] * 6 + ["shorter"] * 2
    assert invert_sample(_sample(texts), embedding, _rng()).unaligned == 2


def test_nothing_to_pair_is_an_error(embedding: Embedding) -> None:
    with pytest.raises(DataError, match="release as text"):
        invert_sample(_sample(["bag"] * 8), embedding, _rng())


@pytest.mark.slow
@pytest.mark.parametrize(
    ("mechanism", "epsilon", "channel"),
    [("exponential", 2.0, "exact"), ("laplace", 15.0, "sampled")],
)
def test_a_known_mechanism_guesses_better_than_nothing(
    mechanism: str, epsilon: float, channel: str
) -> None:
    settings = WordSettings(mechanism=mechanism, epsilon=epsilon, vocabulary=400)
    space, rng = word_embedding(settings), _rng()
    frequent = 1 / np.arange(4.0, 404.0)
    words = rng.choice(space.vocabulary.words, (4000, 40), p=frequent / frequent.sum())
    texts = [" ".join(row) for row in words]
    released = sanitizer(settings).release(texts, rng).texts
    sample = make_sample(texts, ["x", "y"] * 2000, rng, released=released)
    public = invert_sample(sample, space, rng, settings=settings).public
    kept = invert_sample(sample, space, rng).kept
    assert public is not None
    assert public.channel == channel
    assert public.guessed.low > kept.high


def test_the_manifest_of_a_release_names_its_mechanism(tmp_path: Path) -> None:
    assert release_settings(str(tmp_path)) is None
    manifest = tmp_path / "manifest.json"
    named = {"mechanism": "exponential", "epsilon": 2.5, "new": 1}
    manifest.write_text(json.dumps({"settings": named}), "utf-8")
    (tmp_path / "data.csv").write_text("text\n", "utf-8")
    for name in (tmp_path, tmp_path / "data.csv"):
        assert release_settings(str(name)) == WordSettings(epsilon=2.5)
    for other in ("{", json.dumps({"settings": {"mechanism": "dp-vae"}})):
        manifest.write_text(other, "utf-8")
        assert release_settings(str(tmp_path)) is None
