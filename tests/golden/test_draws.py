"""Seed → exact draws, per registered name: a law never changes under its name.

A failure here means that a law, a draw order or a default inside a guarantee changed.
That needs a new version of the name, not new numbers.
"""

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

from publius.core.arrays import UNKNOWN
from publius.core.metric import Euclidean, Manhattan
from publius.core.rng import RunKey, seeded
from publius.core.space import HopSpace, PointSpace
from publius.mechanisms import REGISTERED
from publius.mechanisms.ball_law import BallLaw
from publius.mechanisms.exponential import Exponential
from publius.mechanisms.laplace import Laplace
from publius.mechanisms.law import Decay
from publius.mechanisms.mahalanobis import Ellipse, Mahalanobis
from publius.mechanisms.nearest_word import NearestWord
from publius.mechanisms.point_law import PointLaw
from publius.mechanisms.projection import ProjectedLaplace, Projection
from publius.mechanisms.row_law import RowLaw
from publius.mechanisms.syntf import CosineRatings, SynTF, TermChannel

VECTORS = np.array(
    [[0, 0], [1, 0], [0, 1], [1, 1], [3, 0], [3, 1], [0, 3], [-2, -1]], dtype=np.float64
)
WEIGHTS = np.array([8, 1, 5, 2, 9, 3, 7, 4], dtype=np.uint32)
IDS = np.array([0, 1, 2, 3, 4, 5, 6, 7, UNKNOWN, UNKNOWN, 0, 0])
EDGES = [(0, 1), (0, 2), (1, 3), (2, 3), (1, 4), (4, 5), (2, 6)]


class Index:
    """Finds the nearest row."""

    def nearest(self, points: Any) -> Any:
        return Euclidean().pairwise(points, VECTORS).argmin(axis=1)


def hop_space(cap: int = 3) -> HopSpace:
    matrix = np.zeros((8, 8), np.float32)
    for a, b in EDGES:
        matrix[a, b] = matrix[b, a] = 1
    return HopSpace(sp.csr_array(matrix), cap, 2, "golden")


def points() -> PointSpace:
    return PointSpace(VECTORS, Euclidean())


def syntf() -> SynTF:
    return SynTF(CosineRatings(VECTORS, fingerprint="golden"), 4.0, 6)


WORDS: dict[str, Any] = {
    "exponential.v1 hop": lambda: Exponential.with_beta(hop_space(), 1.0, WEIGHTS),
    "exponential.v1 manhattan": lambda: Exponential.with_beta(
        PointSpace(VECTORS, Manhattan()), 1.0, WEIGHTS
    ),
    "exponential.v2 euclidean": lambda: Exponential.with_beta(points(), 1.0, WEIGHTS),
    "laplace.v2": lambda: NearestWord(Laplace(3.0, 2), VECTORS, Index(), "golden"),
    "syntf.v1": lambda: TermChannel(syntf()),
}
DRAWS = {
    "exponential.v1 hop": [
        [0, 1, 2, 2, 4, 4, 6, 7, 4, 4, 2, 7],
        [0, 4, 2, 6, 4, 7, 6, 7, 0, 2, 2, 0],
        [0, 4, 2, 4, 4, 5, 6, 0, 6, 0, 2, 0],
    ],
    "exponential.v1 manhattan": [
        [0, 0, 2, 3, 4, 5, 6, 7, 4, 4, 1, 0],
        [0, 4, 2, 1, 4, 4, 6, 7, 0, 2, 2, 0],
        [0, 3, 0, 0, 4, 4, 6, 0, 6, 0, 2, 0],
    ],
    "exponential.v2 euclidean": [
        [0, 0, 2, 0, 4, 5, 6, 7, 5, 4, 0, 0],
        [0, 0, 2, 2, 4, 4, 6, 7, 6, 2, 0, 3],
        [0, 0, 1, 2, 4, 5, 6, 0, 7, 2, 0, 6],
    ],
    "laplace.v2": [
        [1, 2, 2, 3, 4, 5, 6, 7, 2, 2, 0, 0],
        [1, 1, 6, 2, 5, 5, 6, 7, 1, 2, 0, 0],
        [2, 1, 2, 0, 5, 5, 6, 0, 3, 2, 0, 0],
    ],
    "syntf.v1": [
        [3, 1, 2, 4, 1, 5, 3, 7, 5, 4, 5, 1],
        [2, 5, 2, 2, 4, 2, 3, 7, 0, 2, 6, 3],
        [2, 4, 2, 1, 4, 3, 2, 0, 6, 1, 6, 4],
    ],
}


