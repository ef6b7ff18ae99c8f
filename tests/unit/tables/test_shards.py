import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from publius.core.errors import ParameterError
from publius.tables.shards import Cut, Shard, shards


def batch(texts: list[str | None]) -> pa.RecordBatch:
    columns = {"text": pa.array(texts, pa.large_string()), "row": range(len(texts))}
    return pa.RecordBatch.from_pydict(columns)


def cut(texts: list[str | None], lengths: list[int], **limits: int) -> list[list]:
    whole, pieces, start = batch(texts), [], 0
    for length in lengths:
        pieces.append(whole.slice(start, length))
        start += length
    found = list(shards([*pieces, whole.slice(start)], Cut(**limits)))
    assert [shard.number for shard in found] == list(range(len(found)))
    return [shard.table.to_pylist() for shard in found]


def test_cuts_after_the_row_that_reaches_the_rows() -> None:
    assert [len(s) for s in cut(["a"] * 10, [], rows=4)] == [4, 4, 2]


def test_cuts_after_the_row_that_reaches_the_bytes() -> None:
    texts = ["aa", "é", "", "a" * 9, None, "aaa", "a"]
    assert [len(s) for s in cut(texts, [], size=4)] == [2, 2, 3]


def test_no_rows_give_no_shards() -> None:
    assert list(shards([batch([])])) == []


@given(
    texts=st.lists(st.none() | st.text(max_size=8), max_size=40),
    lengths=st.lists(st.integers(0, 9), max_size=9),
    rows=st.integers(1, 9),
    size=st.integers(1, 30),
    part=st.integers(1, 12),
)
def test_shards_do_not_depend_on_the_chunks(
    texts: list[str | None], lengths: list[int], rows: int, size: int, part: int
) -> None:
    limits = {"rows": rows, "size": size, "part": part}
    found = cut(texts, lengths, **limits)
    assert found == cut(texts, [], **limits)
    assert [row["text"] for shard in found for row in shard] == texts
    for shard in found:
        sizes = [len((row["text"] or "").encode()) for row in shard]
        assert len(shard) <= rows
        assert sum(sizes[:-1]) < size
        assert shard[0]["row"] // part == shard[-1]["row"] // part
    for shard in found[:-1]:
        sizes = [len((row["text"] or "").encode()) for row in shard]
        is_full = len(shard) == rows or sum(sizes) >= size
        assert is_full or (shard[-1]["row"] + 1) % part == 0


@pytest.mark.parametrize("limits", [{"rows": 0}, {"size": 0}, {"part": 0}])
def test_limits_are_checked(limits: dict[str, int]) -> None:
    with pytest.raises(ParameterError):
        Cut(**limits)
    with pytest.raises(ParameterError):
        Shard(-1, batch([]))
