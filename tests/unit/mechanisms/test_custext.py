"""CusText: a partition of the vocabulary, and a guarantee inside its groups only."""

import math

import numpy as np
import pytest

from publius.core.arrays import UNKNOWN, FloatArray, IdArray
from publius.core.errors import DataError, ParameterError
from publius.core.metric import Discrete, Euclidean
from publius.core.rng import seeded
from publius.core.space import PointSpace
from publius.mechanisms.custext import CusText, Groups

SPACE = PointSpace(seeded(6).standard_normal((43, 3)), Euclidean())
GROUPS = Groups.greedy(SPACE, 5)
LAW = CusText(SPACE, 4.0, GROUPS)


def test_groups_partition_the_words_and_leave_nobody_alone() -> None:
    assert GROUPS.sizes.sum() == 43
    assert GROUPS.sizes[:-1].tolist() == [5] * (len(GROUPS.sizes) - 1)
    assert 5 <= GROUPS.sizes[-1] < 10
    inside = GROUPS.members[:, 0] >= 0
    assert inside.all()


def test_the_first_word_is_grouped_with_its_nearest() -> None:
    row = SPACE.rows(np.array([0]))[0]
    assert set(GROUPS.members[0, :5]) == set(np.argsort(row)[:5])


def test_batches_do_not_change_the_groups(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("publius.mechanisms.custext.ROWS", 3)
    again = Groups.greedy(SPACE, 5)
    np.testing.assert_array_equal(again.members, GROUPS.members)


@pytest.mark.parametrize("size", [4, 5, 50])
def test_groups_survive_being_written_as_an_order(size: int) -> None:
    groups = Groups.greedy(SPACE, size)
    again = Groups.of_order(groups.order())
    np.testing.assert_array_equal(again.members, groups.members)
    np.testing.assert_array_equal(again.sizes, groups.sizes)


def test_ties_go_to_the_word_of_lower_rank() -> None:
    flat = PointSpace(np.arange(12.0)[:, None], Discrete())
    members = Groups.greedy(flat, 4).members
    assert members.tolist() == [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11]]


def test_distances_to_members_are_those_of_whole_rows() -> None:
    class Rows:
        """The same space without coordinates."""

        id, size = SPACE.id, SPACE.size

        def rows(self, ids: IdArray) -> FloatArray:
            return SPACE.rows(ids)

    ids = np.arange(43)
    slow = CusText(Rows(), 4.0, GROUPS).channel(ids)
    np.testing.assert_allclose(LAW.channel(ids), slow, rtol=1e-12)


def test_a_small_vocabulary_is_one_group() -> None:
    groups = Groups.greedy(PointSpace(np.eye(3), Euclidean()), 20)
    assert groups.sizes.tolist() == [3]


def test_law_follows_the_utility() -> None:
    word = int(GROUPS.members[2, 1])
    members = GROUPS.members[2, :5]
    distance = SPACE.rows(np.array([word]))[0, members]
    utility = 1 - distance / distance.max()
    weight = np.exp(2.0 * utility)
    found = np.exp(LAW.channel(np.array([word]))[0, members])
    np.testing.assert_allclose(found, weight / weight.sum(), rtol=1e-6)


def test_loss_inside_a_group_is_exact_and_at_most_epsilon() -> None:
    log_prob = LAW.channel(np.arange(43))
    worst = 0.0
    for group in range(len(GROUPS.sizes)):
        members = GROUPS.members[group, : GROUPS.sizes[group]]
        rows = log_prob[np.ix_(members, members)]
        worst = max(worst, float(np.ptp(rows, axis=0).max()))
    assert worst <= LAW.inside_loss <= worst + 1e-5
    assert LAW.inside_loss <= 4.0


def test_nothing_is_guaranteed_across_groups() -> None:
    guarantee = LAW.guarantee()
    assert math.isinf(guarantee.worst_loss)
    assert math.isinf(guarantee.landmarks.unknown_loss)
    assert "inside a group" in guarantee.scope.covered[0]
    one, other = GROUPS.members[0, 0], GROUPS.members[1, 0]
    assert np.isneginf(LAW.channel(np.array([one]))[0, other])


def test_outputs_stay_inside_the_group() -> None:
    ids = np.repeat(np.arange(43), 20)
    drawn = LAW.perturb(ids.reshape(43, 20), seeded(1))
    assert drawn.shape == (43, 20)
    assert (GROUPS.of_word[drawn.ravel()] == GROUPS.of_word[ids]).all()


def test_unknown_words_draw_any_word() -> None:
    prob = np.exp(LAW.channel(np.array([UNKNOWN]))[0])
    np.testing.assert_allclose(prob, 1 / 43)
    drawn = LAW.perturb(np.full(3000, UNKNOWN), seeded(1))
    assert len(np.unique(drawn)) == 43


def test_rows_add_up() -> None:
    total = np.exp(LAW.channel(np.arange(-1, 43))).sum(axis=1)
    np.testing.assert_allclose(total, 1.0, rtol=1e-9)


def test_copies_of_a_word_are_fine() -> None:
    law = CusText(PointSpace(np.zeros((4, 2)), Euclidean()), 2.0, Groups.greedy(
        PointSpace(np.zeros((4, 2)), Euclidean()), 2))  # fmt: skip
    np.testing.assert_allclose(np.exp(law.channel(np.array([0]))).max(), 0.5, rtol=1e-6)


def test_bad_groups_are_refused() -> None:
    with pytest.raises(DataError, match="exactly once"):
        Groups(np.zeros(3, np.int64), np.array([[0, 1, 1]]), np.array([3]))
    with pytest.raises(DataError, match="of_word"):
        Groups(np.array([0, 1]), np.array([[0, 1]]), np.array([2]))
    with pytest.raises(DataError, match="groups of 43"):
        CusText(PointSpace(np.eye(3), Euclidean()), 1.0, GROUPS)
    with pytest.raises(ParameterError, match="epsilon"):
        CusText(SPACE, -1.0, GROUPS)
    with pytest.raises(ParameterError, match="size"):
        Groups.greedy(SPACE, 1)
