import numpy as np
import pytest
from numpy.typing import NDArray

from publius.core.errors import DataError, ParameterError, UnknownNameError
from publius.core.metric import Manhattan
from publius.embeddings import DEFAULT_SPACE, Embedding, Vocabulary

ONE = Embedding(Vocabulary(("only",)), np.ones((1, 3), dtype=np.float32))


def test_nearest_takes_the_lowest_id_on_a_tie(line: Embedding) -> None:
    points = np.array([[0.5], [2.0], [100.0], [-3.0], [5.0]])
    assert line.nearest(points).tolist() == [0, 1, 4, 0, 2]


def test_nearest_of_no_points_is_empty(line: Embedding) -> None:
    assert line.nearest(np.empty((0, 1))).shape == (0,)


def test_nearest_follows_the_metric() -> None:
    vectors = np.array([[3.0, 0.0], [2.0, 2.0]])
    words = Vocabulary(("axis", "corner"))
    origin = np.zeros((1, 2))
    assert Embedding(words, vectors).nearest(origin).tolist() == [1]
    assert Embedding(words, vectors, Manhattan()).nearest(origin).tolist() == [0]


def test_nearest_refuses_another_dimension_and_nan(line: Embedding) -> None:
    with pytest.raises(DataError, match="shape"):
        line.nearest(np.zeros((2, 2)))
    with pytest.raises(DataError, match="row 1"):
        line.nearest(np.array([[0.0], [np.nan]]))


def test_neighbours_are_sorted_and_exclude_the_word(line: Embedding) -> None:
    assert line.neighbours(2).tolist() == [[1, 2], [0, 2], [1, 0], [2, 1], [3, 2]]


@pytest.mark.parametrize("k", [0, 5, 6])
def test_neighbours_need_that_many_words(line: Embedding, k: int) -> None:
    with pytest.raises(ParameterError):
        line.neighbours(k)


@pytest.mark.parametrize(
    ("vectors", "message"),
    [
        (np.zeros((2, 0)), "matrix"),
        (np.zeros(2), "matrix"),
        (np.zeros((2, 2), dtype=np.int64), "matrix"),
        (np.zeros((3, 2)), "2 words need as many vectors, got 3"),
        (np.array([[0.0], [np.inf]]), "row 1"),
        (np.array([[np.nan], [0.0]]), "row 0"),
    ],
)
def test_bad_vectors_are_refused(vectors: NDArray[np.floating], message: str) -> None:
    with pytest.raises(DataError, match=message):
        Embedding(Vocabulary(("a", "b")), vectors)


def test_restricted_keeps_rank_order(line: Embedding) -> None:
    assert line.restricted(2).vocabulary.words == ("zero", "one")
    some = line.restricted(["seven", "nowhere", "one", "one"])
    assert some.vocabulary.words == ("one", "seven")
    assert some.vectors.ravel().tolist() == [1.0, 7.0]
    assert some.fingerprint != line.fingerprint


@pytest.mark.parametrize("everything", [None, 5, 50])
def test_restricted_to_everything_is_the_same(
    line: Embedding, everything: int | None
) -> None:
    assert line.restricted(everything) is line


@pytest.mark.parametrize("nothing", [0, -1, ["nowhere"], [], "one"])
def test_restricted_to_nothing_is_refused(
    line: Embedding, nothing: int | list[str]
) -> None:
    with pytest.raises((DataError, ParameterError)):
        line.restricted(nothing)


def test_fingerprint_depends_on_words_and_vectors(line: Embedding) -> None:
    words = line.vocabulary
    moved = Embedding(words, line.vectors + 1)
    renamed = Embedding(Vocabulary(words.words[::-1]), line.vectors)
    marks = {line.fingerprint, moved.fingerprint, renamed.fingerprint}
    assert len(marks) == 3
    assert all(len(mark) == 16 for mark in marks)


def test_spaces_have_the_distances_of_their_names(line: Embedding) -> None:
    ids = np.array([0])
    expected = {
        "euclidean": [0, 1, 3, 7, 15],
        "euclidean:cap=3": [0, 1, 3, 3, 3],
        "manhattan": [0, 1, 3, 7, 15],
        "discrete": [0, 1, 1, 1, 1],
        "hop:k=1:cap=2": [0, 1, 2, 2, 2],
        "hop:k=1:cap=inf": [0, 1, 2, 3, 4],
    }
    for spec, distances in expected.items():
        space = line.space(spec)
        assert space.rows(ids)[0].tolist() == distances, spec
        assert space.id.endswith(line.fingerprint)
        assert space.id.startswith(spec.split(":")[0])


def test_default_space_is_capped_hops(line: Embedding) -> None:
    assert line.space().id == f"{DEFAULT_SPACE}@{line.fingerprint}"


def test_discrete_space_tells_words_with_one_vector_apart() -> None:
    twins = Embedding(Vocabulary(("a", "b")), np.ones((2, 3)))
    assert twins.space("discrete").rows(np.array([0]))[0].tolist() == [0.0, 1.0]
    assert twins.space("euclidean").rows(np.array([0]))[0].tolist() == [0.0, 0.0]


@pytest.mark.parametrize(
    "spec", ["euclidean", "angular", "discrete", "hop", "hop:cap=inf"]
)
def test_one_word_works_everywhere(spec: str) -> None:
    assert ONE.space(spec).rows(np.array([0])).tolist() == [[0.0]]
    assert ONE.nearest(np.zeros((4, 3))).tolist() == [0, 0, 0, 0]


def test_duplicate_vectors_work() -> None:
    same = Embedding(Vocabulary(tuple("abcdef")), np.ones((6, 2), dtype=np.float32))
    assert same.nearest(np.ones((3, 2))).tolist() == [0, 0, 0]
    assert same.neighbours(2).tolist()[0] == [1, 2]
    assert same.space("hop:k=2").rows(np.array([0])).max() <= 4


def test_unknown_space_is_refused(line: Embedding) -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'euclidean'"):
        line.space("euclidian")
