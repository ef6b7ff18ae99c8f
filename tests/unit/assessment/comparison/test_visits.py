"""Linking places to people: splits, exclusions, and the order of attackers."""

from pathlib import Path

import numpy as np
import pytest

from publius.assessment.attacks.attack import Knowledge
from publius.assessment.comparison.visits import VisitRequest, link, read_visits
from publius.core.errors import DataError, ParameterError

PEOPLE = 12


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """People with three haunts each, and noisy copies of their visits."""
    rng = np.random.default_rng(0)
    haunts = rng.uniform((40.6, -74.1), (40.9, -73.7), (PEOPLE, 3, 2))
    lines = ["who,trip,lat,lon,nlat,nlon,side"]
    for person in range(PEOPLE):
        for trip in range(6):
            for lat, lon in haunts[person]:
                noisy = (lat, lon) + rng.normal(0, 0.003, 2)  # noqa: RUF005 - a sum
                side = "train" if trip < 3 else "test"
                cells = f"{lat},{lon},{noisy[0]},{noisy[1]},{side}"
                lines.append(f"p{person},{trip},{cells}")
    lines += ["lonely,1,40.7,-74,40.7,-74,train", ",1,40.7,-74,40.7,-74,test"]
    path = tmp_path / "v.csv"
    path.write_text("\n".join(lines) + "\n", "utf-8")
    return path


def _request(table: Path, **more: object) -> VisitRequest:
    settings = {"trajectory": "trip", "split": "side", "released": "nlat,nlon", **more}
    return VisitRequest(str(table), ("lat", "lon"), "who", **settings)  # type: ignore[arg-type]


def test_originals_are_linked_and_an_adaptive_attacker_learns_the_noise(
    table: Path,
) -> None:
    visits = read_visits(_request(table))
    kinds = [Knowledge.ADAPTIVE, Knowledge.STATIC]
    before, adaptive, static = link(visits, kinds, np.random.default_rng(0))
    assert before.scores.accuracy.value == 1.0
    assert adaptive.scores.accuracy.value >= static.scores.accuracy.value
    assert adaptive.scores.accuracy.low > before.scores.chance
    assert visits.excluded == {
        "records without a user": 1,
        "records of people with fewer than 2 records": 1,
    }


@pytest.mark.parametrize(("trajectory", "attacked"), [("trip", 3), (None, 1)])
def test_without_a_split_the_first_half_is_known(
    table: Path, trajectory: str | None, attacked: int
) -> None:
    visits = read_visits(_request(table, split=None, trajectory=trajectory))
    _, owners = visits.side(visits.originals, known=False)
    assert np.bincount(owners).tolist() == [attacked] * PEOPLE
    known, _ = visits.side(visits.originals, known=True)
    assert len(known.latitude) == 9 * PEOPLE


def test_a_released_file_is_read_row_by_row(table: Path, tmp_path: Path) -> None:
    rows = table.read_text("utf-8").splitlines()[1:]
    file = tmp_path / "r.csv"
    file.write_text("lat,lon\n" + "0.5,0.5\n" * len(rows), "utf-8")
    visits = read_visits(_request(table, released=str(file)))
    assert (visits.released[0] == 0.5).all()
    file.write_text("lat,lon\n0.5,0.5\n", "utf-8")
    with pytest.raises(DataError, match="same order"):
        read_visits(_request(table, released=str(file)))


@pytest.mark.parametrize("released", ["nlat", "nlat,", "a,b,c"])
def test_released_columns_come_in_twos(table: Path, released: str) -> None:
    with pytest.raises(ParameterError, match="LAT,LON"):
        read_visits(_request(table, released=released))


def test_people_on_one_side_only_are_too_few(tmp_path: Path) -> None:
    path = tmp_path / "v.csv"
    rows = ["a,1,1,train", "a,1,1,train", "b,1,1,test", "b,1,1,test"]
    path.write_text("who,lat,lon,side\n" + "\n".join(rows) + "\n", "utf-8")
    request = VisitRequest(str(path), ("lat", "lon"), "who", "lat,lon", split="side")
    with pytest.raises(DataError, match="fewer than 2 people"):
        read_visits(request)
