"""Measures of utility: known values, limits, and order."""

from collections.abc import Sequence

import numpy as np
import pytest

from publius.assessment.evaluation.classify import ANALYSTS, Task, classify
from publius.assessment.evaluation.fluency import Trigrams, surprise
from publius.assessment.evaluation.meteor import meteor
from publius.assessment.evaluation.report import Pairs, Tools, classifications, measures
from publius.assessment.evaluation.similarity import (
    mean_cosine,
    movers_distance,
    retrieval_ranks,
)
from publius.core.errors import DataError, UnknownNameError
from publius.embeddings.embedding import Embedding
from publius.embeddings.vocabulary import Vocabulary
from publius.language.wordnet import PARTS_OF_SPEECH, WordNet

WORDS = ("cat", "dog", "horse", "car", "train", "ship")
VECTORS = np.array([[1, 0.1], [1, 0.2], [1, 0.3], [0.1, 1], [0.2, 1], [0.3, 1]])


@pytest.fixture(scope="module")
def embedding() -> Embedding:
    return Embedding(Vocabulary(WORDS), VECTORS)


def _task(seed: int) -> tuple[Task, np.ndarray]:
    rng = np.random.default_rng(seed)
    labels = np.arange(80) % 2
    texts = [
        " ".join(rng.choice(WORDS[:3] if label == 0 else WORDS[3:], 6))
        for label in labels
    ]
    return Task(texts[:40], labels[:40], texts[40:], 2), labels[40:]


@pytest.mark.parametrize("name", sorted(ANALYSTS))
def test_classifiers_tell_animals_from_vehicles(
    name: str, embedding: Embedding
) -> None:
    task, truth = _task(0)
    found = classify(name, task, lambda: embedding).argmax(axis=1)
    assert (found == truth).mean() > 0.95


def test_unknown_classifier_is_named(embedding: Embedding) -> None:
    with pytest.raises(UnknownNameError, match="svm"):
        classify("swm", _task(0)[0], lambda: embedding)


def test_meteor_known_values() -> None:
    found = meteor(
        ["the cat sat", "the cat sat", "the cat sat", "walked", ""],
        ["the cat sat", "sat cat the", "dogs bark loudly", "walking", ""],
    )
    whole = 1 - 0.5 * (1 / 3) ** 3
    assert found.tolist() == pytest.approx([whole, 0.5, 0.0, 0.5, 1.0])


def test_synonyms_match_when_wordnet_is_at_hand() -> None:
    wordnet = WordNet(
        {part: {"car": 3, "auto": 1} for part in PARTS_OF_SPEECH},
        {part: {} for part in PARTS_OF_SPEECH},
        (("car", "auto"),),
    )
    old, new = ["my cars stopped"], ["my auto stopped"]
    assert meteor(old, new, wordnet)[0] > meteor(old, new)[0]
    assert meteor(old, ["my boat stopped"], wordnet) == meteor(old, ["my boat stopped"])


def test_a_text_without_words_has_no_perplexity() -> None:
    found = surprise(Trigrams.learnt(["a b c"]), ["a b", "..."])
    assert np.isnan(found).tolist() == [False, True]


def test_movers_distance_of_one_word_is_its_distance(embedding: Embedding) -> None:
    found = movers_distance(["cat", "cat", "xyz"], ["cat", "dog", "cat"], embedding)
    assert found.values.tolist() == pytest.approx([0.0, 0.1])
    assert found.skipped == 1


def test_mean_cosine_skips_texts_without_known_words(embedding: Embedding) -> None:
    found = mean_cosine(["cat", "??"], ["cat", "cat"], embedding)
    assert found.values.tolist() == pytest.approx([1.0])
    assert found.skipped == 1


def test_retrieval_counts_ties_against_the_search() -> None:
    vectors = np.array([[1.0, 0], [1.0, 0], [0, 1.0]])
    assert retrieval_ranks(vectors, vectors).tolist() == [2, 2, 1]


def test_shuffled_text_is_more_surprising() -> None:
    model = Trigrams.learnt(["the cat sat on the mat and the dog ran"] * 5)
    kept, broken, foreign = surprise(
        model, ["the cat sat on the mat", "mat the on sat cat the", "xx yy zz"]
    )
    assert kept < broken < foreign


def test_probabilities_of_the_next_word_sum_to_one() -> None:
    model = Trigrams.learnt(["a b c a b d", "b a c"])
    words = [*model.index, "unknown"]
    texts = [f"a b {word}" for word in words]
    log_probability, owner = model.log_probability(texts)
    last = [log_probability[owner == i][-1] for i in range(len(texts))]
    assert np.exp(last).sum() == pytest.approx(1.0)


def test_a_language_model_needs_words() -> None:
    with pytest.raises(DataError, match="texts with words"):
        Trigrams.learnt(["", "..."])


def test_report_compares_original_and_released(embedding: Embedding) -> None:
    task, truth = _task(1)
    texts = [*task.train, *task.test]
    pairs = Pairs(
        texts, ["ship"] * 80, np.concatenate([task.labels, truth]), np.arange(80) < 40
    )
    rng = np.random.default_rng(0)
    tools = Tools(lambda: embedding)
    rows = classifications(
        pairs, ["svm"], ["original", "static", "adaptive"], tools, rng
    )
    assert [r.scores.accuracy.value for r in rows] == [1.0, 0.5, 0.5]
    named = {m.name: m for m in measures(pairs, tools, rng)}
    first = named["original found first (mean vectors)"].estimate.value
    assert first < 0.1
    perplexity = next(m for n, m in named.items() if n.startswith("perplexity"))
    assert perplexity.original is not None
    assert perplexity.skipped == 0
    assert "no synonyms" in named["METEOR"].detail


def test_a_language_model_reads_the_first_documents(embedding: Embedding) -> None:
    read: list[int] = []

    def count(texts: Sequence[str]) -> np.ndarray:
        read.append(len(texts))
        return np.log(np.arange(1.0, len(texts) + 1))

    pairs = Pairs(["cat"] * 80, ["dog"] * 80, np.arange(80) % 2, np.arange(80) < 40)
    tools = Tools(lambda: embedding, surprise=count, most_read=2)
    found = measures(pairs, tools, np.random.default_rng(0))
    assert read == [2, 2]
    assert found[-1].estimate.value == pytest.approx(2**0.5)
