"""Frames whose columns Arrow cannot hold: read beside them, never quoted."""

from typing import Any

import pandas as pd
import pytest

import publius as pb
from publius.core.errors import DataError

SMALL: dict[str, Any] = {"text": "body", "vocabulary": 300, "seed": 1}
HIDDEN = "Zyxwinska"
KINDS: list[list[Any]] = [[3.5, HIDDEN], [2**80, 1], [[1], HIDDEN]]


def frame(values: list[object]) -> pd.DataFrame:
    held = pd.Series(values, dtype=object)
    return pd.DataFrame({"body": ["the river", "the town"], "other": held})


@pytest.mark.parametrize("values", KINDS, ids=["mixed", "huge", "lists"])
def test_a_column_of_several_kinds_that_is_not_asked_for_stays_unread(
    values: list[object],
) -> None:
    made = pb.release(frame(values), **SMALL).data
    assert isinstance(made, pd.DataFrame)
    assert list(made) == ["body"]


@pytest.mark.parametrize("values", KINDS, ids=["mixed", "huge", "lists"])
@pytest.mark.parametrize("use", ["text", "author", "keep"])
def test_a_column_of_several_kinds_that_is_asked_for_is_refused(
    values: list[object], use: str
) -> None:
    with pytest.raises(DataError, match="'other' holds values of several") as told:
        pb.release(frame(values), **{**SMALL, use: "other"})
    assert HIDDEN not in str(told.value)
    assert told.value.__cause__ is None
    assert told.value.__context__ is None


def test_a_series_of_several_kinds_is_refused() -> None:
    with pytest.raises(DataError, match="of a series must all be of one kind") as told:
        pb.release(pd.Series([3.5, HIDDEN]), vocabulary=300, seed=1)
    assert told.value.__context__ is None


def test_columns_of_one_name_are_refused() -> None:
    twins = pd.DataFrame([["a", "b"]], columns=["body", "body"])
    with pytest.raises(DataError, match="share a name; rename all but one"):
        pb.release(twins, **SMALL)
