"""Training: gradients, backends, determinism, checkpoints, quality and words."""

import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from publius.core.errors import DataError, ParameterError
from publius.core.metric import Hyperbolic
from publius.core.rng import seeded
from publius.embeddings import poincare_numpy
from publius.embeddings.catalogue import load_embedding
from publius.embeddings.poincare_checkpoint import load_checkpoint, save_checkpoint
from publius.embeddings.poincare_numpy import NumpyTrainer
from publius.embeddings.poincare_pairs import Hierarchy
from publius.embeddings.poincare_quality import reconstruction
from publius.embeddings.poincare_torch import TorchTrainer
from publius.embeddings.poincare_training import (
    NEAREST_TIE,
    Epoch,
    State,
    TrainingPlan,
    train,
)
from publius.embeddings.poincare_words import (
    first_senses,
    read_hierarchy,
    read_word_map,
    relations_behind,
    word_embedding,
    write_words,
)
from publius.embeddings.relations import Relation
from publius.embeddings.store import Provenance, read_store
from publius.numerics.geometry import lorentz


def tree(depth: int = 4, width: int = 3) -> Hierarchy:
    """Return the closure of a tree whose names are paths from the root."""
    lower, upper, level = [], [], ["r"]
    for _ in range(depth):
        below = [f"{name}{i}" for name in level for i in range(width)]
        for name in below:
            for end in range(1, len(name)):
                lower.append(name)
                upper.append(name[:end])
        level = below
    return Hierarchy.of(lower, upper)


TREE = tree()
PLAN = TrainingPlan(
    dim=4, epochs=40, batch=32, negatives=121, rate=0.2, burn_in=3, frugal=0.0
)


@pytest.mark.parametrize(
    ("setting", "value"),
    [("dim", 0), ("epochs", 0), ("rate", 0.0), ("rate", math.nan), ("batch", 0),
     ("negatives", 0), ("sharpness", -1.0), ("slack", 0.0), ("frugal", 1.5),
     ("radius", 16.0),
     ("radius", math.nan), ("burn_in", -1), ("seed", -1), ("final_rate", 0.0)],
)  # fmt: skip
def test_plans_refuse_what_cannot_be(setting: str, value: float) -> None:
    with pytest.raises(ParameterError, match=setting):
        replace(PLAN, **{setting: value})  # type: ignore[arg-type]


def test_rates_start_low_and_fall() -> None:
    rates = [PLAN.rate_at(epoch) for epoch in range(PLAN.epochs)]
    assert rates[0] == pytest.approx(0.02)
    assert rates[3] == max(rates)
    assert rates[-1] == pytest.approx(0.2 * (1 - 39 / 40 * 0.95))


def test_slack_falls_from_all_names_to_the_last() -> None:
    slacks = [PLAN.slack_at(epoch, 500) for epoch in range(PLAN.epochs)]
    assert slacks[0] == pytest.approx(500)
    assert slacks[16] == pytest.approx(math.sqrt(500 * 3))
    assert slacks[32:] == pytest.approx([3.0] * 8)


def test_frugal_epochs_have_an_eighth_of_the_negatives() -> None:
    plan = replace(PLAN, negatives=80, frugal=0.5)
    widths = [Epoch.drawn(200, plan, e).negatives.shape[1] for e in (0, 19, 20, 39)]
    assert widths == [10, 10, 80, 80]


def test_training_reconstructs_a_tree() -> None:
    start = State.start(TREE.size, PLAN)
    before = reconstruction(start.points, TREE, None, seeded(0))
    state = train(TREE, replace(PLAN, epochs=200), NumpyTrainer)
    after = reconstruction(state.points, TREE, None, seeded(0))
    assert before.mean_rank.value > 20
    assert after.mean_rank.value < 1.5
    assert after.average_precision.value > 0.9
    radius = np.linalg.norm(lorentz.log0(state.points), axis=1)
    names = np.array([len(name) for name in TREE.names])
    # General names lie further in.
    assert radius[names == 1] < radius[names == 5].min()


def loss_of(points: Any, sharpness: float, slack: float = 1.0) -> float:
    """Return the loss of all pairs against all negatives, by its definition."""
    rows = lorentz.log0(points)
    total = 0.0
    for name in range(TREE.size):
        own = np.tile(rows[name], (TREE.size, 1))
        weight = np.exp(-sharpness * lorentz.distance(own, rows))
        above = TREE.ancestors.indices[
            TREE.ancestors.indptr[name] : TREE.ancestors.indptr[name + 1]
        ]
        others = np.delete(weight, np.append(above, name)).sum()
        total += np.log(1 + others / weight[above] / slack).sum()
    return total / TREE.pairs


