"""SanText and SanText+: the real certificate, and exactly whom it covers."""

import math

import numpy as np
import pytest

from publius.core.arrays import UNKNOWN
from publius.core.errors import DataError, ParameterError
from publius.core.mechanism import Finite
from publius.core.metric import Euclidean
from publius.core.rng import seeded
from publius.core.space import PointSpace
from publius.mechanisms.exponential import Exponential
from publius.mechanisms.santext import SanText
from publius.mechanisms.santext_plus import SanTextPlus, SubSpace

SPACE = PointSpace(seeded(3).standard_normal((40, 3)), Euclidean())
SENSITIVE = np.arange(40) >= 12


def _exact_epsilon(log_prob: np.ndarray, distance: np.ndarray) -> float:
    """Compute the largest loss per unit of distance, pair by pair."""
    worst = 0.0
    for a in range(len(log_prob)):
        for b in range(len(log_prob)):
            if a != b:
                loss = np.abs(log_prob[a] - log_prob[b]).max()
                worst = max(worst, loss / distance[a, b])
    return worst


def test_santext_has_the_published_law() -> None:
    law = SanText.of(SPACE, 3.0)
    weight = np.exp(-1.5 * SPACE.rows(np.arange(40)))
    wanted = weight / weight.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(np.exp(law.channel(np.arange(40))), wanted, rtol=1e-6)


def test_santext_certificate_is_exact_and_below_the_textbook() -> None:
    law = SanText.of(SPACE, 3.0)
    exact = _exact_epsilon(law.channel(np.arange(40)), SPACE.rows(np.arange(40)))
    assert exact <= law.certificate.epsilon <= exact * 1.001
    assert 1.5 < law.certificate.epsilon < 3.0
    assert law.guarantee().at(1.0).pure == law.certificate.epsilon
    assert "textbook" in law.guarantee().scope.assumptions[-1]


def test_santext_from_a_known_certificate_is_the_same() -> None:
    law = SanText.of(SPACE, 3.0)
    again = SanText.certified(SPACE, law.certificate)
    ids = np.arange(-1, 40)
    np.testing.assert_array_equal(
        law.perturb(ids, seeded(1)), again.perturb(ids, seeded(1))
    )
    assert again.epsilon == law.epsilon
    assert again.size == 40
    assert isinstance(again, Finite)


def test_santext_refuses_another_decay() -> None:
    with pytest.raises(ParameterError, match="epsilon / 2"):
        SanText(3.0, Exponential.with_beta(SPACE, 3.0))


def test_subspace_keeps_the_distances_of_the_whole() -> None:
    ids = np.array([3, 7, 20])
    inside = SubSpace(SPACE, ids)
    np.testing.assert_array_equal(
        inside.rows(np.array([1])), SPACE.rows(np.array([7]))[:, ids]
    )
    assert inside.id != SubSpace(SPACE, np.array([3, 7, 21])).id


def test_plus_covers_two_sensitive_words_as_certified() -> None:
    law = SanTextPlus.of(SPACE, 3.0, SENSITIVE, 0.3)
    ids = np.flatnonzero(SENSITIVE)
    log_prob = law.channel(ids)[:, ids]
    exact = _exact_epsilon(log_prob, SPACE.rows(ids)[:, ids])
    assert exact <= law.certificate.epsilon <= exact * 1.001
    inside = law.sensitive_guarantee()
    assert inside.at(1.0).pure == law.certificate.epsilon
    assert inside.metric.startswith(SPACE.id)


def test_plus_guarantees_nothing_for_any_two_words() -> None:
    guarantee = SanTextPlus.of(SPACE, 3.0, SENSITIVE, 0.3).guarantee()
    assert math.isinf(guarantee.worst_loss)
    assert math.isinf(guarantee.at(1e-9).pure)
    assert "28 sensitive words" in guarantee.scope.covered[0]
    assert "12 words that are not sensitive" in guarantee.scope.uncovered[0]
    assert "probability 0.7" in guarantee.scope.uncovered[0]


def test_plus_loss_really_is_infinite_outside_its_cover() -> None:
    law = SanTextPlus.of(SPACE, 3.0, SENSITIVE, 0.3)
    open_word, sensitive = law.channel(np.array([2, 30]))
    assert np.isneginf(sensitive[2])
    assert math.exp(open_word[2]) == pytest.approx(0.7)
    assert np.isneginf(sensitive[~SENSITIVE]).all()


def test_plus_unknown_words_draw_sensitive_words_alike() -> None:
    law = SanTextPlus.of(SPACE, 3.0, SENSITIVE, 0.3)
    prob = np.exp(law.channel(np.array([UNKNOWN]))[0])
    np.testing.assert_allclose(prob[SENSITIVE], 1 / 28, rtol=1e-6)
    drawn = law.perturb(np.full(200, UNKNOWN), seeded(2))
    assert SENSITIVE[drawn].all()
    loss = np.abs(law.channel(np.flatnonzero(SENSITIVE))[:, SENSITIVE] + math.log(28))
    assert loss.max() <= law.certificate.unknown_loss


@pytest.mark.parametrize(("replaced", "same"), [(0.0, 1.0), (1.0, 0.0)])
def test_plus_extremes_of_the_coin(replaced: float, same: float) -> None:
    law = SanTextPlus.of(SPACE, 3.0, SENSITIVE, replaced)
    ids = np.tile(np.arange(12), 20)
    assert (law.perturb(ids, seeded(0)) == ids).mean() == same
    assert np.exp(law.channel(ids)).sum(axis=1) == pytest.approx(1.0)


def test_plus_refuses_bad_settings() -> None:
    with pytest.raises(DataError, match="sensitive"):
        SanTextPlus.of(SPACE, 3.0, np.zeros(40, dtype=bool), 0.3)
    good = SanTextPlus.of(SPACE, 3.0, SENSITIVE, 0.3)
    with pytest.raises(DataError, match="flag"):
        SanTextPlus(SPACE, 3.0, SENSITIVE[:5], 0.3, good.certificate)
    with pytest.raises(ParameterError, match="replaced"):
        SanTextPlus(SPACE, 3.0, SENSITIVE, math.nan, good.certificate)
