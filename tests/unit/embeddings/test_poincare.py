"""The closest word in hyperbolic distance."""

import numpy as np
import pytest

from publius.core.errors import DataError
from publius.embeddings.poincare import HyperbolicNearest
from publius.numerics.geometry import lorentz, poincare


def test_every_word_is_its_own_nearest() -> None:
    rng = np.random.default_rng(0)
    tangent = rng.normal(size=(3000, 5))
    tangent *= (rng.uniform(0, 12, 3000) / np.linalg.norm(tangent, axis=1))[:, None]
    table = poincare.exp0(tangent)
    found = HyperbolicNearest(table).nearest(poincare.log0(table))
    assert (found == np.arange(3000)).all()


def test_near_words_far_out_are_told_apart() -> None:
    tangent = np.array([[12.0, 0.0], [12.0, 1e-4], [12.0, -1e-4], [0.0, 0.0]])
    search = HyperbolicNearest(poincare.exp0(tangent))
    asked = np.array([[500.0, 0.6 * 500e-4 / 12], [30.0, -30e-4 / 12], [-3.0, 0.0]])
    own = poincare.log0(poincare.exp0(tangent))
    wanted = [
        int(np.argmin(lorentz.distance(np.tile(point, (4, 1)), own))) for point in asked
    ]
    assert search.nearest(asked).tolist() == wanted == [1, 2, 3]


def test_no_points_and_wrong_shapes() -> None:
    search = HyperbolicNearest(np.zeros((2, 3)))
    assert search.nearest(np.empty((0, 3))).shape == (0,)
    with pytest.raises(DataError, match="shape"):
        search.nearest(np.zeros((1, 2)))
    with pytest.raises(DataError, match="finite"):
        search.nearest(np.full((1, 3), np.nan))