@pytest.mark.parametrize("name", DRAWS)
def test_words(name: str) -> None:
    found = [WORDS[name]().perturb(IDS, seeded(number)).tolist() for number in range(3)]
    assert found == DRAWS[name]
    assert name.split(maxsplit=1)[0] in REGISTERED
    assert WORDS[name]().name == name.split(maxsplit=1)[0]


@pytest.mark.parametrize("name", DRAWS)
def test_another_seed_gives_other_words(name: str) -> None:
    assert WORDS[name]().perturb(IDS, seeded(3)).tolist() not in DRAWS[name]


POINTS: dict[str, Any] = {
    "laplace.v2": lambda: Laplace(3.0, 2),
    "mahalanobis.v2": lambda: Mahalanobis(
        3.0, Ellipse(np.array([[2.0, 0.5], [0.5, 1.0]]), 0.5)
    ),
    "projection.v2": lambda: ProjectedLaplace(3.0, Projection(np.array([[0.6, 0.8]]))),
}
ON_GRID = {
    "laplace.v2": [[0.57958984375, 0.575439453125], [1.508056640625, 0.505615234375]],
    "mahalanobis.v2": [
        [1.4462890625, 0.864990234375],
        [2.26904296875, 0.759521484375],
    ],
    "projection.v2": [[-0.073974609375], [0.736083984375]],
}


@pytest.mark.parametrize("name", POINTS)
def test_vectors_on_the_grid(name: str) -> None:
    law = POINTS[name]()
    assert law.perturb(VECTORS[:2], seeded(7)).tolist() == ON_GRID[name]
    assert law.name == name
    assert name in REGISTERED


def test_term_counts() -> None:
    x = sp.csr_array(np.array([[2, 0, 1, 0, 0, 0, 0, 3], [0] * 8]))
    found = syntf().perturb(x, seeded(7)).toarray().tolist()
    assert found == [[0, 1, 2, 0, 0, 2, 0, 1], [1, 0, 0, 0, 3, 0, 2, 0]]


def test_integers_of_the_hop_law() -> None:
    levels = BallLaw(hop_space(), Decay(1.0, WEIGHTS), 100.0).levels
    assert levels == (1099511627776, 404487723188, 148802717568, 54741460584)


def test_draws_from_integers_of_the_dense_law() -> None:
    law = RowLaw(points(), Decay(1.0, WEIGHTS))
    assert [law.draw(IDS, seeded(number)).tolist() for number in range(3)] == [
        [0, 0, 2, 3, 4, 5, 6, 7, 4, 4, 2, 0],
        [0, 5, 2, 0, 4, 4, 6, 7, 0, 2, 2, 0],
        [0, 3, 0, 0, 4, 4, 6, 0, 6, 0, 2, 0],
    ]


def test_weights_of_points() -> None:
    law = PointLaw(points(), Decay(1.0, WEIGHTS))
    found = law.weights(np.array([0]), np.arange(8)[None, :])[0]
    away = np.sqrt([0, 1, 1, 2, 9, 10, 9, 5])
    # Library exponentials differ in the last bit between machines.
    np.testing.assert_allclose(found, WEIGHTS * np.exp(-away), rtol=1e-15)


def test_integers_of_the_dense_law() -> None:
    tickets = RowLaw(points(), Decay(1.0, WEIGHTS)).tickets(np.array([UNKNOWN, 0]))
    wanted = [
        [945986875572146688, 118248359450188368, 591241797234164480,
         236496718896182464, 1064235235018206128, 354745078342176512,
         827738516126152704, 472993437788170560],
        [3063072270655887744, 140855164403577056, 704275822001107968,
         186171031948398624, 171564062128165312, 48621547079005056,
         133438714989505024, 163687405221741120],
    ]  # fmt: skip
    # Library exponentials differ in the last bit between machines.
    np.testing.assert_allclose(
        tickets.astype(np.float64), np.array(wanted, dtype=np.float64), rtol=1e-13
    )
    assert [sum(row) for row in tickets.tolist()] == [1 << 62] * 2


@pytest.mark.parametrize(
    ("stream", "wanted"),
    [
        (lambda: seeded(0), "68037ca8fd7f7f6bb873cce334497743"),
        (lambda: RunKey.from_seed(0).stream(0), "68037ca8fd7f7f6bb873cce334497743"),
        (lambda: RunKey.from_seed(0).stream(1), "0345f3fcef1e9bd352a159f4563c2b24"),
        (
            lambda: RunKey(bytes(range(32)), is_secure=True).stream(3),
            "34e6ec6fcf9f931954adab4ed49c1afd",
        ),
    ],
)
def test_streams(stream: Any, wanted: str) -> None:
    assert stream().bytes(16).hex() == wanted
