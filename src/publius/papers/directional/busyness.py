"""Figures 7.13 to 7.15: how busy places are, from noisy times and noisy places."""

import numpy as np

from publius.core.arrays import FloatArray, IdArray, Rng
from publius.core.rng import seeded
from publius.mechanisms.polar_laplace import PolarLaplace
from publius.mechanisms.purkayastha import Purkayastha
from publius.mechanisms.wrapped_laplace import WrappedLaplace
from publius.numerics.circular.histogram import Busyness, circular_histogram
from publius.numerics.circular.transport import circular_emd
from publius.numerics.geometry.circle import TURN, wrap
from publius.numerics.geometry.earth import RADIUS
from publius.papers.directional.noise import Turn, Walk, turning, walking
from publius.papers.directional.result import Cell, Curve, Reproduction, Setting, curve
from publius.papers.directional.sources import CheckIns, city_check_ins, largest

LOCATIONS = 1000
TIME_RADIUS = 3 * TURN / 24
PLACE_RADIUS = 10 / RADIUS
TIME_LEVELS = tuple(10 ** (k / 2) for k in range(-6, 5))
PLACE_LEVELS = tuple(10 ** (k / 2) for k in range(-4, 5))
COLUMNS = (0.01, 10**-0.5, 10.0, 100.0)
EXAMPLE_LEVEL = 10**-0.5
RUNS = 2


def over_time_level(setting: Setting) -> Reproduction:
    """Vary the temporal level at selected spatial levels (figure 7.13)."""
    pairs = [(time, place) for place in COLUMNS for time in TIME_LEVELS]
    rows, curves = _measure(setting, pairs, is_over_time=True)
    return Reproduction(
        "thesis-7.13",
        "Error of daily activity over the temporal level",
        ("laws", "temporal level", "spatial level", "EMD in hours"),
        rows,
        curves,
        ("temporal level", "EMD, hours"),
        _remarks(setting),
    )


def over_place_level(setting: Setting) -> Reproduction:
    """Vary the spatial level at selected temporal levels (figure 7.14)."""
    pairs = [(time, place) for time in COLUMNS for place in PLACE_LEVELS]
    rows, curves = _measure(setting, pairs, is_over_time=False)
    return Reproduction(
        "thesis-7.14",
        "Error of daily activity over the spatial level",
        ("laws", "temporal level", "spatial level", "EMD in hours"),
        rows,
        curves,
        ("spatial level", "EMD, hours"),
        _remarks(setting),
    )


def examples(setting: Setting) -> Reproduction:
    """Show the daily activity of four locations in a single run (figure 7.15)."""
    visits, places, truth = _visits(setting)
    rng = seeded(setting.seed)
    noisy = {
        name: _count(places, visits, laws, rng)
        for name, laws in _laws(EXAMPLE_LEVEL, EXAMPLE_LEVEL).items()
    }
    rows, curves = [], []
    hours = np.arange(24)
    for place in range(4):
        panel = f"location {place + 1}"
        curves.append(curve(panel, "original", hours, truth[place]))
        for name, counts in noisy.items():
            error = float(_emd(truth[place : place + 1], counts[place : place + 1])[0])
            rows.append((panel, name, int(truth[place].sum()), error))
            curves.append(curve(panel, name, hours, counts[place]))
    return Reproduction(
        "thesis-7.15",
        "Daily activity at four of the busiest locations, both levels 0.316",
        ("location", "laws", "check-ins", "EMD in hours"),
        tuple(rows),
        tuple(curves),
        ("hour", "check-ins"),
        ("Locations are numbered, not named.",),
    )


def _remarks(setting: Setting) -> tuple[str, ...]:
    return (
        f"New York City's {LOCATIONS} busiest locations instead of Gowalla's; "
        f"{setting.times(RUNS)} runs instead of 25. Protection radii are 3 hours "
        "and 10 metres. A location that receives no check-in counts as uniform. The "
        "figure is published without numbers.",
    )


def _visits(setting: Setting) -> tuple[CheckIns, Busyness, IdArray]:
    """Return check-ins, the locations, and the true activity of each location."""
    visits = city_check_ins(setting)
    groups = largest(visits.location, LOCATIONS)
    first = np.array([group[0] for group in groups])
    places = Busyness(visits.lat[first], visits.lon[first])
    truth = [circular_histogram(visits.hour[group], period=24) for group in groups]
    return visits.only(np.concatenate(groups)), places, np.stack(truth)


def _laws(time_level: float, place_level: float) -> dict[str, tuple[Turn, Walk]]:
    time, place = time_level / TIME_RADIUS, place_level / PLACE_RADIUS
    return {
        "Purkayastha": (turning(Purkayastha(time, 2)), walking(Purkayastha(place, 3))),
        "Wrapped and Polar Laplace": (
            turning(WrappedLaplace(time)),
            walking(PolarLaplace(place)),
        ),
    }


def _count(
    places: Busyness, visits: CheckIns, laws: tuple[Turn, Walk], rng: Rng
) -> IdArray:
    turn, walk = laws
    hour = turn(wrap(visits.hour * (TURN / 24)), rng) * (24 / TURN)
    return places.count(*walk(visits.lat, visits.lon, rng), hour)


def _emd(truth: IdArray, noisy: IdArray) -> FloatArray:
    """Return the error of each location; one without check-ins counts as uniform."""
    empty = noisy.sum(axis=1, keepdims=True) == 0
    return circular_emd(truth, np.where(empty, 1, noisy))


def _measure(
    setting: Setting, pairs: list[tuple[float, float]], *, is_over_time: bool
) -> tuple[tuple[tuple[Cell, ...], ...], tuple[Curve, ...]]:
    visits, places, truth = _visits(setting)
    rows: list[tuple[Cell, ...]] = []
    lines: dict[tuple[str, str], tuple[list[float], list[float]]] = {}
    for time, place in pairs:
        for name, laws in _laws(time, place).items():
            rng = seeded(setting.seed)
            errors = [
                float(_emd(truth, _count(places, visits, laws, rng)).mean())
                for _ in range(setting.times(RUNS))
            ]
            mean = float(np.mean(errors))
            rows.append((name, time, place, mean))
            fixed, moving = (place, time) if is_over_time else (time, place)
            kind = "spatial" if is_over_time else "temporal"
            x, y = lines.setdefault((f"{kind} level {fixed:.2g}", name), ([], []))
            x.append(moving)
            y.append(mean)
    curves = tuple(curve(*key, x, y) for key, (x, y) in lines.items())
    return tuple(rows), curves
