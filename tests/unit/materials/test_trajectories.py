"""Few places of each person, and what all of them together lose."""

import json
import math
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from publius.core.config import LedgerSettings
from publius.core.errors import BudgetError, DataError, ParameterError
from publius.core.stating import multiply_up
from publius.materials.places.treatment import PlaceSettings
from publius.numerics.geometry.earth import place_vectors
from publius.pipeline import ReleaseRequest, release
from publius.services.release import release_places
from publius.tables.columns import Columns
from publius.tables.thinning import is_spread

PEOPLE = {"ann": 40, "ben": 3, "cid": 10}


def table(lat: float = 52.5, people: dict[str, int] | None = None) -> pa.Table:
    """Return visits, all at one place, people in turn."""
    people = people or PEOPLE
    names = [n for k in range(max(people.values())) for n in people if people[n] > k]
    size = len(names)
    return pa.table(
        {"lat": [lat] * size, "lon": [13.4] * size, "who": names, "row": range(size)}
    )


def run(given: pa.Table, *, most: int = 5, level: float = 1.0, **more: Any) -> Any:
    return release_places(
        given, level=level, radius=200.0, user="who", keep=("who", "row"),
        trajectories=most, **more,
    )  # fmt: skip


def left(given: pa.Table, **more: Any) -> dict[str, list[Any]]:
    return dict(run(given, **more).data.to_pydict())


def test_nobody_leaves_more_than_the_limit() -> None:
    assert Counter(left(table())["who"]) == {"ann": 5, "ben": 3, "cid": 5}


@pytest.mark.parametrize("total", range(1, 60))
def test_chosen_rows_are_spread(total: int) -> None:
    for most in (1, 3, 7, 50):
        chosen = [n for n in range(total) if is_spread(n, total, most)]
        assert len(chosen) == min(total, most)
        if total > most > 1:
            gaps = np.diff(chosen)
            assert gaps.max() - gaps.min() <= 1
    assert not is_spread(total, total, 3)


def test_places_have_no_say_in_which_rows_leave() -> None:
    rows = [
        left(table(lat), seed=seed)["row"] for lat in (52.5, -33.0) for seed in (1, 2)
    ]
    assert rows[0] == rows[1] == rows[2] == rows[3]


def test_equal_places_leave_as_different_ones() -> None:
    """A draw that was used again would tell which visits were to the same place."""
    released = left(table(people={"ann": 400}), most=300)
    assert len(set(zip(released["lat"], released["lon"], strict=True))) == 300


def test_the_noise_is_that_of_the_share_of_a_place() -> None:
    """Every place has the noise of level / K; that of the whole level is rejected."""
    released = left(table(people={"ann": 4000}), most=2000, level=200.0)
    points = place_vectors(np.array(released["lat"]), np.array(released["lon"]))
    origin = place_vectors(np.array([52.5]), np.array([13.4]))
    moved = 2 * np.arcsin(np.linalg.norm(points - origin, axis=1) / 2)
    one = PlaceSettings(level=200.0, radius=200.0, trajectories=2000).law()
    error = math.sqrt(one.var_angle() / len(moved))
    assert abs(moved.mean() - one.mean_angle()) < 6 * error
    other = PlaceSettings(level=0.11, radius=200.0).law()
    assert abs(moved.mean() - other.mean_angle()) > 2 * error


@pytest.mark.parametrize("most", [1, 3, 7, 10, 49, 1000])
@pytest.mark.parametrize("level", [0.1, 1.0, 3.3])
def test_shares_never_exceed_the_level(most: int, level: float) -> None:
    settings = PlaceSettings(level=level, radius=200.0, trajectories=most)
    assert multiply_up(settings.place_level, most) <= level
    assert settings.place_level * most == pytest.approx(level, rel=1e-12)


def test_the_loss_of_a_person_is_stated(tmp_path: Path) -> None:
    done = run(table(), out=tmp_path / "out")
    manifest = json.loads((tmp_path / "out/manifest.json").read_text())
    assert manifest["losses"]["level"] == pytest.approx(0.2)
    assert manifest["losses"]["busiest_person_level"] <= 1.0
    assert manifest["counts"]["busiest_person"] is None
    first, second = manifest["statements"][:2]
    assert "one person was at other places" in first
    assert "2.72 (e^1): no more than 5 records of a person leave" in first
    whole = done.summary.guarantee.worst_loss * 5
    assert (
        float(second.split("e^")[1].split(" ")[0].strip(").").replace(",", "")) >= whole
    )
    page = (tmp_path / "out/report.html").read_text()
    assert "Records of a person that leave at most" in page
    assert "How many records the person with most" not in page


def test_a_high_level_is_a_warning(tmp_path: Path) -> None:
    run(table(), level=9.0, out=tmp_path / "out")
    page = (tmp_path / "out/report.html").read_text()
    assert "All places of one person together lose 9" in page


def test_a_ledger_is_charged_for_what_leaves(tmp_path: Path) -> None:
    file = tmp_path / "visits.csv"
    rows = zip(*table().to_pydict().values(), strict=True)
    lines = [",".join(map(str, row)) for row in rows]
    file.write_text("lat,lon,who,row\n" + "\n".join(lines) + "\n")
    settings = PlaceSettings(level=1.0, radius=200.0, trajectories=5)
    ledger = LedgerSettings(str(tmp_path / "ledger"), near_budget=1.5)

    def once(out: str) -> None:
        asked = ReleaseRequest(
            str(file), tmp_path / out, Columns(("lat", "lon"), "who"), settings,
            ledger=ledger,
        )  # fmt: skip
        release(asked)

    once("first")
    with pytest.raises(BudgetError):
        once("second")


def test_bad_requests_are_refused() -> None:
    with pytest.raises(ParameterError, match="--user"):
        release_places(table(), level=1.0, radius=200.0, trajectories=3)
    with pytest.raises(ParameterError, match="trajectories"):
        run(table(), most=0)
    nameless = table().set_column(
        2, "who", pa.array([None] * table().num_rows, "string")
    )
    with pytest.raises(DataError, match="names nobody in row 1"):
        run(nameless)


def test_a_bad_place_is_named_by_its_own_row() -> None:
    given = table().to_pydict()
    given["lat"][30] = 91.0
    with pytest.raises(DataError, match=r"row 31"):
        run(pa.table(given))
