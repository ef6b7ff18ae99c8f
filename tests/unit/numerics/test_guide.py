"""A guided search finds what a binary search finds."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from publius.numerics import guide
from publius.numerics.guide import Guide

WEIGHTS = st.lists(st.integers(0, 1 << 20), min_size=1, max_size=40)


@given(WEIGHTS, st.integers(1, 64))
def test_it_finds_what_searchsorted_finds(weights: list[int], last: int) -> None:
    sums = np.cumsum([*weights, last], dtype=np.uint64)
    sought = np.unique(np.concatenate([sums[:-1], sums - np.uint64(1), sums // 2]))
    sought = sought[sought < sums[-1]].astype(np.uint64)
    wanted = np.searchsorted(sums, sought, side="right")
    np.testing.assert_array_equal(Guide.over(sums).find(sought), wanted)


@pytest.mark.parametrize("buckets", [1, 2, 64])
def test_many_sums_may_share_a_bucket(
    buckets: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(guide, "MOST_BUCKETS", buckets)
    sums = np.arange(1, 1000, dtype=np.uint64)
    sought = np.arange(999, dtype=np.uint64)
    np.testing.assert_array_equal(Guide.over(sums).find(sought), sought)
