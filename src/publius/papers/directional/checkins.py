"""Figures 7.11 and 7.12: histograms of check-in times and places."""

import math

import numpy as np

from publius.core.rng import seeded
from publius.numerics.circular.histogram import (
    SphereBins,
    circular_histogram,
    mean_absolute_error,
)
from publius.numerics.circular.transport import circular_emd, great_circle_emd
from publius.numerics.geometry.circle import TURN, wrap
from publius.numerics.geometry.earth import RADIUS
from publius.papers.directional.noise import (
    circle_mechanisms,
    clipping,
    globe_mechanisms,
)
from publius.papers.directional.result import Curve, Reproduction, Setting, curve
from publius.papers.directional.sources import city_check_ins, largest, world_check_ins

EPSILONS = tuple(10 ** (k / 2) for k in range(-4, 7))
LOCATIONS, USERS = 100, 20
RUNS = 5


def time_histograms(setting: Setting) -> Reproduction:
    """Measure errors of hourly histograms at the 100 busiest locations."""
    visits = city_check_ins(setting)
    groups = largest(visits.location, LOCATIONS)
    truth = np.stack([circular_histogram(visits.hour[g], period=24) for g in groups])
    rows = []
    errors: dict[str, list[tuple[float, float]]] = {}
    for epsilon in EPSILONS:
        kappa = epsilon / math.pi
        laws = circle_mechanisms(kappa) | {"CL": clipping(kappa)}
        for name, turn in laws.items():
            rng = seeded(setting.seed)
            emd, mae = [], []
            for _ in range(setting.times(RUNS)):
                noisy = turn(wrap(visits.hour * (TURN / 24)), rng) * (24 / TURN)
                histograms = np.stack(
                    [circular_histogram(noisy[g], period=24) for g in groups]
                )
                emd.append(float(circular_emd(truth, histograms).mean()))
                mae.append(mean_absolute_error(truth, histograms))
            errors.setdefault(name, []).append(
                (float(np.mean(emd)), float(np.mean(mae)))
            )
            rows.append((name, epsilon, *errors[name][-1]))
    return Reproduction(
        "thesis-7.11",
        "Check-in times by the hour at the 100 busiest locations",
        ("law", "ε · π per radian", "EMD in hours", "MAE of counts"),
        tuple(rows),
        _curves(("EMD, hours", "MAE"), errors),
        ("ε", "error"),
        ("New York City instead of the whole of Gowalla; the figure is published "
         "without numbers.",),
    )  # fmt: skip


def place_histograms(setting: Setting) -> Reproduction:
    """Measure errors of 90 × 180 histograms of the busiest users."""
    visits = world_check_ins(setting)
    users = largest(visits.user, setting.times(USERS))
    bins = SphereBins(90, 180)
    centres = bins.centres()
    rows = []
    errors: dict[str, list[tuple[float, float]]] = {}
    for epsilon in EPSILONS:
        for name, walk in globe_mechanisms(epsilon / math.pi).items():
            rng = seeded(setting.seed)
            emd, mae = [], []
            for rows_of_user in users:
                lat, lon = visits.lat[rows_of_user], visits.lon[rows_of_user]
                truth = bins.count(lat, lon)
                counts = bins.count(*walk(lat, lon, rng))
                emd.append(great_circle_emd(truth, counts, *centres) / RADIUS)
                mae.append(mean_absolute_error(truth, counts))
            errors.setdefault(name, []).append(
                (float(np.mean(emd)), float(np.mean(mae)))
            )
            rows.append((name, epsilon, *errors[name][-1]))
    return Reproduction(
        "thesis-7.12",
        f"Check-in places of the {len(users)} busiest users, 90 × 180 bins",
        ("law", "ε · π per radian", "EMD in radians", "MAE of counts"),
        tuple(rows),
        _curves(("EMD, radians", "MAE"), errors),
        ("ε", "error"),
        ("300 users of Gowalla instead of all; the figure is published without "
         "numbers. Where Polar Laplace is worse than uniform noise, its EMD shows "
         "it.",),
    )  # fmt: skip


def _curves(
    panels: tuple[str, str], errors: dict[str, list[tuple[float, float]]]
) -> tuple[Curve, ...]:
    """Draw both errors of every law, each in a panel of its own."""
    return tuple(
        curve(panel, name, EPSILONS, values)
        for name, pairs in errors.items()
        for panel, values in zip(panels, zip(*pairs, strict=True), strict=True)
    )
