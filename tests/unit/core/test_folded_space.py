import numpy as np
import pytest

from publius.core.errors import DataError
from publius.core.folded_space import FoldedSpace, Graph, TwoLengthSpace, space_of_law

SIZE = 40


def graph(number: int, edges: int) -> Graph:
    """Return a random graph."""
    ends = np.random.default_rng(number).integers(0, SIZE, (2, edges))
    return Graph(ends[:, ends[0] != ends[1]], SIZE)


def shortest_paths(space: TwoLengthSpace) -> np.ndarray:
    """Return capped shortest paths by Floyd and Warshall."""
    distance = np.full((space.size, space.size), np.inf)
    for length, made in ((2, space.wide), (1, space.near)):
        distance[made.edges[0], made.edges[1]] = length
        distance[made.edges[1], made.edges[0]] = length
    np.fill_diagonal(distance, 0)
    for middle in range(space.size):
        through = distance[:, [middle]] + distance[[middle]]
        distance = np.minimum(distance, through)
    return np.minimum(distance, space.cap)


@pytest.mark.parametrize("cap", [1, 2, 3, 4, 7])
@pytest.mark.parametrize(("near", "wide"), [(20, 20), (50, 0), (0, 50), (15, 60)])
def test_distances_are_capped_shortest_paths(cap: int, near: int, wide: int) -> None:
    space = TwoLengthSpace(graph(1, near), graph(2, wide), cap, "f")
    assert np.array_equal(space.rows(np.arange(SIZE)), shortest_paths(space))


def test_words_are_at_the_distance_of_their_symbols() -> None:
    symbols = TwoLengthSpace(graph(1, 30), graph(2, 30), 4, "f")
    fold = np.random.default_rng(3).integers(0, SIZE, 100)
    space = FoldedSpace(symbols, fold)
    rows = space.rows(np.arange(100))
    assert np.array_equal(rows, shortest_paths(symbols)[np.ix_(fold, fold)])
    assert (rows[fold[:, None] == fold] == 0).all()
    assert space.id == symbols.id
    assert space_of_law(space) is symbols
    assert space_of_law(symbols) is symbols


@pytest.mark.parametrize("fold", [[0, SIZE], [-1, 0], []])
def test_a_word_without_a_symbol_is_refused(fold: list[int]) -> None:
    symbols = TwoLengthSpace(graph(1, 30), graph(2, 30), 4, "f")
    with pytest.raises(DataError, match="folded onto one of 40"):
        FoldedSpace(symbols, np.array(fold, dtype=np.int64))


def test_graphs_of_other_points_are_refused() -> None:
    small = Graph(np.zeros((2, 0), np.int64), 3)
    with pytest.raises(DataError, match="same points"):
        TwoLengthSpace(graph(1, 30), small, 4, "f")


def test_edges_count_in_both_directions_and_once() -> None:
    made = Graph(np.array([[0, 2, 0], [2, 0, 1]]), 4)
    ends, counts = made.from_each(np.array([0, 1, 2, 3]))
    assert ends.tolist() == [1, 2, 0, 0]
    assert counts.tolist() == [2, 1, 1, 0]


@pytest.mark.parametrize("end", [-1, 3])
def test_an_edge_to_no_point_is_refused(end: int) -> None:
    with pytest.raises(DataError, match="none of the 3 points"):
        Graph(np.array([[0], [end]]), 3)
