"""Trajectories are linked by their places, and not where places say nothing."""

import numpy as np
import pytest

from publius.assessment.attacks.linkage import Linkage, Trajectories
from publius.core.errors import DataError

USERS, EACH, POINTS = 20, 6, 15


def _world(noise_m: float, seed: int = 0) -> tuple[Trajectories, np.ndarray]:
    """Give every user five haunts in a town of about 10 km."""
    rng = np.random.default_rng(seed)
    haunts = rng.uniform(-0.05, 0.05, (USERS, 5, 2)) + np.array([40.7, -74.0])
    users = np.repeat(np.arange(USERS), EACH)
    owner = np.repeat(np.arange(USERS * EACH), POINTS)
    point = haunts[users[owner], rng.integers(0, 5, len(owner))]
    point = point + rng.normal(size=point.shape) * noise_m / 111_195
    return Trajectories(point[:, 0], point[:, 1], owner, USERS * EACH), users


def _only(given: Trajectories, rows: np.ndarray) -> Trajectories:
    keep = np.isin(given.owner, rows)
    owner = np.searchsorted(rows, given.owner[keep])
    return Trajectories(given.latitude[keep], given.longitude[keep], owner, len(rows))


@pytest.mark.parametrize(("noise", "least", "most"), [(20, 0.95, 1.0), (1e6, 0.0, 0.3)])
def test_places_identify_unless_noise_hides_them(
    noise: float, least: float, most: float
) -> None:
    world, users = _world(noise)
    known = np.flatnonzero(np.arange(len(users)) % 2 == 0)
    asked = np.flatnonzero(np.arange(len(users)) % 2 == 1)
    trained = Linkage().train(_only(world, known), users[known], USERS)
    guess = trained.guess(_only(world, asked)).ranking.argmax(axis=1)
    assert least <= (guess == users[asked]).mean() <= most


def test_the_cell_grows_with_the_noise() -> None:
    sides = []
    for noise in (20.0, 1500.0):
        world, users = _world(noise)
        sides.append(Linkage().train(world, users, USERS).side)
    assert sides[0] < sides[1]


def test_a_place_nobody_visited_is_not_answered() -> None:
    world, users = _world(20)
    trained = Linkage().train(world, users, USERS)
    far = Trajectories(np.array([-33.0]), np.array([151.0]), np.array([0]), 1)
    assert not trained.guess(far).answered[0]


def test_the_meridian_of_180_degrees_is_no_border() -> None:
    near = Trajectories(
        np.zeros(2), np.array([-180.0, 180.0]), np.zeros(2, dtype=np.int64), 1
    )
    assert len(set(near.cells(500).tolist())) == 1


def test_bad_points_are_refused() -> None:
    with pytest.raises(DataError, match="finite"):
        Trajectories(np.array([91.0]), np.array([0.0]), np.array([0]), 1)


def test_one_trajectory_per_user_also_finds_the_scale_of_the_noise() -> None:
    rng = np.random.default_rng(5)
    homes = rng.uniform((40.0, -74.5), (41.0, -73.5), (60, 4, 2))
    points = np.repeat(homes, 15, axis=1)
    noisy = points + rng.normal(0, 0.02, points.shape)
    owner = np.repeat(np.arange(60), 60)
    sides = []
    for places in (points, noisy):
        world = Trajectories(*places.reshape(-1, 2).T, owner, 60)
        sides.append(Linkage().train(world, np.arange(60), 60).side)
    assert sides[0] < 1000 <= sides[1]
