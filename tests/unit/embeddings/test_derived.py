from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from publius.core.arrays import IdArray
from publius.embeddings import derived, load_embedding

SIZE = derived.WORTH_KEEPING


def ring(calls: list[int]) -> Callable[[int], IdArray]:
    def compute(k: int) -> IdArray:
        calls.append(k)
        return (np.arange(SIZE)[:, None] + 1 + np.arange(k)) % SIZE

    return compute


def test_table_is_computed_once(own_cache: Path) -> None:
    calls: list[int] = []
    first = derived.neighbour_table("ab", SIZE, 3, ring(calls))
    again = derived.neighbour_table("ab", SIZE, 3, ring(calls))
    assert calls == [3]
    assert (first == again).all()
    assert [path.name for path in own_cache.rglob("*.npz")] == ["ab-k3.npz"]


def test_damaged_table_is_computed_again(own_cache: Path) -> None:
    calls: list[int] = []
    whole = derived.neighbour_table("ab", SIZE, 3, ring(calls))
    kept = own_cache / "neighbours" / "ab-k3.npz"
    kept.write_bytes(kept.read_bytes()[:1000])
    assert (derived.neighbour_table("ab", SIZE, 3, ring(calls)) == whole).all()
    assert calls == [3, 3]
    derived.neighbour_table("ab", SIZE, 3, ring(calls))
    assert calls == [3, 3]


def test_cache_folder_that_cannot_be_written_costs_only_time(own_cache: Path) -> None:
    own_cache.write_text("a file where the folder should be")
    calls: list[int] = []
    derived.neighbour_table("ab", SIZE, 2, ring(calls))
    derived.neighbour_table("ab", SIZE, 2, ring(calls))
    assert calls == [2, 2]


@pytest.mark.parametrize(("size", "k", "used"), [(1, 10, 0), (5, 10, 4), (5, 2, 2)])
def test_k_is_reduced_for_few_words(
    own_cache: Path, size: int, k: int, used: int
) -> None:
    calls: list[int] = []

    def compute(k: int) -> IdArray:
        calls.append(k)
        return np.zeros((size, k), dtype=np.int64)

    assert derived.neighbour_table("ab", size, k, compute).shape == (size, used)
    assert calls == [used]
    assert not own_cache.exists()


def test_table_for_a_smaller_k_is_the_start_of_the_shipped_one() -> None:
    glove = load_embedding("glove-50k")
    assert (glove.neighbours(3) == glove.neighbours(10)[:, :3]).all()
