"""Laws of hyperbolic space: isometries, the metric, exact search, certificates."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from publius.core.errors import DataError
from publius.core.metric import Capped, Hyperbolic
from publius.core.space import PointSpace
from publius.embeddings.embedding import Embedding
from publius.embeddings.poincare import HyperbolicNearest
from publius.embeddings.vocabulary import Vocabulary
from publius.mechanisms.exponential import Exponential
from publius.numerics.geometry import lorentz, poincare


@st.composite
def tangents(draw: Any, *, furthest: float = 6.0, count: int = 3) -> Any:
    """Return tangent vectors at the origin, `count` of the same dimension."""
    dim = draw(st.integers(1, 6))
    number = draw(st.integers(0, 2**32 - 1))
    rng = np.random.default_rng(number)
    rows = rng.normal(size=(count, dim))
    radius = furthest * rng.random(count) ** draw(st.sampled_from([0.2, 1, 8]))
    return rows / np.linalg.norm(rows, axis=1, keepdims=True) * radius[:, None]


@given(rows=tangents())
def test_translations_are_isometries(rows: Any) -> None:
    by, a, b = rows[:, None, :]
    before = lorentz.distance(a, b)
    after = lorentz.distance(lorentz.translated(by, a), lorentz.translated(by, b))
    # A double holds directions to 2^-53: e^radius times that in distance.
    tolerance = 1e-15 * np.exp(np.linalg.norm(rows, axis=1).sum())
    np.testing.assert_allclose(after, before, rtol=1e-9, atol=10 * tolerance)


@given(rows=tangents())
def test_mobius_addition_and_translation_are_the_same(rows: Any) -> None:
    a, b = rows[:1], rows[1:2]
    wanted = poincare.mobius_add(poincare.exp0(a), poincare.exp0(b))
    np.testing.assert_allclose(
        poincare.exp0(lorentz.translated(a, b)), wanted, atol=1e-9
    )


@given(rows=tangents())
def test_rotations_are_isometries(rows: Any) -> None:
    dim = rows.shape[1]
    turn, _ = np.linalg.qr(np.random.default_rng(dim).normal(size=(dim, dim)))
    before = lorentz.distance(rows[:1], rows[1:2])
    after = lorentz.distance(rows[:1] @ turn, rows[1:2] @ turn)
    np.testing.assert_allclose(after, before, rtol=1e-7, atol=1e-9)


@given(rows=tangents(furthest=700.0))
def test_axioms_hold_at_any_radius(rows: Any) -> None:
    a, b, c = rows[:, None, :]
    ab, bc, ac = lorentz.distance(a, b), lorentz.distance(b, c), lorentz.distance(a, c)
    assert np.isfinite(ab).all()
    assert (ab == lorentz.distance(b, a)).all()
    assert (ac <= (ab + bc) * (1 + 1e-12) + 1e-12).all()


@given(rows=tangents(furthest=12.0, count=9))
def test_the_metric_of_the_ball_agrees_with_radius_and_direction(rows: Any) -> None:
    ball = poincare.exp0(rows)
    wanted = np.stack([lorentz.distance(np.tile(row, (9, 1)), rows) for row in rows])
    found = Hyperbolic().pairwise(ball, ball)
    # 1 - |x|^2 is known to 1e-16 absolutely: 1e-16 * e^12 relatively, at this radius.
    np.testing.assert_allclose(found, wanted, rtol=1e-8, atol=1e-5)
    np.testing.assert_array_equal(np.diag(found), 0)


@given(rows=tangents(furthest=10.0, count=60), far=st.sampled_from([1.0, 30.0, 600.0]))
def test_search_finds_the_closest(rows: Any, far: float) -> None:
    table, query = rows[:40], rows[40:] * far
    search = HyperbolicNearest(poincare.exp0(table))
    own = poincare.log0(poincare.exp0(table))
    distance = np.stack(
        [lorentz.distance(np.tile(point, (40, 1)), own) for point in query]
    )
    found = search.nearest(query)
    best = distance.min(axis=1)
    assert (distance[np.arange(20), found] <= best * (1 + 1e-14)).all()


def test_ties_go_to_the_lowest_id() -> None:
    row = poincare.exp0([[3.0, 1.0]])
    search = HyperbolicNearest(np.repeat(row, 5, axis=0))
    assert (search.nearest(np.array([[40.0, 1.0], [0.0, 0.0]])) == 0).all()


def hierarchy(size: int = 60) -> Any:
    rng = np.random.default_rng(4)
    rows = rng.normal(size=(size, 3))
    radius = rng.uniform(0.2, 7, size)
    return poincare.exp0(
        rows / np.linalg.norm(rows, axis=1, keepdims=True) * radius[:, None]
    )


@pytest.mark.parametrize("metric", [Hyperbolic(), Capped(Hyperbolic(), 4.0)])
@pytest.mark.parametrize("balanced", [True, False])
def test_certificates_are_recomputed_from_the_channel(
    metric: Any, *, balanced: bool
) -> None:
    space = PointSpace(hierarchy(), metric)
    mechanism = Exponential.calibrated(space, 1.2, balanced=balanced)
    log_prob = mechanism.channel(np.arange(space.size))
    distance = space.rows(np.arange(space.size))
    loss = np.abs(log_prob[:, None] - log_prob[None]).max(axis=2)
    apart = distance > 0
    exact = (loss[apart] / distance[apart]).max()
    claimed = mechanism.guarantee().at(1.0).pure
    assert exact <= claimed + 1e-9 <= 1.2 + 1e-6
    assert exact > 0.9 * claimed  # the claim is not idle
    assert mechanism.guarantee().metric.startswith(metric.id + "@")


def test_spaces_by_name() -> None:
    points = hierarchy()
    words = Vocabulary(tuple(f"w{i}" for i in range(len(points))))
    embedding = Embedding(words, points, Hyperbolic())
    row = embedding.space("hyperbolic").rows(np.array([0]))
    capped = embedding.space("hyperbolic:cap=2").rows(np.array([0]))
    np.testing.assert_array_equal(capped, np.minimum(row, 2.0))
    assert embedding.nearest(points[:7]).tolist() == list(range(7))


@pytest.mark.parametrize("bad", [1.0, 1.5, -1.0])
def test_points_on_or_outside_the_ball_have_no_distance(bad: float) -> None:
    rows = np.array([[0.0, 0.0], [bad, 0.0]])
    for measure in (Hyperbolic().pairwise, Hyperbolic().distance):
        with pytest.raises(DataError, match="row 1"):
            measure(rows, rows)
    with pytest.raises(DataError, match="row 1"):
        HyperbolicNearest(rows)
