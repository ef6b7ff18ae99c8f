import datetime
from typing import Any

import numpy as np
import pytest

from publius.core.errors import DataError, ParameterError
from publius.materials.quantity import (
    DAY,
    WEEK,
    YEAR,
    duration_text,
    length_text,
    metres,
    seconds,
)
from publius.materials.times.calendar import Layout, layout_of
from publius.materials.times.clock import Clock


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("30min", 1800),
        ("24h", DAY),
        ("1h30min", 5400),
        ("7d", WEEK),
        ("week", WEEK),
        ("0.5h", 1800),
        (" 90 s ", 90),
        ("year", YEAR),
    ],
)
def test_durations(text: str, expected: Any) -> None:
    assert seconds(text) == expected


@pytest.mark.parametrize(
    "text", ["", "30", "min30", "1x", "-5min", "0h", "0.5s", "nan"]
)
def test_what_is_no_duration_is_refused(text: str) -> None:
    with pytest.raises(ParameterError):
        seconds(text)


@pytest.mark.parametrize(
    ("text", "expected"), [("200m", 200), ("1.5km", 1500), ("1 mi", 1609.344)]
)
def test_lengths(text: str, expected: Any) -> None:
    assert metres(text) == pytest.approx(expected)


@pytest.mark.parametrize("text", ["", "200", "m", "0m", "-3km", "3 feet"])
def test_what_is_no_length_is_refused(text: str) -> None:
    with pytest.raises(ParameterError):
        metres(text)


def test_quantities_are_written_shortly() -> None:
    assert [duration_text(s) for s in (1, 90, 1800, 7200, WEEK)] == [
        "1s",
        "90s",
        "30min",
        "2h",
        "7d",
    ]
    assert [length_text(m) for m in (10.0, 2500.0)] == ["10 m", "2.5 km"]


ROUND_TRIPS = [
    (["06:30", "00:00", "23:59"], {}, 1440),
    (["06:30:15", "23:59:59"], {"resolution": 1}, DAY),
    (["390", "0", "1439"], {"unit": 60}, 1440),
    (["6.5", "0"], {"unit": 3600, "resolution": 1800}, 48),
    (["0", "5"], {"unit": DAY, "period": WEEK, "resolution": DAY}, 7),
]


@pytest.mark.parametrize(("values", "settings", "modulus"), ROUND_TRIPS)
def test_reading_and_writing_are_inverse(
    values: list[Any], settings: dict[str, Any], modulus: int
) -> None:
    clock = Clock(**settings)
    assert clock.modulus == modulus
    assert clock.write(clock.read(values)) == values


@pytest.mark.parametrize(
    ("value", "period", "resolution", "written"),
    [
        ("2021-05-03T14:05:07+02:00", DAY, 1, "14:05:07"),
        ("2021-05-03 14:05Z", DAY, 60, "14:05"),
        ("2021-05-03T14:05:07.125-0330", DAY, 1, "14:05:07"),
        ("2021-05-03T14:05:07Z", WEEK, 1, "Mon 14:05:07"),
        ("2020-02-29T00:00Z", YEAR, 60, "02-29 00:00"),
        ("2021-12-31", YEAR, DAY, "12-31"),
        ("2021-12-31T14:05Z", YEAR, DAY, "12-31"),
        ("2021-05-09", WEEK, DAY, "Sun"),
    ],
)
def test_timestamps_keep_only_their_place_in_the_period(
    value: str, period: int, resolution: int, written: str
) -> None:
    clock = Clock(period, resolution)
    assert clock.write(clock.read([value])) == [written]
    assert len(clock.layout) == len(written)


@pytest.mark.parametrize("unit", [None, 60])
def test_one_layout_whatever_each_value_has(unit: int | None) -> None:
    """The layout of the first cell once told whether it was 9:59 or 10:00."""
    clock = Clock(unit=unit)
    values = ["9:59", "09:59", "09:59:00", "2021-05-03T09:59Z", " 9:59:12.5 "]
    written = clock.write(clock.read(values))
    assert written == (["09:59"] if unit is None else ["599"]) * len(values)


def test_numbers_and_clock_times_may_stand_together_if_the_unit_is_said() -> None:
    assert Clock(unit=3600).read(["6.5", "06:30", "6:30:00"]).tolist() == [390] * 3


def test_weekdays_agree_with_the_calendar() -> None:
    first = datetime.date(1896, 2, 27)
    days = [first + datetime.timedelta(days=11 * k) for k in range(6000)]
    clock = Clock(WEEK, DAY)
    steps = clock.read([day.isoformat() for day in days])
    assert steps.tolist() == [day.weekday() for day in days]


