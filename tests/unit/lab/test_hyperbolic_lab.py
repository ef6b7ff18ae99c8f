"""The hyperbolic reproductions on a small made-up hierarchy of public words."""

import gzip
import importlib
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from publius.core.errors import DataError
from publius.core.metric import Hyperbolic
from publius.core.space import PointSpace
from publius.embeddings.archive import pack_arrays
from publius.embeddings.catalogue import load_embedding
from publius.embeddings.poincare_pairs import Hierarchy
from publius.geometry import poincare
from publius.lab.directional.result import Reproduction, Setting
from publius.lab.hyperbolic import EXPERIMENTS, NEEDS, REPRODUCTIONS, statistics
from publius.lab.hyperbolic.generalisation import KINDS, Relations
from publius.mechanisms.exponential import Exponential

SIZE = 40


@pytest.fixture(scope="module")
def setting(tmp_path_factory: pytest.TempPathFactory) -> Setting:
    """Return a folder laid out like the reference data, of 40 words."""
    folder: Path = tmp_path_factory.mktemp("reference")
    for name in ("wordnet", "vectors", "utility"):
        (folder / name).mkdir()
    words = list(load_embedding("glove-50k").vocabulary.words[100 : 100 + SIZE])
    names = [f"{word}.n.01" for word in words]
    rng = np.random.default_rng(0)
    tangent = rng.normal(size=(SIZE, 3))
    depth = np.floor(np.log2(np.arange(SIZE) + 1))
    tangent *= ((depth + 0.1) / np.linalg.norm(tangent, axis=1))[:, None]
    save(
        folder / "wordnet/poincare_noun_10d.npz", "names", names, poincare.exp0(tangent)
    )
    for file, dim in (("glove6b_100d_top50k", 8), ("word2vec_gnews_26k_300d", 9)):
        vectors = rng.normal(size=(SIZE, dim))
        save(folder / f"vectors/{file}.npz", "words", words, vectors)
    pairs = "".join(
        f"{names[low]},{names[high]}\n"
        for low in range(1, SIZE)
        for high in ancestors(low)
    )
    closure = folder / "wordnet/noun_closure.csv.gz"
    closure.write_bytes(gzip.compress(("id1,id2\n" + pairs).encode()))
    rows = [
        {"split": split, "text": f"{words[i % 9]} {words[20 + i % 9]}", "label": i % 3}
        for split, count in (("train", 90), ("test", 30))
        for i in range(count)
    ]
    text = "\n".join(json.dumps(row) for row in rows)
    (folder / "utility/snips.jsonl.gz").write_bytes(gzip.compress(text.encode()))
    return Setting(folder, effort=0.05)


def ancestors(node: int) -> list[int]:
    """Return the nodes above one in a binary heap."""
    return [] if node == 0 else [(node - 1) // 2, *ancestors((node - 1) // 2)]


def save(path: Path, kind: str, words: list[str], vectors: Any) -> None:
    blob = np.frombuffer("\n".join(words).encode(), np.uint8)
    path.write_bytes(pack_arrays({"vectors": vectors, f"{kind}_utf8": blob}))


@pytest.fixture(scope="module")
def made(setting: Setting) -> dict[str, Reproduction]:
    with pytest.MonkeyPatch.context() as patch:
        # Calibrations take most of the time: few values of ε suffice here.
        for module, grid in (("generalisation", (0.5, 2.0)), ("intents", (1.0,))):
            found = importlib.import_module(f"publius.lab.hyperbolic.{module}")
            patch.setattr(found, "EPSILONS", grid)
        published = {key: statistics.PUBLISHED[key] for key in (0.5, 8.0)}
        patch.setattr(statistics, "PUBLISHED", published)
        return {name: reproduce(setting) for name, reproduce in REPRODUCTIONS.items()}


@pytest.mark.parametrize("name", REPRODUCTIONS)
def test_every_reproduction_gives_a_table(
    name: str, made: dict[str, Reproduction]
) -> None:
    found = made[name]
    assert found.name == name
    assert found.rows
    assert any("infinite" in remark for remark in found.remarks)
    assert EXPERIMENTS[name].needs == NEEDS[name]


def test_statistics_move_with_epsilon(made: dict[str, Reproduction]) -> None:
    rows = made["feyisetan-fig5"].rows
    stays = [row[2] for row in rows if row[0] == "exponential"]
    outputs = [row[6] for row in rows if row[0] == "exponential"]
    assert stays == sorted(stays)  # type: ignore[type-var]
    assert outputs[-1] < 2  # type: ignore[operator]
    assert outputs[0] > 10  # type: ignore[operator]
    assert {row[0] for row in rows if row[1] == 16.0} >= {"Riemannian Laplace"}


def test_shares_are_probabilities(made: dict[str, Reproduction]) -> None:
    found = made["feyisetan-generalisation"]
    for row in found.rows:
        assert sum(row[3:]) == pytest.approx(1.0)  # type: ignore[arg-type]


def test_relations_are_those_of_the_tree() -> None:
    names = tuple(f"{i:02}" for i in range(7))
    lower = [names[i] for i in range(1, 7) for _ in ancestors(i)]
    upper = [names[j] for i in range(1, 7) for j in ancestors(i)]
    relations = Relations.of(Hierarchy.of(lower, upper), names)
    points = poincare.exp0(np.random.default_rng(1).normal(size=(7, 2)))
    mechanism = Exponential.with_beta(PointSpace(points, Hyperbolic()), 1.0)
    share = np.exp(mechanism.channel(np.array([1])))[0]
    found = relations.shares(mechanism, np.array([1]))
    members = {
        "kept": [1], "hypernym": [0], "hyponym": [3, 4], "sibling": [2],
        "unrelated": [5, 6],
    }  # fmt: skip
    assert tuple(members) == KINDS
    for kind, ids in members.items():
        assert found[kind][0] == pytest.approx(share[ids].sum())


def test_missing_files_are_named(tmp_path: Path) -> None:
    for name in REPRODUCTIONS:
        with pytest.raises(DataError, match="lack"):
            REPRODUCTIONS[name](Setting(tmp_path))