@pytest.mark.parametrize("slack", [1.0, 30.0])
@pytest.mark.parametrize("sharpness", [1.0, 2.0, 2.5, 5.0, 7.0, 9.0])
def test_the_loss_is_that_of_the_paper(sharpness: float, slack: float) -> None:
    rng = np.random.default_rng(3)
    points = lorentz.exp0(rng.normal(scale=0.7, size=(TREE.size, 4)))
    plan = replace(PLAN, batch=TREE.size, sharpness=sharpness)
    state = State(points, np.zeros(TREE.size), np.zeros(TREE.size, np.int64))
    epoch = Epoch.drawn(TREE.size, plan, 0)
    found = NumpyTrainer(TREE, plan, state).run(epoch, 1e-12, slack)
    assert found == pytest.approx(loss_of(points, sharpness, slack), rel=1e-6)


def test_a_small_step_goes_downhill_along_the_gradient() -> None:
    rng = np.random.default_rng(4)
    points = lorentz.exp0(rng.normal(scale=0.7, size=(TREE.size, 4)))
    plan = replace(PLAN, batch=TREE.size, sharpness=2.0)
    state = State(points, np.zeros(TREE.size), np.zeros(TREE.size, np.int64))
    trainer = NumpyTrainer(TREE, plan, state)
    trainer.run(Epoch.drawn(TREE.size, plan, 0), 1e-5, 1.0)
    moved = trainer.state(1).points
    # In the first step every point moves by the rate, each along its own gradient.
    apart = lorentz.distance(lorentz.log0(points), lorentz.log0(moved))
    np.testing.assert_allclose(apart, 1e-5, rtol=1e-3)
    for name in range(0, TREE.size, 17):
        alone = points.copy()
        alone[name] = moved[name]
        # Numeric slope along any other direction of this length is smaller.
        fall = loss_of(points, 2.0) - loss_of(alone, 2.0)
        assert fall > 0
        other = lorentz.log0(points)
        turn = rng.normal(size=4)
        other[name] = lorentz.translated(
            other[name : name + 1], 1e-5 * turn[None] / np.linalg.norm(turn)
        )
        assert loss_of(points, 2.0) - loss_of(lorentz.exp0(other), 2.0) <= fall + 1e-12


def test_backends_agree() -> None:
    plan = replace(PLAN, epochs=3, negatives=50)
    by_numpy = train(TREE, plan, NumpyTrainer)
    by_torch = train(TREE, plan, TorchTrainer)
    np.testing.assert_allclose(by_numpy.points, by_torch.points, atol=1e-4)
    np.testing.assert_array_equal(by_numpy.counts, by_torch.counts)


