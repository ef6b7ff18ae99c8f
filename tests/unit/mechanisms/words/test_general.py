"""The mechanism that favours more general words."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from publius.assessment.deniability.explanation import explain
from publius.core.config import WordSettings
from publius.core.errors import ParameterError
from publius.embeddings.poincare_words import relations_behind
from publius.embeddings.relations import Relation
from publius.materials.words.assemble import resolved, word_embedding, word_mechanism
from publius.mechanisms.balance import Calibrator
from publius.mechanisms.words.general import (
    GENERAL,
    calibration,
    file_of,
    general_weights,
)
from publius.mechanisms.words.tables import cached_calibration

SETTINGS = WordSettings(
    mechanism="generalising",
    embedding="wordnet-poincare",
    vocabulary=600,
    epsilon=4.0,
)


def test_weights_are_largest_for_general_words() -> None:
    radius = np.array([0.0, 1.0, GENERAL, 4.0, 6.0])
    points = np.tanh(radius / 2)[:, None] * [[0.6, 0.8]]
    found = general_weights(points, 0.5)
    assert found.argmax() == 2
    np.testing.assert_allclose(found, np.exp(-np.abs(radius - GENERAL)))


def test_weights_exist_however_steep_the_decay() -> None:
    points = np.array([[0.0, 0.0], [0.1, 0.0]])
    assert general_weights(points, 1e6).max() == 1.0


def test_it_keeps_within_the_asked_epsilon_and_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PUBLIUS_CACHE", str(tmp_path))
    mechanism = word_mechanism(SETTINGS)
    assert mechanism.name == "exponential.v1"
    term = mechanism.guarantee().terms[0]
    assert 0.5 * 4.0 < term.epsilon <= 4.0  # type: ignore[attr-defined]
    space = word_embedding(SETTINGS).space("hyperbolic")
    kept = cached_calibration(file_of(space.id, 4.0), space.size)
    assert kept is not None
    decay, certificate = kept
    assert Calibrator.of(space).certify(decay) == certificate
    assert word_mechanism(SETTINGS).guarantee() == mechanism.guarantee()


def test_it_draws_more_hypernyms_than_balanced_weights() -> None:
    embedding = word_embedding(SETTINGS)
    relations = relations_behind("wordnet-poincare", embedding.vocabulary.words)
    assert relations is not None
    share = {}
    for name in ("generalising", "exponential"):
        mechanism = word_mechanism(replace(SETTINGS, mechanism=name))
        law = np.exp(mechanism.channel(np.arange(100)))  # type: ignore[attr-defined]
        found = [relations.shares(word, law[word]) for word in range(100)]
        share[name] = np.mean(found, axis=0)[Relation.HYPERNYM]
    assert share["generalising"] > 10 * share["exponential"]


def test_explanations_name_relations() -> None:
    found = explain("city", SETTINGS, best=5)
    assert found.settings.metric == "hyperbolic"
    assert len(found.relations) == len(found.replacements.words) == 5
    assert found.relations[found.replacements.words.index("city")] == "kept"
    assert sum(found.shares.values()) == pytest.approx(1.0)
    assert not explain("city", WordSettings(vocabulary=300, epsilon=4.0)).relations


def test_hyperbolic_words_have_hyperbolic_distance_by_default() -> None:
    settings = replace(SETTINGS, mechanism="exponential")
    assert resolved(settings).metric == "hyperbolic"
    assert resolved(replace(settings, metric="discrete")).metric == "discrete"
    assert resolved(WordSettings()).metric == "like"
    assert resolved(WordSettings(vocabulary=500)).metric.startswith("hop")


@pytest.mark.parametrize("metric", ["euclidean", "hop"])
def test_other_metrics_are_refused(metric: str) -> None:
    with pytest.raises(ParameterError, match="no metric"):
        word_mechanism(replace(SETTINGS, metric=metric))


def test_a_bad_epsilon_is_refused() -> None:
    with pytest.raises(ParameterError, match="epsilon"):
        calibration(word_embedding(SETTINGS), 0.0)


@pytest.mark.parametrize("mechanism", ["exponential", "generalising"])
@pytest.mark.parametrize("epsilon", [0.5, 1.0, 2.0, 4.0, 8.0])
def test_shipped_calibrations_keep_their_guarantee(
    mechanism: str, epsilon: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        Calibrator,
        "certify",
        lambda *_: pytest.fail("a shipped certificate is missing"),
    )
    settings = WordSettings(
        mechanism=mechanism, embedding="wordnet-poincare", epsilon=epsilon
    )
    built = word_mechanism(settings)
    certified = built.guarantee().terms[0].epsilon  # type: ignore[attr-defined]
    assert certified <= epsilon
    ids = np.r_[0:17_997:900, word_embedding(settings).vocabulary.encode(["entity"])]
    law = built.channel(ids)  # type: ignore[attr-defined]
    distance = word_embedding(settings).space("hyperbolic").rows(ids)[:, ids]
    loss = np.abs(law[:, None] - law[None]).max(axis=2)
    apart = distance > 0
    found = (loss[apart] / distance[apart]).max()
    # A sample of pairs cannot refute the certificate, and comes near it.
    assert 0.4 * certified < found <= certified
