import csv
import gzip
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import spearmanr

from build_glove_50k import pack, quantise
from publius.core.errors import DataError
from publius.core.space import HopSpace, fingerprint
from publius.embeddings import (
    Embedding,
    Vocabulary,
    derived,
    graph,
    load_embedding,
    shipped,
)
from publius.embeddings.nearest import Nearest
from publius.embeddings.preprocess import is_word

SIMILARITY = Path(__file__).parents[4] / "shared" / "data" / "vectors" / "wordsim"


@pytest.fixture(scope="module")
def glove() -> Embedding:
    return load_embedding("glove-50k")


def test_shipped_words_are_words(glove: Embedding) -> None:
    assert glove.size == 50_000
    assert glove.dim == 100
    assert all(is_word(word) for word in glove.vocabulary.words)
    assert glove.vocabulary.words[:5] == ("the", "of", "to", "and", "in")


def test_shipped_vectors_have_unit_length(glove: Embedding) -> None:
    assert glove.vectors.dtype == np.float32
    assert np.linalg.norm(glove.vectors, axis=1) == pytest.approx(1, abs=1e-6)


def test_shipped_fingerprint_is_that_of_its_content(glove: Embedding) -> None:
    assert glove.fingerprint == fingerprint(glove.vectors, glove.vocabulary.blob())
    assert glove.name == "glove-50k"


@pytest.mark.slow
def test_shipped_graph_is_exact(
    glove: Embedding, monkeypatch: pytest.MonkeyPatch
) -> None:
    def compute(_: object, k: int) -> None:
        pytest.fail(f"k = {k} was computed although it is shipped")

    monkeypatch.setattr(Nearest, "neighbours", compute)
    table = glove.neighbours(10)
    some = np.random.default_rng(0).choice(glove.size, 300, replace=False)
    vectors = glove.vectors.astype(np.float64)
    cosine = vectors[some] @ vectors.T
    cosine[np.arange(300), some] = -np.inf
    assert (np.argsort(-cosine, axis=1, kind="stable")[:, :10] == table[some]).all()


def test_default_space_of_the_default_embedding(
    glove: Embedding, own_cache: Path
) -> None:
    space = glove.space()
    assert isinstance(space, HopSpace)
    dog, cat, treaty = glove.vocabulary.encode(["dog", "cat", "treaty"])
    distance = space.rows(np.array([dog]))[0]
    assert distance[[dog, cat, treaty]].tolist() == [0.0, 1.0, 4.0]
    assert not own_cache.exists()


def test_shipped_graph_names_its_embedding(glove: Embedding) -> None:
    path = derived.SHIPPED / "glove-50k-graph.npz"
    packed = path.read_bytes()
    assert graph.unpack(path.name, packed, glove.fingerprint, glove.size).shape == (
        50_000,
        10,
    )


def test_quantised_vectors_survive_packing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(0)
    vectors = rng.standard_normal((3, 40))
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    levels = quantise(vectors)
    assert np.abs(levels).max(axis=1).tolist() == [127, 127, 127]
    words = Vocabulary(("a", "b", "ü"))
    monkeypatch.setattr(shipped, "SHIPPED", tmp_path)
    monkeypatch.setattr(shipped, "shipped_bytes", Path.read_bytes)
    (tmp_path / "tiny.npz").write_bytes(pack("tiny", words, levels))
    tiny = shipped.read_shipped("tiny")
    assert tiny.vocabulary.words == words.words
    assert (tiny.vectors * vectors).sum(axis=1) == pytest.approx(1, abs=1e-4)
    assert tiny.fingerprint == Embedding(words, tiny.vectors).fingerprint


def test_damaged_package_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shipped, "SHIPPED", tmp_path)
    with pytest.raises(DataError, match=r"glove\.npz is missing; install"):
        shipped.read_shipped("glove")


@pytest.mark.shared
@pytest.mark.skipif(not SIMILARITY.is_dir(), reason="reference folder is not there")
@pytest.mark.parametrize(
    ("name", "least"), [("wordsim353", 0.67), ("men3000", 0.75), ("simlex999", 0.35)]
)
def test_similarity_is_as_documented(glove: Embedding, name: str, least: float) -> None:
    with gzip.open(SIMILARITY / f"{name}.csv.gz", "rt", encoding="utf-8") as stream:
        rows = list(csv.reader(stream))[1:]
    first = glove.vocabulary.encode([row[0].lower() for row in rows])
    second = glove.vocabulary.encode([row[1].lower() for row in rows])
    known = (first >= 0) & (second >= 0)
    score = np.array([float(row[2]) for row in rows])[known]
    cosine = (glove.vectors[first[known]] * glove.vectors[second[known]]).sum(axis=1)
    assert spearmanr(cosine, score).statistic > least