def test_chunks_change_nothing_but_rounding(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = train(TREE, replace(PLAN, epochs=2), NumpyTrainer)
    monkeypatch.setattr(poincare_numpy, "ITEMS", 1)
    parts = train(TREE, replace(PLAN, epochs=2), NumpyTrainer)
    np.testing.assert_allclose(whole.points, parts.points, atol=1e-4)


def test_resuming_gives_the_same_bytes(tmp_path: Path) -> None:
    plan = replace(PLAN, epochs=13)
    path = tmp_path / "x.checkpoint"
    whole = train(
        TREE, plan, NumpyTrainer, save=lambda s: save_checkpoint(path, s, plan, TREE)
    )
    halfway = load_checkpoint(path, plan, TREE)
    assert halfway.epoch == 10
    resumed = train(TREE, plan, NumpyTrainer, state=halfway)
    assert resumed.points.tobytes() == whole.points.tobytes()
    assert resumed.epoch == 13


def test_checkpoints_of_other_trainings_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.checkpoint"
    save_checkpoint(path, State.start(TREE.size, PLAN), PLAN, TREE)
    for plan, hierarchy in (
        (replace(PLAN, rate=0.1), TREE),
        (PLAN, tree(3)),
    ):
        with pytest.raises(DataError, match="other pairs or settings"):
            load_checkpoint(path, plan, hierarchy)
    path.write_bytes(path.read_bytes()[:100])
    with pytest.raises(DataError, match="cannot read"):
        load_checkpoint(path, PLAN, TREE)
    with pytest.raises(DataError, match="another hierarchy"):
        train(TREE, PLAN, NumpyTrainer, state=State.start(5, PLAN))


def test_points_stay_within_the_radius() -> None:
    state = train(TREE, replace(PLAN, radius=1.0, rate=1.0), NumpyTrainer)
    radius = np.linalg.norm(lorentz.log0(state.points), axis=1)
    assert radius.max() == pytest.approx(1.0)
    lorentz.on_hyperboloid(state.points)


def test_divergence_is_an_error() -> None:
    class Broken(NumpyTrainer):
        def run(self, epoch: Epoch, rate: float, slack: float) -> float:  # noqa: ARG002
            return math.nan

    with pytest.raises(DataError, match="diverged in epoch 0"):
        train(TREE, PLAN, Broken)


def test_coinciding_points_have_a_finite_gradient() -> None:
    plan = replace(PLAN, epochs=1)
    state = State.start(TREE.size, plan)
    state.points[:] = state.points[0]
    out = train(TREE, plan, NumpyTrainer, state=state)
    assert np.isfinite(out.points).all()
    assert NEAREST_TIE > 0


def test_quality_counts_by_the_definition() -> None:
    rng = np.random.default_rng(5)
    points = lorentz.exp0(rng.normal(size=(TREE.size, 3)))
    found = reconstruction(points, TREE, None, rng)
    rows, ranks, precisions = lorentz.log0(points), [], []
    for name in range(TREE.size):
        above = set(
            TREE.ancestors.indices[
                TREE.ancestors.indptr[name] : TREE.ancestors.indptr[name + 1]
            ].tolist()
        )
        if not above:
            continue
        distance = lorentz.distance(np.tile(rows[name], (TREE.size, 1)), rows)
        order = [i for i in np.argsort(distance) if i != name]
        wrong = hits = 0
        scores = []
        for other in order:
            if int(other) in above:
                hits += 1
                ranks.append(wrong + 1)
                scores.append(hits / (hits + wrong))
            else:
                wrong += 1
        precisions.append(np.mean(scores))
    assert found.mean_rank.value == pytest.approx(np.mean(ranks))
    assert found.average_precision.value == pytest.approx(np.mean(precisions))
    assert found.mean_rank.confidence == 1.0
    sampled = reconstruction(points, TREE, 60, rng)
    assert sampled.mean_rank.low < found.mean_rank.value < sampled.mean_rank.high
    with pytest.raises(DataError, match="as many points"):
        reconstruction(points[1:], TREE, None, rng)


def test_words_get_their_first_sense() -> None:
    names = ["dog.n.03", "dog.n.01", "hot_dog.n.01", "city.n.02", "3d.n.01", "root"]
    assert first_senses(names) == {
        "dog": "dog.n.01",
        "city": "city.n.02",
        "root": "root",
    }


def test_embeddings_of_words_are_written_with_their_map(tmp_path: Path) -> None:
    state = State.start(TREE.size, PLAN)
    words = {"root": "r", "leaf": "r00", "zebra": "r1"}
    embedding = word_embedding(TREE, state, words, ranked=("zebra", "root"))
    assert embedding.vocabulary.words == ("zebra", "root", "leaf")
    assert embedding.metric == Hyperbolic()
    folder = tmp_path / "x.publius"
    write_words(embedding, TREE, state, words, folder, Provenance("here"))
    read_store(folder)
    again = load_embedding(folder)
    assert again.metric == Hyperbolic()
    np.testing.assert_array_equal(again.vectors, embedding.vectors)
    hierarchy, found = read_hierarchy(folder)
    assert hierarchy.fingerprint == TREE.fingerprint
    assert found == words
    relations = relations_behind(str(folder), embedding.vocabulary.words)
    assert relations is not None
    assert relations.of_word(1).tolist() == [
        Relation.HYPONYM,
        Relation.KEPT,
        Relation.HYPONYM,
    ]


def test_maps_of_words_are_checked(tmp_path: Path) -> None:
    state = State.start(TREE.size, PLAN)
    with pytest.raises(DataError, match="1 of 2 words"):
        word_embedding(TREE, state, {"a": "r", "b": "nowhere"})
    with pytest.raises(DataError, match="no name stands for a word"):
        word_embedding(TREE, state, {})
    path = tmp_path / "words.csv"
    path.write_text("word,name\nDog,dog.n.01\ndog,dog.n.02\n")
    assert read_word_map(path) == {"dog": "dog.n.01"}
    path.write_text("dog\n")
    with pytest.raises(DataError, match="line 1"):
        read_word_map(path)
