import numpy as np
import pytest
import scipy.sparse as sp

from publius.core.errors import DataError
from publius.core.folded_space import FoldedSpace, TwoLengthSpace, space_of_law

SIZE = 40


def graph(number: int, edges: int) -> "sp.csr_array[np.float32]":
    """Return a random symmetric graph."""
    rng = np.random.default_rng(number)
    matrix = np.zeros((SIZE, SIZE), np.float32)
    for a, b in rng.integers(0, SIZE, (edges, 2)):
        if a != b:
            matrix[a, b] = matrix[b, a] = 1
    return sp.csr_array(matrix)


def shortest_paths(space: TwoLengthSpace) -> np.ndarray:
    """Return capped shortest paths by Floyd and Warshall."""
    distance = np.full((space.size, space.size), np.inf)
    distance[space.wide.toarray() > 0] = 2
    distance[space.near.toarray() > 0] = 1
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
    small = sp.csr_array(np.zeros((3, 3), np.float32))
    with pytest.raises(DataError, match="same points"):
        TwoLengthSpace(graph(1, 30), small, 4, "f")
