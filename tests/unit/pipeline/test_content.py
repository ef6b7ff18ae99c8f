"""The hash of rows: blind to batches, never to a value, a place or a name."""

from datetime import UTC, datetime
from decimal import Decimal

import pyarrow as pa
import pytest

from publius.pipeline.content import Content, fresh_key, is_same, key_of, sealed

KEY = bytes(range(32))
COLUMNS = {
    "text": pa.array(["one", None, "", "two", "ünï"]),
    "whole": pa.array([1, 2, None, 4, 5]),
    "number": pa.array([0.5, -0.0, None, 1.0, 2.0], pa.float32()),
    "truth": pa.array([True, None, False, True, False]),
    "when": pa.array([datetime(2020, 1, d, tzinfo=UTC) for d in range(1, 6)]),
    "money": pa.array([Decimal("1.50"), None, Decimal(2), Decimal(3), Decimal(4)]),
    "kind": pa.array(["a", "b", None, "a", "b"]).dictionary_encode(),
    "list": pa.array([[1], [], None, [2, 3], [4]]),
    "record": pa.array([{"a": 1}, None, {"a": 2}, {"a": 3}, {"a": 4}]),
    "nothing": pa.nulls(5),
    "raw": pa.array([b"ab", None, b"cd", b"ef", b"gh"], pa.binary(2)),
}


def told(rows: pa.Table, batch: int = 5, key: bytes = KEY) -> bytes:
    content = Content(key)
    for one in rows.to_batches(max_chunksize=batch):
        content.add(one)
    return content.digest()


@pytest.mark.parametrize("name", COLUMNS)
def test_batches_change_nothing_and_values_do(name: str) -> None:
    rows = pa.table({name: COLUMNS[name], "other": list("abcde")})
    assert told(rows) == told(rows, 1) == told(rows, 2)
    moved = rows.take(pa.array([1, 0, 2, 3, 4]))
    values = rows.set_column(0, name, moved.column(0))
    if name != "nothing":
        assert told(values) != told(rows)
    assert told(moved) != told(rows)
    assert told(rows.slice(0, 4)) != told(rows)
    assert told(rows.rename_columns([name, "another"])) != told(rows)
    assert told(rows, key=fresh_key()) != told(rows)


def test_values_do_not_run_into_each_other() -> None:
    one = pa.table({"a": ["ab", "c"], "b": ["x", "y"]})
    for other in ({"a": ["a", "bc"], "b": ["x", "y"]},
                  {"a": ["abc", None], "b": ["x", "y"]}):  # fmt: skip
        assert told(pa.table(other)) != told(one)


def test_a_seal_knows_its_files_in_order() -> None:
    files = {"a": b"1" * 32, "b": b"2" * 32}
    seal = sealed(KEY, files)
    assert key_of(seal) == KEY
    assert is_same(seal, files)
    assert not is_same(seal, dict(reversed(files.items())))
    assert not is_same(seal, {"a": b"1" * 32})
    assert not is_same(seal, {**files, "b": b"3" * 32})
    assert not is_same(seal[:20], files)
    assert not is_same(b"", files)
