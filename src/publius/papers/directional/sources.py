"""Read the reference data of the experiments; nothing of it is kept."""

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import csv

from publius.core.arrays import FloatArray, IdArray
from publius.materials.quantity import DAY
from publius.papers.directional.result import Setting

SURVEY = "time/nhanes_sleep_2017_2020.csv.gz"
CITY = "geo/gowalla_nyc.csv.gz"
WORLD = "geo/gowalla_world_300users.csv.gz"

GENERATIONS = {"Z": (16, 18), "Y": (19, 29), "X": (30, 45), "Baby Boomers": (46, 64)}
"""Ages of the thesis's groups; the survey here starts at 16 instead of 13."""


@dataclass(frozen=True, slots=True, eq=False)
class SleepSurvey:
    """Wake times in hours and the generation of each respondent (empty: none)."""

    wake: FloatArray
    generation: "np.ndarray"


@dataclass(frozen=True, slots=True, eq=False)
class CheckIns:
    """Check-ins: who, where in degrees, which location, hour of the day."""

    user: IdArray
    location: IdArray
    lat: FloatArray
    lon: FloatArray
    hour: FloatArray

    def only(self, rows: IdArray) -> "CheckIns":
        """Return some of the check-ins."""
        return CheckIns(*(getattr(self, name)[rows] for name in self.__slots__))


def sleep_survey(setting: Setting) -> SleepSurvey:
    """Read the NHANES sleep survey, which stands in for that of the thesis."""
    table = _table(setting, SURVEY)
    table = table.filter(pc.is_valid(table.column("wake_weekday_min")))
    wake = table.column("wake_weekday_min").to_numpy() / 60
    age = table.column("age").to_numpy()
    generation = np.full(len(age), "", dtype="<U12")
    for name, (first, last) in GENERATIONS.items():
        generation[(age >= first) & (age <= last)] = name
    return SleepSurvey(wake, generation)


def city_check_ins(setting: Setting) -> CheckIns:
    """Read Gowalla's check-ins in New York City."""
    table = _table(setting, CITY)
    seconds = pc.cast(
        table.column("time_utc").cast(pa.timestamp("s", tz="UTC")), "int64"
    )
    return CheckIns(
        user=table.column("user").to_numpy(),
        location=table.column("location_id").to_numpy(),
        lat=table.column("lat").to_numpy(),
        lon=table.column("lon").to_numpy(),
        hour=(seconds.to_numpy() % DAY) / 3600,
    )


def world_check_ins(setting: Setting) -> CheckIns:
    """Read Gowalla's check-ins of 300 users anywhere on the globe."""
    table = _table(setting, WORLD)
    return CheckIns(
        user=table.column("user").to_numpy(),
        location=np.unique(table.column("poi").to_numpy(), return_inverse=True)[1],
        lat=table.column("lat").to_numpy(),
        lon=table.column("lon").to_numpy(),
        hour=table.column("minute_of_day").to_numpy() / 60,
    )


def largest(groups: IdArray, count: int) -> list[IdArray]:
    """Return the rows of each of the largest groups, largest first."""
    names, sizes = np.unique(groups, return_counts=True)
    order = np.lexsort((names, -sizes))[:count]
    return [np.flatnonzero(groups == names[place]) for place in order]


def _table(setting: Setting, name: str) -> pa.Table:
    return csv.read_csv(setting.file(name))