def test_slow_and_fast_rows_agree() -> None:
    """Rows with fractions or short zones take another path to the same step."""
    rows = [
        "2021-05-03T14:05:07+02:00",
        "2021-05-03T14:05:07.000+02",
        "2021-05-03 14:05:07z",
    ]
    assert len(set(Clock(resolution=1).read(rows).tolist())) == 1


@pytest.mark.parametrize(
    ("values", "settings", "message"),
    [
        (["06:30", "25:61"], {}, "row 2 is no time"),
        (["06:30", "24:00"], {}, "row 2 is no time"),
        (["06:30", "06:60"], {}, "row 2 is no time"),
        (["06:30", ""], {}, "row 2 is no time"),
        (["06:30", "x" * 1000], {}, "row 2 is no time"),
        (["06:30", "０６:３０x"], {}, "row 2 is no time"),
        (["06:30", "390.25"], {}, "row 2 is a plain number"),
        (["06:30", "2021-05-03T14:05:07"], {}, "row 2 has no time zone"),
        (["06:30", "2021-02-29T14:05:07Z"], {}, "row 2 is no time"),
        (["06:30", "2021-13-01T14:05:07Z"], {}, "row 2 is no time"),
        (["06:30", "2021-05-03T24:05:07Z"], {}, "row 2 is no time"),
        (["06:30", "2021-05-03"], {}, "row 2 has no time of day"),
        (["2021-05-03T14:05Z", "06:30"], {"period": WEEK}, "row 2 names no day"),
        (["00:30", "2021-05-03T14:05Z"], {"period": 3600}, "row 2 is a timestamp"),
        (["00:30", "01:30"], {"period": 3600}, "row 2 does not lie within"),
        (["390", "1440"], {"unit": 60}, "row 2 does not lie within"),
        (["390", "-1"], {"unit": 60}, "row 2 does not lie within"),
        (["06:30", "-1"], {"unit": 60}, "row 2 does not lie within"),
        (["390", "nan"], {"unit": 60}, "row 2"),
        (["390", "six"], {"unit": 60}, "row 2 is no time"),
    ],
)
def test_bad_rows_are_named_and_not_quoted(
    values: list[Any], settings: dict[str, Any], message: str
) -> None:
    with pytest.raises(DataError, match=message) as error:
        Clock(**settings).read(values)
    shown = str(error.value)
    assert not any(value in shown for value in values[1:] if len(value) > 3)


def test_local_times_need_no_zone_if_said() -> None:
    clock = Clock(needs_zone=False)
    assert clock.write(clock.read(["2021-05-03T14:05"])) == ["14:05"]


def test_finer_times_are_rounded() -> None:
    clock = Clock(resolution=900)
    assert clock.write(clock.read(["06:37", "06:38", "23:59"])) == [
        "06:30",
        "06:45",
        "00:00",
    ]


@pytest.mark.parametrize(
    "settings",
    [{"period": 10 * DAY}, {"resolution": 7}, {"resolution": DAY}, {"resolution": 0}],
)
def test_impossible_clocks_are_refused(settings: dict[str, Any]) -> None:
    with pytest.raises(ParameterError):
        Clock(**settings)


@pytest.mark.parametrize(
    ("resolution", "kind"), [(3600, np.int64), (7200, np.int64), (60, np.float64)]
)
def test_settings_alone_make_numbers_whole(resolution: int, kind: type) -> None:
    clock = Clock(unit=3600, resolution=resolution)
    assert clock.write_numbers(clock.read_numbers([6, 4])).dtype == kind
    with pytest.raises(DataError, match="row 2"):
        clock.read_numbers([1.0, np.inf])


@pytest.mark.parametrize(
    ("example", "expected"),
    [
        ("6:30", Clock()),
        ("06:30:15", Clock(resolution=1)),
        ("390", Clock(unit=60)),
    ],
)
def test_detect_names_its_successor(example: str, expected: Clock) -> None:
    with pytest.warns(DeprecationWarning, match="Clock"):
        assert Clock.detect([example]) == expected
    with (
        pytest.warns(DeprecationWarning, match="Clock"),
        pytest.raises(DataError, match="no time"),
    ):
        Clock.detect(["x"])


@pytest.mark.parametrize("text", ["6", "2021", "06-30", "T06:30", "2021-5-3", "06:30Z"])
def test_layouts_are_not_guessed(text: str) -> None:
    assert layout_of(text) is None
    assert layout_of("06:30") is Layout.MINUTES
