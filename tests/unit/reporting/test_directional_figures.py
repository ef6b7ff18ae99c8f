"""Pictures of times and places: what is drawn, and where."""

import math
import re
import subprocess
import sys
from xml.etree import ElementTree as ET

import numpy as np
import pytest

from publius.reporting.axes import LEFT, Axes, Scale
from publius.reporting.directional_figures import (
    MOST_POINTS,
    RIM,
    ROOM,
    error_curve,
    place_map,
    rose,
)

EIGHT = ("0", "3h", "6h", "9h", "12h", "15h", "18h", "21h")


def _spots(svg: str) -> list[tuple[float, float]]:
    found = re.findall(r'<circle cx="([-\d.]+)" cy="([-\d.]+)" r="1.5"/>', svg)
    return [(float(x), float(y)) for x, y in found]


def test_all_times_in_one_bin_are_one_sector_to_the_rim() -> None:
    counts = np.zeros(24, dtype=np.int64)
    counts[6] = 10
    svg = rose(counts, EIGHT)
    (path,) = re.findall(r'<path d="M[^L]*L([\d.]+) ([\d.]+)A([\d.]+)', svg)
    assert float(path[0]) == pytest.approx(2 * RIM + ROOM, abs=0.1)  # due right: 6h
    assert float(path[1]) == pytest.approx(RIM + ROOM, abs=0.1)
    assert float(path[2]) == pytest.approx(RIM, abs=0.1)


def test_areas_of_sectors_are_proportional_to_counts() -> None:
    lengths = re.findall(r"A([\d.]+) ", rose([1, 4], EIGHT))
    assert float(lengths[1]) == pytest.approx(2 * float(lengths[0]), abs=0.2)


def test_only_a_private_picture_names_originals() -> None:
    assert "original" not in rose([1, 2], EIGHT)
    assert "original" in rose([1, 2], EIGHT, [2, 1])
    places = np.array([51.0, 52.0]), np.array([0.0, 1.0])
    assert "original" not in place_map(places)
    assert "original" in place_map(places, places)


def test_a_map_is_as_long_to_the_north_as_to_the_east() -> None:
    lat, lon = np.array([60.0, 60.1, 60.0]), np.array([10.0, 10.0, 10.2])
    (x, y), (_, north), (east, _) = _spots(place_map((lat, lon)))
    stretch = math.cos(math.radians(60.05))
    assert (y - north) * 2 * stretch == pytest.approx(east - x, rel=0.01)


@pytest.mark.parametrize("count", [0, 1, 3 * MOST_POINTS])
def test_a_map_shows_at_most_so_many_places(count: int) -> None:
    lat = np.linspace(-90, 90, count)
    svg = place_map((lat, lat))
    ET.fromstring(svg)  # noqa: S314 - our own
    assert len(_spots(svg)) == min(count, MOST_POINTS)


def test_the_chosen_level_stands_where_its_decade_is() -> None:
    svg = error_curve([0.1, 1.0, 10.0], [300.0, 30.0, 3.0], 1.0, "<minutes>")
    mark = re.search(r'<line x1="([\d.]+)"', svg)
    middle = (LEFT + 374 - 12) / 2
    assert mark is not None
    assert float(mark[1]) == pytest.approx(middle, abs=0.1)
    assert "&lt;minutes&gt;" in svg


@pytest.mark.parametrize(
    ("scale", "ticks"),
    [
        (Scale(-0.21, 0.2), [-0.2, -0.1, 0.0, 0.1, 0.2]),
        (Scale.to(3000.0), [0.0, 1000.0, 2000.0, 3000.0]),
        (Scale(0.1, 10.0, is_log=True), [0.1, 1.0, 10.0]),
        (Scale(20.0, 60.0, is_log=True), [20.0, 50.0]),
    ],
    ids=["around", "from-nought", "decades", "half-a-decade"],
)
def test_ticks_are_round_numbers(scale: Scale, ticks: list[float]) -> None:
    assert scale.ticks() == pytest.approx(ticks)


def test_axes_put_the_last_value_to_the_right() -> None:
    axes = Axes(Scale.to(4.0), Scale.to(1.0))
    assert axes.x(4.0) == axes.width - 12


def test_releases_of_times_and_places_load_no_plotting_library() -> None:
    code = (
        "import sys, publius.materials.times.treatment, "
        "publius.materials.places.treatment; sys.exit('matplotlib' in sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)  # noqa: S603 - our own
