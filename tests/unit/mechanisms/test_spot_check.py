"""Tables that somebody wrote on purpose, with digests that fit, start no release."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from publius.core.config import WordSettings
from publius.core.errors import DataError, RefutedError, TrustError
from publius.core.rng import seeded
from publius.core.space import Balls
from publius.embeddings import derived, graph, load_embedding
from publius.embeddings.store import read_store, write_store
from publius.materials.words.assemble import (
    embedding_for,
    prepare,
    resolved,
    sanitizer,
    word_mechanism,
)
from publius.mechanisms import prepared
from publius.mechanisms.balance import Calibrator, calibrate
from publius.mechanisms.certificate import Certificate
from publius.mechanisms.custext import Groups
from publius.mechanisms.exponential import Exponential
from publius.mechanisms.law import Decay
from publius.mechanisms.spot_check import check_balls, sampled
from publius.mechanisms.words import tables as public_tables
from publius.mechanisms.words.given import word_settings
from publius.storage.cache import cache_folder, write_cached, write_cached_array

SETTINGS = resolved(WordSettings(vocabulary=300, epsilon=1.5))
SPACE = embedding_for("glove-50k", 300).space(SETTINGS.metric)
NAME = prepared.file_name(SPACE.id, 1.5, balanced=True)


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PUBLIUS_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def poison(
    epsilon: float, change: Callable[[Decay, Certificate], prepared.Calibration]
) -> None:
    """Keep a changed calibration of a larger ε in the place of the right one."""
    found = calibrate(Calibrator.of(SPACE), epsilon)
    public_tables.cache_calibration(NAME, change(*found))


def test_a_calibration_of_a_larger_epsilon_is_refuted() -> None:
    poison(15.0, lambda decay, certificate: (decay, certificate))
    with pytest.raises(RefutedError, match="of a larger one"):
        word_mechanism(SETTINGS)


@pytest.mark.parametrize("worst", [6.0, 100.0])
def test_a_certificate_that_understates_its_decay_is_refuted(worst: float) -> None:
    poison(
        15.0,
        lambda decay, certificate: (
            decay,
            replace(certificate, epsilon=1.5, worst_loss=worst, unknown_loss=100.0),
        ),
    )
    with pytest.raises(RefutedError, match="the loss between two words"):
        sanitizer(SETTINGS)


def test_weights_of_somebody_else_are_refuted() -> None:
    rng = np.random.default_rng(0)
    wild = rng.integers(1, 1 << 20, SPACE.size).astype(np.uint32)
    wild[::2] = 1
    poison(1.5, lambda decay, certificate: (replace(decay, weights=wild), certificate))
    with pytest.raises(RefutedError, match="stored tables were changed"):
        word_mechanism(SETTINGS)


@pytest.mark.parametrize(
    "change",
    [
        {"unknown_loss": 0.01},
        {"worst_loss": 0.5},
        {"diameter": 1.0},
        {"near": 0.01},
        {"worst_pair": (5, 300)},
        {"farthest_pair": (-2, 0)},
    ],
)
def test_every_figure_of_a_certificate_is_compared(change: dict[str, float]) -> None:
    poison(1.5, lambda decay, certificate: (decay, replace(certificate, **change)))
    with pytest.raises(RefutedError):
        word_mechanism(SETTINGS)


def test_a_correct_calibration_is_cleared() -> None:
    for _ in range(30):
        word_mechanism(SETTINGS)


@pytest.mark.parametrize("part", [0.5, 0.8])
def test_balls_that_point_to_one_word_are_refuted(part: float) -> None:
    prepare(SETTINGS)
    balls = public_tables.whole_balls(SPACE, only_cached=True)
    assert balls is not None
    points = balls.points.copy()
    points[: int(part * len(points))] = 0
    name = next(Path(path).name for path in _files("balls") if "points" in path)
    write_cached_array("balls", name, points)
    with pytest.raises(RefutedError, match="prepared balls"):
        word_mechanism(SETTINGS)


def _files(kind: str) -> list[str]:
    return [str(path) for path in (cache_folder() / kind).iterdir()]


def test_a_half_zeroed_table_is_formed_again() -> None:
    settings = replace(SETTINGS, remap="bayes")
    text = ["people world government money time"]
    before = sanitizer(settings).release(text, seeded(1)).texts
    (path,) = (Path(path) for path in _files("remaps"))
    raw = bytearray(path.read_bytes())
    raw[len(raw) // 2 : -40] = bytes(len(raw[len(raw) // 2 : -40]))
    path.write_bytes(raw)
    assert sanitizer(settings).release(text, seeded(1)).texts == before


def test_balls_of_another_word_are_refuted() -> None:
    right = SPACE.balls(np.arange(300))  # type: ignore[attr-defined]
    check_balls(right, right, np.arange(300))
    other = Balls(right.bounds, right.points[::-1].copy())
    with pytest.raises(RefutedError):
        check_balls(other, right, np.arange(300))


def test_neighbours_that_the_vectors_deny_are_refuted() -> None:
    words = derived.WORTH_KEEPING
    glove = load_embedding("glove-50k", words)
    table = glove.neighbours(4).copy()
    rows = np.random.default_rng(0).permutation(words)[: words // 2]
    table[rows, 3] = (rows + 1 + np.arange(len(rows)) % 7) % words
    name = f"{glove.fingerprint}-k4.npz"
    write_cached("neighbours", name, graph.pack(table, glove.fingerprint))
    with pytest.raises(RefutedError, match="stored neighbours"):
        glove.neighbours(4)
    with pytest.raises(RefutedError, match="stored neighbours"):
        glove.space("hop:k=4")


def test_neighbours_at_equal_distance_may_stand_in_any_order() -> None:
    square = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
    table = np.array([[2, 1], [0, 3], [3, 0], [1, 2]])
    graph.check_neighbours(square, table, np.arange(4))
    with pytest.raises(RefutedError):
        graph.check_neighbours(square, np.array([[2, 3]] * 4), np.arange(4))
    with pytest.raises(RefutedError):
        graph.check_neighbours(square, np.array([[1, 1]] * 4), np.arange(4))


def test_a_swapped_embedding_is_refused(tmp_path: Path) -> None:
    glove = load_embedding("glove-50k", 50)
    folder = write_store(glove, tmp_path / "own.publius")
    assert read_store(folder).fingerprint == glove.fingerprint
    vectors = np.load(folder / "vectors.npy")
    np.save(folder / "vectors.npy", vectors[::-1].copy())
    with pytest.raises(DataError, match="fingerprint"):
        load_embedding(folder)


def test_an_embedding_that_others_may_write_is_refused(tmp_path: Path) -> None:
    folder = write_store(load_embedding("glove-50k", 50), tmp_path / "own.publius")
    (folder / "vectors.npy").chmod(0o666)
    with pytest.raises(TrustError, match="others may write"):
        load_embedding(folder)


def test_groups_of_somebody_else_are_refuted() -> None:
    settings = resolved(
        word_settings({"vocabulary": 300, "mechanism": "custext", "group": 10})
    )
    before = word_mechanism(settings).guarantee()
    assert word_mechanism(settings).guarantee() == before
    (path,) = (Path(path) for path in _files("groups"))
    # Everybody alone: each word would be released as it is.
    alone = np.stack([np.arange(300), np.arange(300)])
    public_tables.cache_array("groups", path.stem, alone)
    with pytest.raises(RefutedError, match="groups are not those"):
        word_mechanism(settings)


def test_right_groups_are_cleared() -> None:
    space = embedding_for("glove-50k", 300).space("euclidean")
    groups = Groups.greedy(space, 20)
    groups.check_greedy(space, 20, np.arange(len(groups.members)))


@pytest.mark.parametrize("mechanism", ["santext", "santext-plus", "graded"])
def test_other_mechanisms_are_cleared_and_refuted(mechanism: str) -> None:
    settings = resolved(replace(SETTINGS, mechanism=mechanism, metric=""))
    built = word_mechanism(settings)
    every = np.arange(300)
    built.spot_check(every)  # type: ignore[attr-defined]
    if mechanism == "graded":
        changed = replace(built, losses=built.losses / 4)  # type: ignore[type-var,attr-defined]
    elif mechanism == "santext":
        low = replace(built.certificate, epsilon=built.certificate.epsilon / 2)  # type: ignore[attr-defined]
        changed = replace(built, law=replace(built.law, certificate=low))  # type: ignore[type-var,attr-defined]
    else:
        low = replace(built.certificate, epsilon=built.certificate.epsilon / 2)  # type: ignore[attr-defined]
        changed = replace(built, certificate=low)  # type: ignore[type-var]
    with pytest.raises(RefutedError):
        changed.spot_check(every)  # type: ignore[attr-defined]


def test_the_sample_is_distinct_and_not_the_same_twice() -> None:
    one, other = sampled(50_000), sampled(50_000)
    assert len(set(one.tolist())) == 32
    assert set(one.tolist()) != set(other.tolist())
    assert sorted(sampled(5).tolist()) == [0, 1, 2, 3, 4]
    assert len(sampled(400_000)) == 8


def test_whatever_the_weights_the_loss_stays_below_twice_the_decay() -> None:
    # What the documentation says about weights that a sample may miss.
    rng = np.random.default_rng(1)
    weights = rng.choice([1, 1 << 20], SPACE.size).astype(np.uint32)
    certificate = Exponential.with_beta(SPACE, 1.4, weights).certificate
    assert 1.5 < certificate.epsilon <= 2 * 1.4


def test_kept_sums_draw_the_same_words() -> None:
    ids = np.tile(np.arange(300), 4)
    before = word_mechanism(SETTINGS).perturb(ids, seeded(4))
    prepare(SETTINGS)
    built = word_mechanism(SETTINGS)
    assert isinstance(built, Exponential)
    assert built.rows is not None
    np.testing.assert_array_equal(built.perturb(ids, seeded(4)), before)


def test_sums_of_other_weights_are_refuted(own_cache: Path) -> None:
    prepare(SETTINGS)
    path = next((own_cache / "sums").glob("*-marks.npy"))
    marks = public_tables.map_cached_array("sums", path.name)
    assert marks is not None
    changed = marks.copy()
    changed[1:-1] += np.uint64(1)
    write_cached_array("sums", path.name, changed)
    with pytest.raises(RefutedError, match="running sums"):
        word_mechanism(SETTINGS)


def test_damaged_sums_are_formed_again(own_cache: Path) -> None:
    prepare(SETTINGS)
    for path in (own_cache / "sums").glob("*-edges.npy"):
        path.write_bytes(path.read_bytes()[:-1])
    built = word_mechanism(SETTINGS)
    assert isinstance(built, Exponential)
    assert built.rows is None
    prepare(SETTINGS)
    again = word_mechanism(SETTINGS)
    assert isinstance(again, Exponential)
    assert again.rows is not None
