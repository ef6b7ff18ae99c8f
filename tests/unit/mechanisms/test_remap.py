"""Remapping: the same guarantee, the best word under a prior, exact rank weights."""

import numpy as np
import pytest
import scipy.sparse as sp

from publius.core.arrays import UNKNOWN, FloatArray, IdArray, Rng
from publius.core.errors import DataError, ParameterError
from publius.core.guarantee import Flat, Guarantee, Unit
from publius.core.metric import Euclidean
from publius.core.rng import seeded
from publius.core.space import PointSpace
from publius.mechanisms.exponential import Exponential
from publius.mechanisms.remap import (
    WEIGHT_BITS,
    Remapped,
    RemappedCounts,
    RemapTable,
    bayes_table,
    posterior_means,
)

VECTORS = seeded(4).standard_normal((30, 3))
SPACE = PointSpace(VECTORS, Euclidean())
INNER = Exponential.with_beta(SPACE, 0.8)
PRIOR = np.arange(1.0, 31.0) / np.arange(1.0, 31.0).sum()


class _Index:
    def nearest(self, points: FloatArray) -> IdArray:
        return Euclidean().pairwise(points, VECTORS).argmin(axis=1)


def _expected_square(table: np.ndarray) -> float:
    """Return the prior mean of the squared distance after a deterministic remap."""
    prob = np.exp(INNER.channel(np.arange(30)))
    square = Euclidean().pairwise(VECTORS, VECTORS) ** 2
    return float((PRIOR[:, None] * prob * square[:, table]).sum())


def test_bayes_table_is_the_best_table() -> None:
    table = bayes_table(INNER, PRIOR, VECTORS, _Index()).choices[:, 0]
    joint = PRIOR[:, None] * np.exp(INNER.channel(np.arange(30)))
    square = Euclidean().pairwise(VECTORS, VECTORS) ** 2
    best = (joint.T @ square).argmin(axis=1)
    np.testing.assert_array_equal(table, best)
    assert _expected_square(table) < _expected_square(np.arange(30))


def test_posterior_mean_is_bayes_rule() -> None:
    joint = PRIOR[:, None] * np.exp(INNER.channel(np.arange(30)))
    wanted = joint.T @ VECTORS / joint.sum(axis=0)[:, None]
    np.testing.assert_allclose(posterior_means(INNER, PRIOR, VECTORS), wanted)


def test_a_word_that_is_never_released_stays() -> None:
    still = Remapped(INNER, RemapTable.fixed("bayes", np.zeros(30, dtype=np.int64)))
    table = bayes_table(still, PRIOR, VECTORS, _Index()).choices[:, 0]
    np.testing.assert_array_equal(table[1:], np.arange(1, 30))


def test_guarantee_is_that_of_the_mechanism() -> None:
    law = Remapped(INNER, RemapTable.fixed("bayes", np.arange(30)[::-1]))
    mine, inner = law.guarantee(), INNER.guarantee()
    assert (mine.terms, mine.metric, mine.landmarks) == (
        inner.terms,
        inner.metric,
        inner.landmarks,
    )
    assert "public table" in mine.scope.assumptions[-1]
    assert law.name == "exponential.v2+bayes-remap.v1"


@pytest.mark.parametrize("kind", ["bayes", "rank"])
def test_channel_is_the_product_and_never_more_distinguishing(kind: str) -> None:
    near = np.argsort(SPACE.rows(np.arange(30)), axis=1)[:, 1:6]
    table = (
        bayes_table(INNER, PRIOR, VECTORS, _Index())
        if kind == "bayes"
        else RemapTable.by_rank(near, 2.0)
    )
    law = Remapped(INNER, table)
    inner, outer = INNER.channel(np.arange(30)), law.channel(np.arange(30))
    np.testing.assert_allclose(
        np.exp(outer), np.exp(inner) @ table.kernel().toarray(), rtol=1e-12
    )
    seen = np.isfinite(outer[0])
    for a in range(30):
        loss = np.abs(outer[a, seen] - outer[0, seen]).max()
        assert loss <= np.abs(inner[a] - inner[0]).max() + 1e-12


def test_rank_weights_fall_and_are_whole() -> None:
    table = RemapTable.by_rank(np.zeros((4, 3), dtype=np.int64), 2.0)
    assert int(table.weights.sum()) == 1 << WEIGHT_BITS
    np.testing.assert_allclose(
        table.weights[1:] / table.weights[:-1], np.exp(-0.5), rtol=1e-8
    )
    np.testing.assert_array_equal(table.choices[:, 0], np.arange(4))


def test_draws_are_remapped_draws() -> None:
    target = seeded(1).permutation(30)
    law = Remapped(INNER, RemapTable.fixed("bayes", target))
    ids = np.array([[1, 2], [UNKNOWN, 4]])
    np.testing.assert_array_equal(
        law.perturb(ids, seeded(7)), target[INNER.perturb(ids, seeded(7))]
    )
    assert law.size == 30


def test_bad_tables_are_refused() -> None:
    with pytest.raises(DataError, match="ids"):
        RemapTable.fixed("bayes", np.array([0, 5]))
    with pytest.raises(DataError, match="sum"):
        RemapTable("rank", np.zeros((2, 1), dtype=np.int64), np.array([7]))
    with pytest.raises(DataError, match="column"):
        RemapTable("rank", np.zeros(2, dtype=np.int64), np.array([1 << WEIGHT_BITS]))
    with pytest.raises(ParameterError, match="spread"):
        RemapTable.by_rank(np.zeros((2, 1), dtype=np.int64), 0.0)
    with pytest.raises(DataError, match="table of 2"):
        Remapped(INNER, RemapTable.fixed("bayes", np.array([0, 1])))
    with pytest.raises(DataError, match="prior"):
        posterior_means(INNER, PRIOR[:4], VECTORS)


def test_counts_are_remapped_term_by_term() -> None:
    target = np.array([1, 1, 0, 2])
    counts = sp.csr_array(np.array([[2, 0, 1, 0], [0, 0, 0, 3]]))
    made = RemappedCounts(Unmoved(), RemapTable.fixed("bayes", target))
    assert made.name == "unmoved.v1+bayes-remap.v1"
    remapped = made.perturb(counts, seeded(0)).toarray()
    np.testing.assert_array_equal(remapped, [[1, 2, 0, 0], [0, 0, 3, 0]])
    with pytest.raises(DataError, match="table of 4 words for 3"):
        made.perturb(counts[:, :3], seeded(0))


class Unmoved:
    """Returns counts as they are; for looking at a remap alone."""

    name = "unmoved.v1"

    def guarantee(self) -> Guarantee:
        return Guarantee("discrete@test", Unit.DOCUMENT, (Flat(1.0),))

    def perturb(self, x: "sp.csr_array[np.int64]", _: Rng) -> "sp.csr_array[np.int64]":
        return x
