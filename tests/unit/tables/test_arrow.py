import numpy as np
import pyarrow as pa
import pytest

from publius.tables.arrow import (
    integers,
    lengths,
    numbers,
    present,
    strings,
    text_array,
    truths,
    without_nulls,
)

TEXTS = ["", "plain", "naïve", "日本語", "\U0001f600", "a\x00b"]


@pytest.mark.parametrize(
    "texts", [[], [""], TEXTS, [None, "", None], [*TEXTS, None] * 3]
)
def test_strings_are_those_of_arrow(texts: list[str | None]) -> None:
    made = strings(texts)
    made.validate(full=True)
    assert made.equals(pa.array(texts, pa.large_string()))


def test_half_a_pair_is_no_string() -> None:
    with pytest.raises(UnicodeEncodeError):
        strings(["\ud800"])


@pytest.mark.parametrize("kind", [np.int64, np.int32, np.uint16])
def test_whole_numbers_come_back(kind: type) -> None:
    values = np.arange(20, dtype=kind)[::3]
    assert integers(values).equals(pa.array(values.astype(np.int64)))
    assert numbers(pa.array(values)[2:]).tolist() == values[2:].tolist()


def test_texts_lie_between_bounds() -> None:
    made = text_array(np.array([1, 1, 4]), pa.py_buffer(b"xabcx"))
    assert made.to_pylist() == ["", "abc"]


@pytest.mark.parametrize(
    "kind", [pa.string(), pa.large_string(), pa.binary(), pa.large_binary()]
)
@pytest.mark.parametrize("cells", [[], TEXTS, [None, "", None, "naïve"], [None]])
def test_slices_tell_lengths_and_what_is_there(
    kind: pa.DataType, cells: list[str | None]
) -> None:
    raw = [None if cell is None else cell.encode() for cell in cells]
    column = pa.array([b"before", None, *raw, b"behind"], kind)[2:-1]
    assert present(column).tolist() == [cell is not None for cell in cells]
    assert lengths(column).tolist() == [len(cell or b"") for cell in raw]


def test_nothing_of_a_column_of_nulls_is_there() -> None:
    assert not present(pa.nulls(3)).any()


@pytest.mark.parametrize("kind", [pa.string(), pa.large_string()])
def test_a_missing_string_becomes_an_empty_one(kind: pa.DataType) -> None:
    filled = without_nulls(pa.array(["a", None], kind))
    assert filled.equals(pa.array(["a", ""], kind))


def test_truth_values_come_back_from_a_slice() -> None:
    flags = [True, False, True, True] * 5
    assert truths(pa.array(flags)[3:]).tolist() == flags[3:]
