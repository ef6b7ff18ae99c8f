import numpy as np
import pytest

from publius.core.errors import DataError
from publius.embeddings import graph

TABLE = np.array([[1], [0], [1], [2]])


def test_symmetric_joins_in_both_directions() -> None:
    joined = graph.symmetric(TABLE).toarray()
    expected = [[0, 1, 0, 0], [1, 0, 1, 0], [0, 1, 0, 1], [0, 0, 1, 0]]
    assert joined.tolist() == expected
    assert joined.dtype == np.float32


def test_one_word_has_no_edges() -> None:
    assert graph.symmetric(np.zeros((1, 0), dtype=np.int64)).nnz == 0


def test_pack_round_trips_and_is_reproducible() -> None:
    packed = graph.pack(TABLE, "00ff")
    assert packed == graph.pack(TABLE.copy(), "00ff")
    assert graph.unpack("g.npz", packed, "00ff", 4).tolist() == TABLE.tolist()


@pytest.mark.parametrize(
    ("table", "mark", "message"),
    [
        (TABLE, "other", "another embedding"),
        (TABLE[:3], "00ff", "shape"),
        (np.array([[1], [0], [1], [9]]), "00ff", "outside its range"),
        (np.array([[1], [0], [1], [3]]), "00ff", "to itself"),
    ],
)
def test_unpack_refuses_a_wrong_table(
    table: "np.ndarray", mark: str, message: str
) -> None:
    with pytest.raises(DataError, match=message):
        graph.unpack("g.npz", graph.pack(table, mark), "00ff", 4)


def test_unpack_refuses_damage() -> None:
    whole = graph.pack(TABLE, "00ff")
    for content in (b"", b"PK", whole[: len(whole) // 2], b"\0" * 100):
        with pytest.raises(DataError, match=r"g\.npz"):
            graph.unpack("g.npz", content, "00ff", 4)
