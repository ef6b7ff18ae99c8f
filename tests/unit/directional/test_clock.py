import datetime
from typing import Any

import numpy as np
import pytest

from publius.core.errors import DataError, ParameterError
from publius.directional.calendar import Layout, layout_of
from publius.directional.clock import Clock
from publius.directional.quantity import (
    DAY,
    WEEK,
    YEAR,
    duration_text,
    length_text,
    metres,
    seconds,
)


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
    (["6:30", "23:59"], {}, 1440),
    (["06:30:15", "23:59:59"], {}, DAY),
    (["390", "0", "1439"], {}, 1440),
    (["6.5", "0"], {"unit": 3600, "resolution": 1800}, 48),
    (["0", "5"], {"unit": DAY, "period": WEEK}, 7),
]


@pytest.mark.parametrize(("values", "settings", "modulus"), ROUND_TRIPS)
def test_reading_and_writing_are_inverse(
    values: list[Any], settings: dict[str, Any], modulus: int
) -> None:
    clock = Clock.detect(values, **settings)
    assert clock.modulus == modulus
    assert clock.write(clock.read(values)) == values


@pytest.mark.parametrize(
    ("value", "period", "written"),
    [
        ("2021-05-03T14:05:07+02:00", DAY, "14:05:07"),
        ("2021-05-03 14:05Z", DAY, "14:05"),
        ("2021-05-03T14:05:07.125-0330", DAY, "14:05:07"),
        ("2021-05-03T14:05:07Z", WEEK, "Mon 14:05:07"),
        ("2020-02-29T00:00Z", YEAR, "02-29 00:00"),
        ("2021-12-31", YEAR, "12-31"),
        ("2021-05-09", WEEK, "Sun"),
    ],
)
def test_timestamps_keep_only_their_place_in_the_period(
    value: str, period: int, written: str
) -> None:
    clock = Clock.detect([value], period=period)
    assert clock.write(clock.read([value])) == [written]


def test_weekdays_agree_with_the_calendar() -> None:
    first = datetime.date(1896, 2, 27)
    days = [first + datetime.timedelta(days=11 * k) for k in range(6000)]
    clock = Clock.detect([days[0].isoformat()], period=WEEK)
    found = clock.read([day.isoformat() for day in days])
    assert found.tolist() == [day.weekday() for day in days]


def test_slow_and_fast_rows_agree() -> None:
    """Rows with fractions or short zones take another path to the same step."""
    rows = [
        "2021-05-03T14:05:07+02:00",
        "2021-05-03T14:05:07.000+02",
        "2021-05-03 14:05:07z",
    ]
    steps = Clock.detect(rows).read(rows)
    assert len(set(steps.tolist())) == 1


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (["06:30", "25:61"], "row 2"),
        (["06:30", "24:00"], "row 2"),
        (["06:30", "06:60"], "row 2"),
        (["06:30", ""], "row 2"),
        (["06:30", "06:30:10"], "row 2"),
        (["06:30", "x" * 1000], "row 2"),
        (["06:30", "０６:３０x"], "row 2"),
        (["2021-05-03T14:05:07Z", "2021-05-03T14:05:07"], "row 2 has no time zone"),
        (["2021-05-03T14:05:07Z", "2021-02-29T14:05:07Z"], "row 2"),
        (["2021-05-03T14:05:07Z", "2021-13-01T14:05:07Z"], "row 2"),
        (["2021-05-03T14:05:07Z", "2021-05-03T24:05:07Z"], "row 2"),
        (["390", "1440"], "row 2 does not lie within"),
        (["390", "-1"], "row 2 does not lie within"),
        (["390", "nan"], "row 2"),
        (["390", "six"], "row 2 is not a number"),
        (["390", "390.5"], "row 2 is finer than 1min"),
        (["x"], "first row is no time"),
        ([], "empty"),
    ],
)
def test_bad_rows_are_named_and_not_quoted(values: list[Any], message: str) -> None:
    with pytest.raises(DataError, match=message) as error:
        Clock.detect(values).read(values)
    shown = str(error.value)
    assert not any(value in shown for value in values[1:] if len(value) > 3)


def test_local_times_need_no_zone_if_said() -> None:
    clock = Clock.detect(["2021-05-03T14:05"], needs_zone=False)
    assert clock.write(clock.read(["2021-05-03T14:05"])) == ["14:05"]


def test_finer_times_are_rounded_if_asked() -> None:
    clock = Clock.detect(["06:37"], resolution=900)
    assert clock.write(clock.read(["06:37", "06:38", "23:59"])) == [
        "06:30",
        "06:45",
        "00:00",
    ]


@pytest.mark.parametrize(
    ("sample", "settings"),
    [
        ("06:30", {"period": WEEK}),
        ("06:30", {"resolution": 7}),
        ("06:30", {"resolution": DAY}),
        ("2021-05-03", {}),
        ("2021-05-03T14:05Z", {"period": 3600}),
    ],
)
def test_impossible_clocks_are_refused(sample: str, settings: dict[str, Any]) -> None:
    with pytest.raises(ParameterError):
        Clock.detect([sample], **settings)


def test_numbers_stay_numbers() -> None:
    clock = Clock.detect(["390"])
    assert clock.write_numbers(clock.read_numbers(np.array([390, 5]))).dtype == np.int64
    with pytest.raises(DataError, match="row 2"):
        clock.read_numbers([1.0, np.inf])


@pytest.mark.parametrize("text", ["6", "2021", "06-30", "T06:30", "2021-5-3", "06:30Z"])
def test_layouts_are_not_guessed(text: str) -> None:
    assert layout_of(text) is None
    assert layout_of("06:30") is Layout.MINUTES
