"""Screens bound the weights of every chunk, whatever the coordinates are."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from publius.core.metric import Angular, Capped, Euclidean, Metric
from publius.core.space import PointSpace
from publius.mechanisms.law import Decay
from publius.mechanisms.point_law import PointLaw
from publius.mechanisms.screen import (
    CHUNK,
    ROOM,
    Halves,
    ProductScreen,
    RowScreen,
    Screen,
)
from publius.numerics.chord import Chords

METRICS: dict[str, Metric] = {
    "euclidean": Euclidean(),
    "angular": Angular(),
    "capped": Capped(Euclidean(), 2.0),
    "capped-angle": Capped(Angular(), 0.7),
}


def law(points: Any, metric: Metric, *, beta: float = 2.0, flat: bool = False) -> Any:
    weights = np.random.default_rng(5).integers(1, 1 << 20, len(points))
    weights = np.full_like(weights, 7) if flat else weights
    return PointLaw(PointSpace(points, metric), Decay(beta, weights.astype(np.uint32)))


def chunk_weights(made: PointLaw, ids: Any) -> Any:
    """Sum the exact weights of every chunk."""
    every = np.broadcast_to(np.arange(made.size), (len(ids), made.size))
    weights = made.weights(ids, every)
    return np.add.reduceat(weights, np.arange(0, made.size, CHUNK), axis=1)


def screens(made: PointLaw) -> list[Screen]:
    return [made._screen(is_close=False), made._screen(is_close=True)]


@pytest.mark.parametrize("name", METRICS)
@settings(max_examples=12)
@given(
    number=st.integers(0, 10_000),
    size=st.integers(1, 200),
    scale=st.sampled_from([1e-30, 1e-3, 1.0, 1e25]),
    offset=st.sampled_from([0.0, 30.0]),
    beta=st.sampled_from([1e-3, 2.0, 50.0]),
)
def test_bounds_hold(
    name: str, number: int, size: int, scale: float, offset: float, beta: float
) -> None:
    rng = np.random.default_rng(number)
    points = (rng.normal(size=(size, 6)) + offset) * scale
    points[size // 2] = points[0] * (1 + 1e-9)
    made = law(
        points, METRICS[name], beta=beta / scale if name == "euclidean" else beta
    )
    ids = np.arange(min(size, 128))
    weights = chunk_weights(made, ids)
    for screen in screens(made):
        sums = screen.sums(ids[: screen.batch])
        assert sums.shape == weights[: screen.batch].shape
        # What underflows in float32 is covered by the tickets that every chunk has.
        floor = 2.0**-60 * sums.sum(axis=1, keepdims=True)
        assert ((1 + ROOM / 2) * sums + floor >= weights[: screen.batch]).all()


@pytest.mark.parametrize("name", METRICS)
@pytest.mark.parametrize("flat", [True, False])
def test_bounds_are_close(name: str, *, flat: bool) -> None:
    points = np.random.default_rng(0).normal(size=(300, 20)).astype(np.float32)
    made = law(points, METRICS[name], flat=flat)
    ids = np.arange(100)
    weights = chunk_weights(made, ids).sum(axis=1)
    for screen in screens(made):
        sums = screen.sums(ids[: screen.batch]).sum(axis=1)
        np.testing.assert_allclose(sums, weights[: len(sums)], rtol=1e-2)


def test_a_row_has_the_same_bits_in_every_batch() -> None:
    for dim in (33, 300):
        points = np.random.default_rng(1).normal(size=(1500, dim)).astype(np.float32)
        screen = law(points, Euclidean())._screen(is_close=False)
        ids = np.random.default_rng(2).permutation(1500)[:128]
        whole = screen.sums(ids)
        for part in (slice(0, 1), slice(5, 6), slice(3, 64), slice(17, 128)):
            np.testing.assert_array_equal(screen.sums(ids[part]), whole[part])


def test_bounds_that_forget_what_products_err_by_are_seen(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # Far coordinates are moved to the grid by more than the points differ.
    points = np.random.default_rng(3).normal(size=(100, 6)) * 1e-2 + 3e3
    made = law(points, Euclidean(), beta=50.0)
    weights = chunk_weights(made, np.arange(100))
    assert (made._screen(is_close=False).sums(np.arange(100)) >= weights).all()
    monkeypatch.setattr(Halves, "_lowered", lambda _, half, __: half)
    broken = ProductScreen(made.space, Chords(is_angle=False), made.decay)
    sums = broken.sums(np.arange(100))
    assert ((1 + ROOM) * sums < weights).any()


def test_an_error_of_distances_widens_the_close_bounds() -> None:
    points = np.random.default_rng(4).normal(size=(70, 3))
    made = law(points, Euclidean())
    ids = np.arange(10)
    narrow = RowScreen(made.space, 0.0, made.decay).sums(ids)
    wide = RowScreen(made.space, 0.1, made.decay).sums(ids)
    np.testing.assert_allclose((wide / narrow).max(), np.exp(0.2), rtol=1e-3)
    assert (wide >= narrow).all()
