"""SynTF: ratings, counts, and what it refuses."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

from publius.core.arrays import UNKNOWN
from publius.core.errors import DataError, ParameterError
from publius.core.guarantee import Flat, Unit
from publius.core.mechanism import Finite
from publius.core.rng import seeded
from publius.mechanisms.row_law import FLOOR, TICKETS
from publius.mechanisms.syntf import (
    MOST_TERMS,
    CosineRatings,
    SynTF,
    TermChannel,
    TermLosses,
    alternative_loss,
)

SIZE = 12


@dataclass(frozen=True)
class Table:
    """Ratings given one by one."""

    table: Any
    id: str = "table@f"

    @property
    def size(self) -> int:
        return len(self.table)

    def rows(self, ids: Any) -> Any:
        return np.array(self.table, dtype=np.float64)[ids]


def made(epsilon: float = 3.0, length: int = 5) -> SynTF:
    vectors = np.random.default_rng(0).normal(size=(SIZE, 4))
    return SynTF(CosineRatings(vectors, fingerprint="f"), epsilon, length)


def counts(rows: Any) -> Any:
    return sp.csr_array(np.array(rows))


@pytest.mark.parametrize("epsilon", [0.0, -1.0, math.nan, math.inf])
def test_bad_epsilon_is_refused(epsilon: float) -> None:
    with pytest.raises(ParameterError, match="epsilon"):
        made(epsilon)


@pytest.mark.parametrize("length", [0, -1, 1.5])
def test_bad_length_is_refused(length: Any) -> None:
    with pytest.raises(ParameterError, match="length"):
        made(length=length)


def test_ratings_are_clipped_cosines() -> None:
    ratings = CosineRatings(np.array([[1.0, 0.0], [1.0, 1.0], [-1.0, 0.0], [0.0, 0.0]]))
    wanted = [1.0, math.sqrt(0.5), 0.0, 0.0]
    np.testing.assert_allclose(ratings.rows(np.array([0]))[0], wanted, atol=1e-15)


def test_shared_bigrams_lower_a_rating() -> None:
    # "an and" share "an"; Dice = 2 * 1 / (1 + 2). A single letter has no bigrams.
    bigrams = sp.csr_array(np.array([[1.0, 0.0], [1.0, 1.0], [0.0, 0.0]]))
    same = np.ones((3, 2))
    rated = CosineRatings(same, bigrams, 0.3).rows(np.arange(3))
    wanted = [[0.7, 0.8, 1.0], [0.8, 0.7, 1.0], [1.0, 1.0, 1.0]]
    np.testing.assert_allclose(rated, wanted, rtol=1e-12)
    plain = CosineRatings(same, bigrams, 0.0).rows(np.arange(3))
    np.testing.assert_allclose(plain, 1.0)


def test_ratings_name_their_overlap() -> None:
    assert CosineRatings(np.eye(2), None, 0.25, "ab").id == "cosine:s=0.25@ab"


@pytest.mark.parametrize("overlap", [-0.1, math.nan])
def test_bad_overlap_is_refused(overlap: float) -> None:
    with pytest.raises(ParameterError, match="overlap"):
        CosineRatings(np.eye(2), None, overlap)


def test_bad_tables_are_refused() -> None:
    with pytest.raises(DataError, match="one row per word"):
        CosineRatings(np.eye(2), sp.csr_array(np.ones((3, 1))))
    with pytest.raises(DataError, match="finite"):
        CosineRatings(np.array([[np.nan, 1.0]]))


def test_every_document_gets_as_many_terms_as_asked() -> None:
    x = np.random.default_rng(0).integers(0, 3, size=(7, SIZE))
    z = made(length=11).perturb(counts(x), seeded(0))
    assert z.shape == (7, SIZE)
    assert z.dtype == np.int64
    assert z.sum(axis=1).tolist() == [11] * 7


def test_empty_documents_draw_as_unknown() -> None:
    mechanism = made(length=4)
    z = mechanism.perturb(counts(np.zeros((3, SIZE), dtype=int)), seeded(0))
    assert z.sum(axis=1).tolist() == [4, 4, 4]
    assert mechanism.perturb(
        counts(np.zeros((0, SIZE), dtype=int)), seeded(0)
    ).shape == (
        0,
        SIZE,
    )


def test_terms_come_from_their_own_document() -> None:
    # A steep law returns the term itself, so each row keeps to its own words.
    identity = SynTF(Table(np.eye(SIZE)), 200.0, 50)
    x = np.zeros((4, SIZE), dtype=int)
    x[0, [1, 3]], x[2, 5], x[3, [0, 11]] = (2, 1), 7, (1, 1)
    z = identity.perturb(counts(x), seeded(0)).toarray()
    assert set(np.flatnonzero(z[0])) == {1, 3}
    assert set(np.flatnonzero(z[2])) == {5}
    assert set(np.flatnonzero(z[3])) == {0, 11}
    assert len(np.flatnonzero(z[1])) > 4  # the empty one draws from all words


def test_stored_zeros_are_never_drawn() -> None:
    identity = SynTF(Table(np.eye(3)), 200.0, 40)
    x = sp.csr_array((np.array([0, 2, 0]), np.array([0, 1, 2]), np.array([0, 3])))
    assert identity.perturb(x, seeded(0)).toarray().tolist() == [[0, 40, 0]]


@pytest.mark.parametrize("bad", [-1, 0.5, np.nan, np.inf, MOST_TERMS + 1])
def test_counts_that_are_no_counts_are_refused(bad: float) -> None:
    with pytest.raises(DataError, match="term counts must be whole numbers"):
        made().perturb(counts([[bad] + [0] * (SIZE - 1)]), seeded(0))


def test_another_number_of_columns_is_refused() -> None:
    with pytest.raises(DataError, match="12 columns, got 3"):
        made().perturb(counts([[1, 2, 3]]), seeded(0))


def test_guarantee_is_local_for_whole_documents() -> None:
    mechanism = made(3.0, 5)
    guarantee = mechanism.guarantee()
    assert guarantee.unit is Unit.DOCUMENT
    assert guarantee.terms == (Flat(5 * mechanism.losses.best),)
    assert guarantee.worst_loss == guarantee.at(1e-9).pure
    assert "its length" in guarantee.scope.covered[0]


def test_the_best_of_three_losses_counts() -> None:
    assert TermLosses(3.0, 2.0, 1.0).best == 1.0
    assert TermLosses(1.0, 2.0, 3.0).best == 1.0


@pytest.mark.parametrize("epsilon", [1e-6, 1.0, 50.0, 5000.0])
@pytest.mark.parametrize("outputs", [1, 2, 1000])
def test_alternative_loss_is_below_epsilon(epsilon: float, outputs: int) -> None:
    assert -1e-9 <= alternative_loss(epsilon, outputs) <= epsilon


def test_large_epsilon_does_not_overflow() -> None:
    losses = made(5000.0).losses
    assert losses.tight <= losses.alternative + 1e-6
    assert all(map(math.isfinite, (losses.naive, losses.alternative, losses.tight)))


def test_one_word_tells_nothing() -> None:
    alone = SynTF(Table([[1.0]]), 3.0, 2)
    assert alone.losses.best == pytest.approx(0, abs=1e-6)
    assert alone.perturb(counts([[4]]), seeded(0)).toarray().tolist() == [[2]]


def test_one_step_is_a_finite_mechanism() -> None:
    step = TermChannel(made())
    assert isinstance(step, Finite)
    assert (step.name, step.size) == ("syntf.v1", SIZE)
    guarantee = step.guarantee()
    assert guarantee.unit is Unit.TOKEN
    assert guarantee.terms == (Flat(step.syntf.losses.best),)
    ids = np.array([[0, UNKNOWN], [3, 4]])
    drawn = step.perturb(ids, seeded(0))
    assert drawn.shape == (2, 2)
    np.testing.assert_array_equal(
        drawn.ravel(), made().substitute(ids.ravel(), seeded(0))
    )


def test_substitutes_follow_the_ratings() -> None:
    step = TermChannel(SynTF(Table([[1.0, 0.5, 0.0]] * 3), 4.0, 1))
    weights = np.exp(4.0 / 2 * np.array([1.0, 0.5, 0.0]))
    np.testing.assert_allclose(
        np.exp(step.channel([1])[0]), weights / weights.sum(), rtol=1e-6
    )
    np.testing.assert_allclose(np.exp(step.channel([UNKNOWN])[0]), 1 / 3, rtol=1e-6)
    least = np.exp(step.channel(np.arange(3)).min())
    assert least >= FLOOR / TICKETS
