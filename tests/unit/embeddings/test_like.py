"""The like space of the package, and how such a space is built."""

from dataclasses import replace

import numpy as np
import pytest

from publius.core.arrays import UNKNOWN
from publius.core.errors import DataError, ParameterError
from publius.embeddings import like
from publius.embeddings.catalogue import load_embedding
from publius.embeddings.derived import SHIPPED
from publius.embeddings.embedding import Embedding
from publius.embeddings.like import LikeTable, like_table, with_numbers
from publius.embeddings.like_edges import (
    Features,
    chained,
    crossed,
    folded,
    matched,
)


@pytest.fixture(scope="module")
def words() -> Embedding:
    return with_numbers(load_embedding("glove-50k"))


@pytest.fixture(scope="module")
def table(words: Embedding) -> LikeTable:
    return like_table(words)


def symbol(word: str, words: Embedding, table: LikeTable) -> int:
    return int(table.fold[words.vocabulary.encode([word])[0]])


def test_the_file_is_small() -> None:
    assert (SHIPPED / "glove-50k-like.npz").stat().st_size < 1 << 20


def test_there_is_no_hub(table: LikeTable) -> None:
    degree = np.bincount(table.near.ravel(), minlength=len(table.counts))
    plain = degree[: -len(table.classes)]
    assert plain.max() <= 12
    assert np.median(plain) == 10


def test_classes_are_disjoint_and_written_as_their_own_members(
    words: Embedding, table: LikeTable
) -> None:
    assert len(set(table.spoken.tolist())) == len(table.spoken)
    assert table.classes[0] == "negation"
    assert table.class_of(symbol("john", words, table)) == "given-name"
    assert table.class_of(symbol("smith", words, table)) == "family-name"
    assert table.class_of(symbol("london", words, table)) == "city"
    assert table.class_of(symbol("monday", words, table)) == "weekday"
    assert table.class_of(symbol("film", words, table)) == ""


@pytest.mark.parametrize(
    ("number", "kind"),
    [
        ("7", "1-digit-number"),
        ("42", "2-digit-number"),
        ("1994", "4-digit-number"),
        ("12,000", "5-digit-number"),
        ("3.14", "3-digit-number"),
        ("98765432100", "number-of-7-digits-or-more"),
        ("don't", "negation"),
        ("never", "negation"),
    ],
)
def test_numbers_belong_to_a_class_by_their_digits(
    number: str, kind: str, words: Embedding, table: LikeTable
) -> None:
    assert table.class_of(symbol(number, words, table)) == kind


def test_other_forms_stay_unknown(words: Embedding) -> None:
    ids = words.vocabulary.encode(["qwertzuiop", "x2", "", "film"])
    assert (ids[:3] == UNKNOWN).all()
    assert ids[3] == load_embedding("glove-50k").vocabulary.encode(["film"])[0]


def test_offensive_words_are_inputs_and_never_outputs(
    words: Embedding, table: LikeTable
) -> None:
    ids = words.vocabulary.encode(["fuck", "shit", "whore", "bastard"])
    assert (ids != UNKNOWN).all()
    assert not np.isin(ids, table.spoken).any()


def test_distances_to_the_nearest_by_vector_are_as_told(table: LikeTable) -> None:
    sample = np.arange(0, 50_000, 500)
    near = load_embedding("glove-50k").neighbours(10)[sample]
    rows = np.take_along_axis(table.space.rows(sample), near, axis=1)
    mean, worst = table.vector_near
    assert abs(rows.mean() - mean) < 0.2
    assert rows.max() <= worst == 4


def test_a_table_survives_its_file(table: LikeTable) -> None:
    again = like.unpack("x", like.pack(table))
    assert again.space.id == table.space.id
    assert again.classes == table.classes


def test_damage_is_one_error(table: LikeTable) -> None:
    raw = like.pack(table)
    with pytest.raises(DataError):
        like.unpack("x", raw[: len(raw) // 2])
    with pytest.raises(DataError, match="another symbol"):
        replace(table, spoken=np.roll(table.spoken, 1))
    with pytest.raises(DataError, match="joins no symbol"):
        replace(table, near=table.near + 20_000)


def test_another_embedding_has_no_like_space() -> None:
    with pytest.raises(ParameterError, match="belongs to all words of an embedding"):
        load_embedding("glove-50k", 300).space("like")


def test_settings_of_the_like_metric_are_refused() -> None:
    with pytest.raises(ParameterError, match="cannot read the metric"):
        load_embedding("glove-50k").space("like:cap=3")


def features(count: int = 200) -> Features:
    rng = np.random.default_rng(4)
    return Features.of(
        rng.normal(size=(count, 5)), np.eye(3)[rng.integers(0, 3, count)]
    )


@pytest.mark.parametrize("most", [3, 6, 10])
def test_no_word_gets_more_edges_than_allowed(most: int) -> None:
    edges = matched(features().rows, most)
    degree = np.bincount(edges.ravel(), minlength=200)
    assert degree.max() <= most + 2
    assert degree.min() >= min(3, most)
    assert (edges[0] < edges[1]).all()
    assert len(np.unique(edges, axis=1).T) == edges.shape[1]


def test_rare_words_are_folded_onto_words_of_their_tag() -> None:
    own = features()
    targets, rest = np.arange(50), np.arange(50, 200)
    barred = np.zeros(50, dtype=bool)
    place = folded(own, targets, rest, barred, room=10)
    assert (own.tags[place] == own.tags[rest]).mean() > 0.9
    assert np.bincount(place, minlength=50).max() <= 12


def test_edges_between_symbols_of_near_words() -> None:
    fold = np.array([0, 1, 1, 2, 3])
    near = np.array([[1], [2], [0], [4], [0]])
    assert crossed(fold, near, 3).T.tolist() == [[0, 1]]
    assert chained((4, 2, 7), (1, 0)).T.tolist() == [[2, 4], [2, 7], [0, 1]]
