"""Noise follows from key and rows: one draw for all attempts, other rows unrelated."""

import datetime
from collections import Counter
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from scipy.stats import chisquare, norm

from publius.core.config import WordSettings
from publius.core.rng import RunKey
from publius.pipeline import ReleaseRequest, release
from publius.pipeline.stream import context_of, stream_of
from publius.tables.columns import Columns

ALPHA = 1e-9
KEY = RunKey(bytes(range(32)), is_secure=False)
CONTEXT = context_of({"epsilon": 4.0}, ["body"])


def noise(*cells: pa.Array, start: int = 0, context: bytes = CONTEXT) -> bytes:
    return stream_of(KEY, context, start, cells).bytes(64)


def texts(*cells: str | None) -> pa.Array:
    return pa.array(cells, pa.large_string())


def test_an_attempt_repeated_is_the_same_draw_however_the_rows_are_held() -> None:
    whole = texts("x", "a", None, "bc", "y")
    held = [
        texts("a", None, "bc"),
        whole.slice(1, 3),
        pa.concat_arrays([texts("a"), texts(None, "bc")]),
    ]
    assert len({noise(column) for column in held}) == 1
    dated = pa.array([datetime.time(7), None, datetime.time(9)])
    assert noise(dated) == noise(pa.concat_arrays([dated, dated]).slice(3))


def test_what_lies_under_a_null_does_not_count() -> None:
    hidden = pa.Array.from_buffers(
        pa.large_string(),
        2,
        [pa.py_buffer(b"\x02"), *texts("zz", "b").buffers()[1:]],
    )
    assert hidden.to_pylist() == [None, "b"]
    assert noise(hidden) == noise(texts(None, "b"))
    number = pa.array([1.0, 2.0], mask=np.array([True, False]))
    assert noise(number) == noise(pa.array([None, 2.0]))


OTHERS = {
    "changed cell": (texts("a", "c"),),
    "moved border": (texts("ab", ""),),
    "null for empty": (texts("ab", None),),
    "more rows": (texts("a", "b", ""),),
    "two columns": (texts("a"), texts("b")),
    "numbers": (pa.array([1, 2]),),
    "other numbers": (pa.array([1.0, 2.0]),),
    "truth": (pa.array([True, False]),),
    "nothing known": (pa.nulls(2),),
    "no rows": (texts(),),
}


def test_other_rows_other_noise() -> None:
    drawn = [noise(texts("a", "b")), *(noise(*cells) for cells in OTHERS.values())]
    drawn.append(noise(texts("a", "b"), start=4096))
    drawn.append(noise(texts("a", "b"), context=context_of({"epsilon": 5}, ["body"])))
    drawn.append(noise(texts("a", "b"), context=context_of({"epsilon": 4.0}, ["b"])))
    assert len(set(drawn)) == len(drawn)


@pytest.mark.statistical
def test_a_changed_cell_leaves_nothing_of_the_noise() -> None:
    def bits(column: pa.Array) -> np.ndarray:
        drawn = stream_of(KEY, CONTEXT, 0, [column]).bytes(200_000)
        return np.unpackbits(np.frombuffer(drawn, dtype=np.uint8))

    first = bits(texts(*["same"] * 99, "one"))
    for other, related in (("two", False), ("one", True)):
        equal = (first == bits(texts(*["same"] * 99, other))).sum(dtype=np.int64)
        off = (equal - len(first) / 2) / np.sqrt(len(first) / 4)
        assert bool(2 * norm.sf(abs(off)) < ALPHA) is related


@pytest.mark.statistical
def test_over_keys_every_input_has_the_law_of_the_generator() -> None:
    counts = np.zeros(8)
    for number in range(20_000):
        key = RunKey(number.to_bytes(32, "little"), is_secure=False)
        counts[stream_of(key, CONTEXT, 0, [texts("a", None)]).integers(8)] += 1
    assert chisquare(counts).pvalue > ALPHA
    wrong = counts * np.array([1.25, 1, 1, 1, 1, 1, 1, 0.75])
    assert chisquare(wrong, wrong.mean()).pvalue < ALPHA


def released(path: Path, out: Path, body: list[str]) -> list[str]:
    path.write_text("".join(f"{text}\n" for text in body))
    settings = WordSettings(vocabulary=60)
    release(ReleaseRequest(str(path), out, Columns(()), settings, seed=5, format="txt"))
    return (out / "data.txt").read_text().splitlines()


def test_equal_rows_of_one_release_draw_independently(tmp_path: Path) -> None:
    drawn = released(tmp_path / "in.txt", tmp_path / "out", ["people world"] * 400)
    assert len(Counter(drawn)) > 20


def test_under_one_key_another_text_tells_nothing_of_the_others(
    tmp_path: Path,
) -> None:
    rows = ["people world people world"] * 200
    first = released(tmp_path / "a.txt", tmp_path / "a", [*rows, "good people"])
    second = released(tmp_path / "b.txt", tmp_path / "b", [*rows, "bad people"])
    again = released(tmp_path / "c.txt", tmp_path / "c", [*rows, "good people"])
    assert first == again
    same = sum(a == b for a, b in zip(first[:200], second[:200], strict=True))
    assert same < 100
