"""Re-identify trajectories and check-ins: whose places are these?

A person's known points and a released trajectory are histograms over grid cells; rare
cells weigh more. The side of a cell is chosen on the known trajectories, so an attacker
who made noisy copies finds the scale of the noise by themselves.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import scipy.sparse as sp

from publius.assessment.attacks.attack import Guesses
from publius.core.arrays import FloatArray, IdArray, positive
from publius.core.errors import DataError

METRES_PER_DEGREE = 111_195.0
"""Of a meridian, on a sphere of radius 6,371,008.8 m."""

CELLS = (250.0, 500.0, 1000.0, 2000.0, 4000.0, 16_000.0)


@dataclass(frozen=True, slots=True, eq=False)
class Trajectories:
    """Points on the globe, each belonging to a trajectory.

    Args:
        latitude: In degrees.
        longitude: In degrees.
        owner: Number of the trajectory of each point, from 0.
        count: Number of trajectories; one without points cannot be told.
    """

    latitude: FloatArray
    longitude: FloatArray
    owner: IdArray
    count: int

    def __post_init__(self) -> None:
        if not self.latitude.shape == self.longitude.shape == self.owner.shape:
            raise DataError("latitudes, longitudes and owners differ in number")
        good = np.isfinite(self.latitude) & np.isfinite(self.longitude)
        good &= np.abs(self.latitude) <= 90
        if not good.all():
            where = int(np.argmin(good))
            raise DataError(f"points must be finite latitudes and longitudes; {where}")
        if len(self.owner) and not (
            self.owner.min() >= 0 and self.owner.max() < self.count
        ):
            raise DataError(f"owners must lie in [0, {self.count})")

    def cells(self, side: float) -> IdArray:
        """Return the grid cell of each point; cells are about square everywhere."""
        step = positive("side", side) / METRES_PER_DEGREE
        row = np.floor(self.latitude / step)
        # Meridians meet at the poles: a cell there spans more degrees.
        wide = step / np.maximum(np.cos(np.radians((row + 0.5) * step)), 1e-6)
        turned = np.mod(self.longitude, 360.0)
        return ((row + (1 << 20)) * (1 << 30) + np.floor(turned / wide)).astype(
            np.int64
        )


@dataclass(frozen=True, slots=True)
class Linkage:
    """Compare histograms of grid cells.

    Args:
        sides: Sides of cells, in metres, among which the attacker chooses.
    """

    name: ClassVar[str] = "linkage"
    knowledge: ClassVar[str] = "Known trajectories of every candidate."

    sides: Sequence[float] = CELLS

    def train(
        self, known: Trajectories, users: IdArray, candidates: int
    ) -> "TrainedLinkage":
        """Choose the side that finds most known trajectories among the others.

        Args:
            known: Trajectories of known users: originals, or noisy copies.
            users: The user of each trajectory.
            candidates: Number of users.
        """
        if users.shape != (known.count,):
            raise DataError(f"{known.count} trajectories need as many users")
        trial, owners = _in_parts(known, users)
        hits = []
        for side in self.sides:
            rows = _histograms(trial, side, np.unique(trial.cells(side)))
            profiles = _by_user(rows, owners, candidates)
            # A trajectory is taken out of its own user's profile before it is compared.
            ranking = _cosine(rows, profiles)
            own = _cosine_without_self(rows, profiles, owners)
            ranking[np.arange(trial.count), owners] = own
            hits.append(int((ranking.argmax(axis=1) == owners).sum()))
        side = self.sides[int(np.argmax(hits))]
        features = np.unique(known.cells(side))
        rows = _histograms(known, side, features)
        return TrainedLinkage(side, features, _by_user(rows, users, candidates))


@dataclass(frozen=True, slots=True, eq=False)
class TrainedLinkage:
    """Profiles of all candidates over the cells that they visited."""

    side: float
    features: IdArray
    profiles: "sp.csr_array[np.float64]"

    @property
    def name(self) -> str:
        """Name of the attack."""
        return Linkage.name

    def guess(self, released: Trajectories) -> Guesses:
        """Rank the candidates by cosine; "don't know" where no cell is known."""
        rows = _histograms(released, self.side, self.features)
        return Guesses(_cosine(rows, self.profiles), np.diff(rows.indptr) > 0)


def _in_parts(known: Trajectories, users: IdArray) -> tuple[Trajectories, IdArray]:
    """Deal the points of a user's only trajectory to two.

    Taking it out of its user's profile would leave nothing to find.
    """
    is_alone = np.bincount(users)[users] == 1
    order = np.argsort(known.owner, kind="stable")
    size = np.bincount(known.owner, minlength=known.count)
    place = np.empty(len(order), dtype=np.int64)
    place[order] = np.arange(len(order)) - (np.cumsum(size) - size)[known.owner[order]]
    is_second = is_alone[known.owner] & (place % 2 == 1)
    owner = np.where(is_second, known.count + known.owner, known.owner)
    parts, owner = np.unique(owner, return_inverse=True)
    cut = Trajectories(
        known.latitude, known.longitude, owner.astype(np.int64), len(parts)
    )
    return cut, users[parts % known.count]


def _histograms(
    given: Trajectories, side: float, features: IdArray
) -> "sp.csr_array[np.float64]":
    cells = given.cells(side)
    place = np.minimum(np.searchsorted(features, cells), len(features) - 1)
    known = features[place] == cells
    shape = (given.count, len(features))
    ones = (np.ones(int(known.sum())), (given.owner[known], place[known]))
    return sp.csr_array(sp.coo_array(ones, shape=shape).tocsr())


def _by_user(
    rows: "sp.csr_array[np.float64]", users: IdArray, candidates: int
) -> "sp.csr_array[np.float64]":
    shape = (candidates, len(users))
    ones = (np.ones(len(users)), (users, np.arange(len(users))))
    return sp.csr_array(sp.csr_array(ones, shape=shape) @ rows)


def _weights(profiles: "sp.csr_array[np.float64]") -> FloatArray:
    visitors = np.bincount(profiles.indices, minlength=profiles.shape[1])
    return np.log((1 + profiles.shape[0]) / (1 + visitors)) + 1


def _unit(rows: "sp.csr_array[np.float64]") -> "sp.csr_array[np.float64]":
    length = np.sqrt(np.asarray(rows.multiply(rows).sum(axis=1)).ravel())
    return sp.csr_array(sp.diags_array(1 / np.maximum(length, 1e-12)) @ rows)


def _weighted(
    rows: "sp.csr_array[np.float64]", weights: FloatArray
) -> "sp.csr_array[np.float64]":
    weighted = sp.csr_array(rows, copy=True)
    weighted.data = np.sqrt(np.maximum(weighted.data, 0)) * weights[weighted.indices]
    return _unit(weighted)


def _cosine(
    rows: "sp.csr_array[np.float64]", profiles: "sp.csr_array[np.float64]"
) -> FloatArray:
    weights = _weights(profiles)
    product = _weighted(rows, weights) @ _weighted(profiles, weights).T
    return np.asarray(product.toarray())


def _cosine_without_self(
    rows: "sp.csr_array[np.float64]",
    profiles: "sp.csr_array[np.float64]",
    users: IdArray,
) -> FloatArray:
    weights = _weights(profiles)
    rest = sp.csr_array(profiles[users] - rows)
    both = _weighted(rows, weights).multiply(_weighted(rest, weights))
    return np.asarray(both.sum(axis=1)).ravel()
