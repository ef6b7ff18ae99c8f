import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from publius.core.errors import ParameterError
from publius.tables.shards import Shard, shards


def batch(texts: list[str | None]) -> pa.RecordBatch:
    columns = {"text": pa.array(texts, pa.large_string()), "row": range(len(texts))}
    return pa.RecordBatch.from_pydict(columns)


def cut(texts: list[str | None], lengths: list[int], **limits: int) -> list[list]:
    whole, pieces, start = batch(texts), [], 0
    for length in lengths:
        pieces.append(whole.slice(start, length))
        start += length
    found = list(shards([*pieces, whole.slice(start)], **limits))
    assert [shard.number for shard in found] == list(range(len(found)))
    return [shard.table.to_pylist() for shard in found]


def test_cuts_after_the_row_that_reaches_the_rows() -> None:
    assert [len(s) for s in cut(["a"] * 10, [], max_rows=4)] == [4, 4, 2]


def test_cuts_after_the_row_that_reaches_the_bytes() -> None:
    texts = ["aa", "é", "", "a" * 9, None, "aaa", "a"]
    assert [len(s) for s in cut(texts, [], max_bytes=4)] == [2, 2, 3]


def test_no_rows_give_no_shards() -> None:
    assert list(shards([batch([])])) == []


@given(
    texts=st.lists(st.none() | st.text(max_size=8), max_size=40),
    lengths=st.lists(st.integers(0, 9), max_size=9),
    max_rows=st.integers(1, 9),
    max_bytes=st.integers(1, 30),
)
def test_shards_do_not_depend_on_the_chunks(
    texts: list[str | None], lengths: list[int], max_rows: int, max_bytes: int
) -> None:
    limits = {"max_rows": max_rows, "max_bytes": max_bytes}
    found = cut(texts, lengths, **limits)
    assert found == cut(texts, [], **limits)
    assert [row["text"] for shard in found for row in shard] == texts
    for shard in found:
        sizes = [len((row["text"] or "").encode()) for row in shard]
        assert len(shard) <= max_rows
        assert sum(sizes[:-1]) < max_bytes
    for shard in found[:-1]:
        sizes = [len((row["text"] or "").encode()) for row in shard]
        assert len(shard) == max_rows or sum(sizes) >= max_bytes


@pytest.mark.parametrize("limits", [{"max_rows": 0}, {"max_bytes": 0}])
def test_limits_are_checked(limits: dict[str, int]) -> None:
    with pytest.raises(ParameterError):
        list(shards([], **limits))
    with pytest.raises(ParameterError):
        Shard(-1, batch([]))
