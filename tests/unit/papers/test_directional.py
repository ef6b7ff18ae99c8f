"""The reproductions run on made-up data, and agree with print where numbers exist."""

import gzip
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.stats import kstest

from publius.core.errors import DataError, ParameterError
from publius.core.rng import seeded
from publius.mechanisms.purkayastha import Purkayastha
from publius.mechanisms.wrapped_laplace import WrappedLaplace
from publius.numerics.circular.statistics import circular_difference
from publius.papers.directional import (
    EXPERIMENTS,
    REPRODUCTIONS,
    Reproduction,
    Setting,
    published,
)
from publius.papers.directional.complexity import predicted_samples, simulated_samples
from publius.papers.experiment import Request

pytestmark = pytest.mark.slow

ALPHA = 1e-9
DATA_FREE = ["thesis-7.2", "thesis-7.3", "thesis-7.5", "thesis-7.6", "thesis-7.7"]
WITH_DATA = [f"thesis-7.{k}" for k in range(9, 16)]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Write made-up files in the layout of the reference data."""
    root = tmp_path_factory.mktemp("reference")
    rng = np.random.default_rng(0)
    (root / "time").mkdir()
    (root / "geo").mkdir()
    wake = rng.normal(400, 60, 400).round()
    age = rng.integers(16, 65, 400)
    rows = "".join(
        f"{i},x,{a},{w:.0f}\n" for i, (a, w) in enumerate(zip(age, wake, strict=True))
    )
    _write(
        root / "time/nhanes_sleep_2017_2020.csv.gz",
        "row,gender,age,wake_weekday_min\n" + rows,
    )
    place = rng.integers(0, 30, 600)
    lat, lon = 40.7 + place * 0.01, -74 + place * 0.013
    hour, minute, user = rng.integers(0, (24, 60, 9), (600, 3)).T
    city = "".join(
        f"{u},2010-10-1{u % 10}T{h:02d}:{m:02d}:00Z,{a},{b},{p}\n"
        for u, h, m, a, b, p in zip(user, hour, minute, lat, lon, place, strict=True)
    )
    _write(
        root / "geo/gowalla_nyc.csv.gz", "user,time_utc,lat,lon,location_id\n" + city
    )
    world = "".join(
        f"{u},t{u},{a},{b},Mon,{h * 60 + m},p{p},train\n"
        for u, h, m, a, b, p in zip(user, hour, minute, lat, lon, place, strict=True)
    )
    head = "user,trajectory,lat,lon,weekday,minute_of_day,poi,split\n"
    _write(root / "geo/gowalla_world_300users.csv.gz", head + world)
    return root


def _write(path: Path, text: str) -> None:
    path.write_bytes(gzip.compress(text.encode()))


@pytest.mark.parametrize("name", DATA_FREE)
def test_reproduction_without_data(name: str) -> None:
    _check(name, REPRODUCTIONS[name](Setting(effort=0.05)))


@pytest.mark.parametrize("name", WITH_DATA)
def test_reproduction_on_made_up_data(name: str, folder: Path) -> None:
    _check(name, REPRODUCTIONS[name](Setting(folder, effort=0.05)))


def _check(name: str, found: Reproduction) -> None:
    assert found.name == name
    assert found.rows
    assert found.curves
    assert all(math.isfinite(y) for curve in found.curves for y in curve.y)
    assert found.picture().startswith("<svg")


def test_missing_data_are_said() -> None:
    with pytest.raises(DataError, match="name the folder"):
        REPRODUCTIONS["thesis-7.9"](Setting())
    with pytest.raises(DataError, match="lack time/"):
        REPRODUCTIONS["thesis-7.9"](Setting(Path("nowhere")))
    with pytest.raises(ParameterError, match="effort"):
        Setting(effort=0)
    with pytest.raises(ParameterError, match="cells"):
        Reproduction("x", "", ("a", "b"), ((1,),))


def test_polar_angle_agrees_with_print() -> None:
    row = REPRODUCTIONS["thesis-7.3"](Setting()).rows[0]
    assert row[1] == pytest.approx(row[2], abs=5e-4)


def test_sample_complexity_agrees_with_print() -> None:
    """The published 750 and 3,600 responses, within their simulation noise."""
    pur = predicted_samples(Purkayastha(1 / math.pi, 2), 2)
    wrapped = predicted_samples(WrappedLaplace(1 / math.pi), 2)
    assert pur == pytest.approx(published.SAMPLES_PURKAYASTHA, rel=0.06)
    assert wrapped == pytest.approx(published.SAMPLES_WRAPPED, rel=0.06)
    fair = predicted_samples(WrappedLaplace.from_pure(epsilon=1.0), 2)
    assert fair < 0.9 * pur


@pytest.mark.parametrize("dim", [2, 3])
def test_prediction_and_simulation_agree(dim: int) -> None:
    law = Purkayastha(2.0, dim)
    simulated = simulated_samples(law, dim, 2000, seeded(0))
    assert simulated == pytest.approx(predicted_samples(law, dim), rel=0.15)


def test_bisection_is_right_in_low_dimensions_and_fails_in_high_ones() -> None:
    law = Purkayastha(2.0, 10)
    drawn = published.bisection_angles(10, 2.0, 5000, seeded(1))
    assert kstest(drawn, law.angle_cdf).pvalue > ALPHA
    assert kstest(drawn, Purkayastha(3.5, 10).angle_cdf).pvalue < ALPHA
    assert np.isnan(published.angular_cdf(np.array([0.5]), 500, 1000.0)).all()


def published_difference(a: float, b: float, period: float) -> float:
    """Evaluate the definition of section 7.4.3, whose first case has a wrong sign."""
    raw = a - b
    if raw > period / 2:
        return period - raw
    return period + raw if raw < -period / 2 else raw


def test_published_difference_has_the_wrong_sign() -> None:
    assert published_difference(18, 3, 24) == 9
    assert float(circular_difference(18, 3, period=24)) == -9
    assert published_difference(3, 18, 24) == 9
    assert published_difference(5, 3, 24) == 2


@pytest.mark.shared
def test_wake_times_agree_with_print(shared: Path) -> None:
    """Another survey, the same laws: errors agree within a quarter from 1/pi on."""
    found = REPRODUCTIONS["thesis-7.9"](Setting(shared / "data", effort=0.5))
    compared = [row for row in found.rows if row[3] is not None and row[1] >= 1]
    assert len(compared) == 24
    for _, _, ours, theirs in compared:
        assert ours == pytest.approx(theirs, rel=0.25)


def test_every_figure_is_an_experiment(folder: Path) -> None:
    assert EXPERIMENTS.keys() == REPRODUCTIONS.keys()
    outcome = EXPERIMENTS["thesis-7.11"].run(Request(folder, quick=True))
    assert outcome.figure.startswith("<svg")
    assert outcome.rows[0]["law"] == "Pur"
    assert all(
        (folder / name).is_file() for e in EXPERIMENTS.values() for name in e.needs
    )
