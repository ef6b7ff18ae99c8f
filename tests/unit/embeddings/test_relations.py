"""How words stand to each other in a hierarchy, and the words that Publius ships."""

from pathlib import Path

import numpy as np
import pytest

from build_wordnet_poincare import pack_words
from publius.core.errors import DataError
from publius.core.metric import Hyperbolic
from publius.core.space import fingerprint
from publius.embeddings import poincare_shipped
from publius.embeddings.catalogue import CATALOGUE, load_embedding
from publius.embeddings.derived import SHIPPED
from publius.embeddings.poincare_pairs import Hierarchy
from publius.embeddings.poincare_shipped import (
    WORDNET_WORDS,
    in_ball,
    read_names,
    read_words,
)
from publius.embeddings.poincare_words import relations_behind
from publius.embeddings.relations import Relation, Relations
from publius.numerics.geometry import lorentz, poincare

# r is above a and b; a is above c and d; b is above e.
LOWER = ("a", "b", "c", "c", "d", "d", "e", "e")
UPPER = ("r", "r", "a", "r", "a", "r", "b", "r")
TREE = Hierarchy.of(LOWER, UPPER)
WORDS = {"cat": "c", "puss": "c", "dog": "d", "eel": "e", "animal": "a", "thing": "r"}


@pytest.mark.parametrize(
    ("word", "relations"),
    [
        ("cat", "kept synonym sibling unrelated hypernym hypernym"),
        ("animal", "hyponym hyponym hyponym unrelated kept hypernym"),
        ("thing", "hyponym hyponym hyponym hyponym hyponym kept"),
    ],
)
def test_relations_are_those_of_the_tree(word: str, relations: str) -> None:
    found = Relations.of(TREE, list(WORDS.values()))
    kinds = found.of_word(list(WORDS).index(word))
    assert [Relation(kind).label for kind in kinds] == relations.split()


def test_shares_add_up_by_relation() -> None:
    found = Relations.of(TREE, list(WORDS.values()))
    law = np.array([0.3, 0.2, 0.1, 0.1, 0.15, 0.15])
    np.testing.assert_allclose(found.shares(0, law), [0.3, 0.2, 0.3, 0, 0.1, 0.1])


def test_words_without_a_name_are_refused() -> None:
    with pytest.raises(DataError, match="not in the hierarchy"):
        Relations.of(TREE, ["c", "nowhere"])


def test_packed_words_come_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tangent = np.random.default_rng(0).normal(scale=2.5, size=(TREE.size, 4))
    points = lorentz.exp0(tangent)
    path = tmp_path / "tiny.npz"
    monkeypatch.setattr(poincare_shipped, "shipped_path", lambda _: path)
    monkeypatch.setattr(poincare_shipped, "shipped_bytes", Path.read_bytes)
    some = {word: WORDS[word] for word in ("cat", "dog", "thing")}
    path.write_bytes(pack_words("tiny", some, TREE, points))
    found = read_words("tiny")
    assert found.vocabulary.words == ("cat", "dog", "thing")
    assert found.fingerprint == fingerprint(found.vectors, found.vocabulary.blob())
    rows = [TREE.names.index(name) for name in some.values()]
    # Single precision of the space part: 1e-7 of sinh r across, at radius 7 or less.
    near = lorentz.distance(poincare.log0(found.vectors), tangent[rows])
    assert near.max() < 1e-4
    hierarchy, names = read_names("tiny")
    assert names == some
    # b and e have no word below them.
    assert hierarchy.names == ("a", "c", "d", "r")


def test_points_far_out_keep_their_radius() -> None:
    radius = np.array([0.1, 3.0, 9.0, 15.0])
    space = (np.sinh(radius)[:, None] * [[0.6, 0.8]]).astype(np.float32)
    found = np.linalg.norm(poincare.log0(in_ball(space)), axis=1)
    np.testing.assert_allclose(found, radius, atol=1e-6)


def test_shipped_nouns_are_what_the_catalogue_says() -> None:
    embedding = load_embedding(WORDNET_WORDS)
    entry = CATALOGUE[WORDNET_WORDS]
    assert (embedding.size, embedding.dim) == (entry.words, entry.dim)
    assert embedding.metric == Hyperbolic()
    mark = fingerprint(embedding.vectors, embedding.vocabulary.blob())
    assert embedding.fingerprint == mark
    assert {"london", "england", "city", "dog"} <= set(embedding.vocabulary.words)
    assert "the" not in embedding.vocabulary.words
    licence = (SHIPPED / f"{WORDNET_WORDS}-LICENSE.txt").read_text("utf-8")
    assert "WordNet 3.0 Copyright 2006 by Princeton University" in licence
    size = sum(path.stat().st_size for path in SHIPPED.glob(f"{WORDNET_WORDS}*"))
    assert size < 6_000_000


def test_shipped_nouns_know_their_relations() -> None:
    words = load_embedding(WORDNET_WORDS).vocabulary.words
    relations = relations_behind(WORDNET_WORDS, words)
    assert relations is not None
    index = {word: place for place, word in enumerate(words)}
    kinds = relations.of_word(index["dog"])
    for word, kind in (
        ("animal", Relation.HYPERNYM),
        ("poodle", Relation.HYPONYM),
        ("wolf", Relation.SIBLING),
        ("treaty", Relation.OTHER),
    ):
        assert kinds[index[word]] == kind
    assert relations_behind("glove-50k", words) is None


def test_shipped_nouns_lie_near_their_hypernyms() -> None:
    embedding = load_embedding(WORDNET_WORDS)
    relations = relations_behind(WORDNET_WORDS, embedding.vocabulary.words)
    assert relations is not None
    rng = np.random.default_rng(0)
    nearer = []
    for word in rng.choice(embedding.size, 200, replace=False).tolist():
        kinds = relations.of_word(word)
        distance = Hyperbolic().pairwise(embedding.vectors[[word]], embedding.vectors)[
            0
        ]
        above = distance[kinds == Relation.HYPERNYM]
        if len(above):
            others = distance[kinds == Relation.OTHER]
            nearer.append((others[None] > above[:, None]).mean())
    # The mean rank of hypernyms among unrelated words is a few in thousands.
    assert np.mean(nearer) > 0.998
