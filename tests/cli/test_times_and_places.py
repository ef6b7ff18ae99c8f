"""publius times and publius places, from file to folder."""

import io
import json
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import click
import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

from publius.cli.places_command import command as places
from publius.cli.times_command import command as times
from publius.core.errors import (
    CancelledError,
    DataError,
    OutputError,
    ParameterError,
    PubliusError,
)
from publius.core.watch import Watch
from publius.directional import Clock, TimeSanitizer
from publius.materials.quantity import seconds
from publius.pipeline import ReleaseRequest, TimeSettings, release
from publius.pipeline.folder import ReleaseFolder
from publius.tables.columns import Columns

TIMES = "wake,who,age\n06:30,ann,5\n07:15,ben,6\n23:50,ann,7\n"
PLACES = "lat,lon,who\n52.5,13.4,ann\n-89.99,179.99,ben\n0,-180,ann\n"


def run(command: Any, *arguments: Any) -> None:
    command.main([str(a) for a in arguments], standalone_mode=False)


@pytest.fixture
def sleep(tmp_path: Path) -> Any:
    path = tmp_path / "sleep.csv"
    path.write_text(TIMES)
    return path


@pytest.fixture
def visits(tmp_path: Path) -> Any:
    path = tmp_path / "visits.csv"
    path.write_text(PLACES)
    return path


def test_times_leave_data_report_and_manifest(sleep: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    run(times, sleep, "--column", "wake", "--user", "who", "--keep", "age", "-o", out)
    assert sorted(p.name for p in out.iterdir()) == [
        "data.csv",
        "manifest.json",
        "report.html",
    ]
    lines = (out / "data.csv").read_text().splitlines()
    assert lines[0] == '"wake","age"'
    assert len(lines) == 4
    manifest = json.loads((out / "manifest.json").read_text())
    assert manifest["losses"]["level"] == 1.0
    assert manifest["losses"]["busiest_person_level"] == 2.0
    assert manifest["secure"] is True
    assert manifest["guarantee"]["terms"][0]["epsilon"] == pytest.approx(1 / 30)


def test_report_and_manifest_tell_no_secret(sleep: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    run(times, sleep, "--column", "wake", "--user", "who", "-o", out)
    for name in ("report.html", "manifest.json"):
        text = (out / name).read_text()
        assert not any(secret in text for secret in ("06:30", "07:15", "ann", "ben"))
    report = (out / "report.html").read_text()
    assert "k times" in report
    assert "http" not in report.replace("http-equiv", "").replace(
        "http://www.w3.org", ""
    )


def test_seed_repeats_and_marks_the_release(sleep: Path, tmp_path: Path) -> None:
    for name in ("one", "two"):
        run(times, sleep, "--column", "wake", "--seed", 7, "-o", tmp_path / name)
    one, two = ((tmp_path / n / "data.csv").read_bytes() for n in ("one", "two"))
    assert one == two
    assert "INSECURE" in (tmp_path / "one" / "report.html").read_text()


def test_without_seed_two_releases_differ(tmp_path: Path) -> None:
    path = tmp_path / "many.csv"
    path.write_text("t\n" + "06:30:00\n" * 200)
    for name in ("one", "two"):
        run(times, path, "--column", "t", "-o", tmp_path / name)
    one, two = ((tmp_path / n / "data.csv").read_bytes() for n in ("one", "two"))
    assert one != two


def test_finished_release_is_not_overwritten(sleep: Path, tmp_path: Path) -> None:
    run(times, sleep, "--column", "wake", "-o", tmp_path / "out")
    before = (tmp_path / "out" / "data.csv").read_bytes()
    with pytest.raises(OutputError, match="complete release"):
        run(times, sleep, "--column", "wake", "-o", tmp_path / "out")
    assert (tmp_path / "out" / "data.csv").read_bytes() == before


@pytest.mark.parametrize(
    ("kind", "value", "expected"),
    [
        (pa.time32("ms"), 23_400_000, pa.time32("ms")),
        (pa.time64("us"), 23_400_000_000, pa.time64("us")),
        (pa.int32(), 390, pa.int32()),
        (pa.int8(), 100, pa.int64()),
        (pa.uint8(), 100, pa.int64()),
        (pa.float32(), 390.0, pa.float32()),
        (pa.float64(), 390.0, pa.float64()),
        (
            pa.timestamp("us", tz="Europe/Berlin"),
            1_600_000_000_000_000,
            pa.large_string(),
        ),
    ],
)
def test_stored_types_are_kept_if_they_hold_every_step(
    kind: Any, value: str, expected: Any, tmp_path: Path
) -> None:
    path = tmp_path / "t.parquet"
    parquet.write_table(pa.table({"t": pa.array([value] * 3, kind)}), path)
    run(times, path, "--column", "t", "-o", tmp_path / "out")
    field = parquet.read_schema(tmp_path / "out" / "data.parquet").field("t")
    assert field.type == expected


@pytest.mark.parametrize("kind", [pa.int8(), pa.int64(), pa.float64()])
def test_parts_of_an_hour_are_not_cut_off(kind: Any, tmp_path: Path) -> None:
    """Whole hours were floored, which moved every time by 19 minutes on average."""
    path, out = tmp_path / "t.parquet", tmp_path / "out"
    parquet.write_table(pa.table({"t": pa.array([12] * 4000, kind)}), path)
    asked = ("--unit", "h", "--resolution", "15min", "--seed", 1)
    run(times, path, "--column", "t", *asked, "-o", out)
    hours = parquet.read_table(out / "data.parquet").column("t")
    assert hours.type == pa.float64()
    assert np.mean(hours.to_numpy()) == pytest.approx(12, abs=0.1)
    assert (np.mod(hours.to_numpy(), 0.25) == 0).all()


def test_columns_of_other_things_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    parquet.write_table(pa.table({"t": [True], "l": [[1]]}), path)
    for column in ("t", "l"):
        with pytest.raises(PubliusError, match=r"holds no times|one value per row"):
            run(times, path, "--column", column, "-o", tmp_path / "out")


def test_timestamps_use_the_local_time_of_their_zone(tmp_path: Path) -> None:
    """12:26:40 UTC is 14:26:40 in Berlin; with almost no noise it must come out."""
    path = tmp_path / "t.parquet"
    kind = pa.timestamp("s", tz="Europe/Berlin")
    parquet.write_table(pa.table({"t": pa.array([1_600_000_000], kind)}), path)
    out = tmp_path / "out"
    asked = ("--level", 60, "--radius", "1s", "--resolution", "1s")
    run(times, path, "--column", "t", *asked, "-o", out)
    assert parquet.read_table(out / "data.parquet").column("t").to_pylist() == [
        "14:26:40"
    ]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("t\n06:30\n25:61\n", "row 3"),
        ("t,u\n06:30,1\n,2\n", "empty in row 3"),
        ("t\n2021-05-03T10:00\n", "row 2 has no time zone"),
        ("t\nsoon\n", "no time"),
        ("t\n", "no rows"),
        ("", "empty"),
    ],
)
def test_bad_times_leave_nothing(content: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "bad.csv"
    path.write_text(content)
    with pytest.raises(PubliusError, match=message):
        run(times, path, "--column", "t", "-o", tmp_path / "out")
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("lat,lon\n1,2\n91,3\n", "latitude.*row 3"),
        ("lat,lon\n1,2\n9,east\n", "'lon'.*row 3"),
        ("lat,lon\n1,2\n9,nan\n", "longitude.*row 3"),
        ("lat,lon\n1,\n", "'lon' is empty in row 2"),
        ("lat\n1\n", "no column 'lon'"),
    ],
)
def test_bad_places_leave_nothing(content: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "bad.csv"
    path.write_text(content)
    with pytest.raises(PubliusError, match=message):
        run(places, path, "-o", tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_missing_cells_can_be_dropped(tmp_path: Path) -> None:
    path = tmp_path / "gaps.csv"
    path.write_text("t,id\n06:30,1\n,2\n07:00,3\n")
    out = tmp_path / "out"
    run(times, path, "--column", "t", "--missing", "drop", "--keep", "id", "-o", out)
    kept = [line.split(",")[1] for line in (out / "data.csv").read_text().splitlines()]
    assert kept == ['"id"', '"1"', '"3"']
    told = json.loads((out / "manifest.json").read_text())["guarantee"]["uncovered"]
    assert "That rows with empty cells were left out." in told


def test_bad_row_after_a_gap_is_named_rightly(tmp_path: Path) -> None:
    path = tmp_path / "gaps.csv"
    path.write_text("t,u\n06:30,1\n,1\n99:99,1\n")
    with pytest.raises(PubliusError, match="row 4"):
        run(times, path, "--column", "t", "--missing", "drop", "-o", tmp_path / "out")


def test_rows_are_numbered_across_shards(tmp_path: Path) -> None:
    path = tmp_path / "long.csv"
    path.write_text("t\n" + "06:30\n" * 70_000 + "x\n")
    with pytest.raises(PubliusError, match="row 70002"):
        run(times, path, "--column", "t", "-o", tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_places_move_and_stay_on_the_globe(visits: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    run(places, visits, "--radius", "200km", "--user", "who", "-o", out)
    rows = [line.split(",") for line in (out / "data.csv").read_text().splitlines()]
    assert rows[0] == ['"lat"', '"lon"']
    degrees = np.array(rows[1:], dtype=float)
    assert (np.abs(degrees[:, 0]) <= 90).all()
    assert ((degrees[:, 1] >= -180) & (degrees[:, 1] < 180)).all()
    manifest = json.loads((out / "manifest.json").read_text())
    assert manifest["accuracy"]["mean"] == pytest.approx(400, rel=0.01)
    assert manifest["accuracy"]["unit"] == "km"
    assert any("journey" in line for line in manifest["guarantee"]["uncovered"])


def test_geojson_round_trip(visits: Path, tmp_path: Path) -> None:
    run(places, visits, "--format", "geojson", "--keep", "who", "-o", tmp_path / "one")
    path = tmp_path / "one" / "data.geojson"
    collection = json.loads(path.read_text())
    assert [f["properties"]["who"] for f in collection["features"]] == [
        "ann",
        "ben",
        "ann",
    ]
    run(places, path, "--keep", "who", "-o", tmp_path / "two")
    again = json.loads((tmp_path / "two" / "data.geojson").read_text())
    assert len(again["features"]) == 3
    assert again["features"][0]["geometry"]["type"] == "Point"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("{}", "FeatureCollection"),
        ("[", "FeatureCollection"),
        ('{"features": [3]}', "feature 1"),
        ('{"features": [{"geometry": {"type": "Line"}}]}', "feature 1 is not a point"),
        ('{"features": []}', "no rows"),
    ],
)
def test_bad_geojson_is_refused(content: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "bad.geojson"
    path.write_text(content)
    with pytest.raises(PubliusError, match=message):
        run(places, path, "-o", tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_points_of_interest(visits: Path, tmp_path: Path) -> None:
    points = tmp_path / "points.csv"
    points.write_text("lat,lon,name\n52,13,berlin\n-90,0,pole\n0,180,dateline\n")
    out = tmp_path / "out"
    run(places, visits, "--points", points, "--level", 20, "-o", out)
    names = [line.split(",")[2] for line in (out / "data.csv").read_text().splitlines()]
    assert names == ['"point"', '"berlin"', '"pole"', '"dateline"']


def test_the_input_is_no_table_of_public_points(visits: Path, tmp_path: Path) -> None:
    link = tmp_path / "link.csv"
    link.symlink_to(visits)
    with pytest.raises(ParameterError, match="public places, and this is the input"):
        run(places, visits, "--points", link, "-o", tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_points_without_names_are_numbered(visits: Path, tmp_path: Path) -> None:
    points = tmp_path / "points.csv"
    points.write_text("lat,lon\n52,13\n")
    run(places, visits, "--points", points, "-o", tmp_path / "out")
    assert '"1"' in (tmp_path / "out" / "data.csv").read_text()


def test_originals_are_drawn_only_on_request(
    visits: Path, sleep: Path, tmp_path: Path
) -> None:
    run(places, visits, "--show-before", "-o", tmp_path / "one")
    run(times, sleep, "--column", "wake", "--show-before", "-o", tmp_path / "two")
    run(places, visits, "-o", tmp_path / "three")
    for name in ("one", "two", "three"):
        page = (tmp_path / name / "report.html").read_text()
        assert "original" not in page.split("<svg")[1]
        assert "Do not publish the report" not in page
    for name in ("one", "two"):
        private = tmp_path / name / "report-private.html"
        assert private.stat().st_mode & 0o077 == 0
        assert "original" in private.read_text().split("<svg")[1]
        assert "Do not publish the report" in private.read_text()
    assert not (tmp_path / "three" / "report-private.html").exists()


@pytest.mark.parametrize("kind", ["jsonl", "parquet"])
def test_lists_are_refused_with_one_clear_line(tmp_path: Path, kind: str) -> None:
    rows = {"at": [["10:30"]], "lat": [[52.0]], "lon": [13.0], "who": [["a"]]}
    rows["time"] = ["10:30"]
    path = tmp_path / f"in.{kind}"
    if kind == "parquet":
        parquet.write_table(pa.table(rows), path)
    else:
        path.write_text(json.dumps({k: v[0] for k, v in rows.items()}) + "\n")
    asked = [
        (times, "--column", "at"),
        (times, "--column", "time", "--user", "who"),
        (places, "--lat", "lat", "--lon", "lon"),
    ]
    for number, (command, *options) in enumerate(asked):
        with pytest.raises(DataError, match=r"must hold one (value|name) per row"):
            run(command, path, *options, "-o", tmp_path / str(number))


def test_standard_input_is_csv(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    stdin = io.TextIOWrapper(io.BytesIO(TIMES.encode()))
    monkeypatch.setattr("sys.stdin", stdin)
    run(times, "-", "--column", "wake", "-o", tmp_path / "out")
    assert (tmp_path / "out" / "data.csv").exists()


@pytest.mark.parametrize(
    "arguments",
    [
        ["--level", "0"],
        ["--level", "nan"],
        ["--radius", "fast"],
        ["--period", "-3h"],
        ["--resolution", "7min"],
        ["--period", "week"],
        ["--keep", "wake"],
        ["--format", "geojson"],
    ],
)
def test_bad_settings_are_refused(arguments: Any, sleep: Path, tmp_path: Path) -> None:
    with pytest.raises(PubliusError):
        run(times, sleep, "--column", "wake", *arguments, "-o", tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_json_is_the_manifest(
    sleep: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run(times, sleep, "--column", "wake", "--json", "-o", tmp_path / "out")
    told = json.loads(capsys.readouterr().out)
    assert told == json.loads((tmp_path / "out" / "manifest.json").read_text())
    assert math.isfinite(told["losses"]["worst_pair"])


def test_places_tell_what_they_guarantee(
    visits: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run(places, visits, "--mechanism", "vmf", "--json", "-o", tmp_path / "out")
    told = json.loads(capsys.readouterr().out)
    assert told["mechanism"] == "vmf.v1"
    assert told["guarantee"]["terms"][0]["kind"] == "chordal"


def test_interrupted_run_is_resumed_without_drawing_twice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, out = tmp_path / "long.csv", tmp_path / "out"
    path.write_text("t,who\n" + "06:30,ann\n" * 140_000)
    commit = ReleaseFolder.commit
    seen: list[bytes] = []

    def stop_after_one(self: Any, number: int, table: pa.Table, counts: Any) -> None:
        if number == 1:
            raise KeyboardInterrupt
        commit(self, number, table, counts)
        seen.append(table.column("t").to_pylist())

    monkeypatch.setattr(ReleaseFolder, "commit", stop_after_one)
    asked = (times, path, "--column", "t", "--user", "who", "-o", out)
    with pytest.raises((KeyboardInterrupt, click.Abort)):
        run(*asked)
    monkeypatch.undo()
    assert not (out / "data.csv").exists()
    with pytest.raises(OutputError, match="unfinished"):
        run(*asked)
    run(*asked, "--resume", "--show-before")
    rows = (out / "data.csv").read_text().splitlines()[1:]
    assert len(rows) == 140_000
    assert [row.strip('"') for row in rows[: len(seen[0])]] == seen[0]
    manifest = json.loads((out / "manifest.json").read_text())
    assert manifest["counts"] == {"rows": 140_000, "busiest_person": 140_000}
    assert "loses" in (out / "report.html").read_text()


def test_dates_need_a_longer_period(tmp_path: Path) -> None:
    path = tmp_path / "d.parquet"
    days = pa.array([18_000, 18_001], pa.date32())
    parquet.write_table(pa.table({"d": days}), path)
    with pytest.raises(PubliusError, match="week or year"):
        run(times, path, "--column", "d", "-o", tmp_path / "one")
    for period in ("week", "year"):
        out = tmp_path / period
        run(
            times,
            path,
            "--column",
            "d",
            "--period",
            period,
            "--radius",
            "1d",
            "-o",
            out,
        )
        found = parquet.read_table(out / "data.parquet").column("d").to_pylist()
        assert all(len(day) == (3 if period == "week" else 5) for day in found)


def test_impossible_places_settings_are_refused(visits: Path, tmp_path: Path) -> None:
    points = tmp_path / "none.csv"
    points.write_text("lat,lon\n")
    for arguments in (
        ["--lat", "lon"],
        ["--points", points],
        ["--points", tmp_path / "missing.csv"],
        ["--radius", "0.0001m", "--level", "1000"],
    ):
        with pytest.raises(PubliusError):
            run(places, visits, *arguments, "-o", tmp_path / "out")
    points.write_text("lat,lon\n1,2\n")
    with pytest.raises(PubliusError, match="point"):
        run(
            places,
            visits,
            "--points",
            points,
            "--keep",
            "point",
            "-o",
            tmp_path / "out",
        )


def test_all_cells_missing_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "gaps.csv"
    path.write_text("lat,lon\n1,\n,2\n")
    with pytest.raises(PubliusError, match="no rows"):
        run(places, path, "--missing", "drop", "-o", tmp_path / "out")


def test_geojson_properties_of_two_kinds_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "mixed.geojson"
    feature = '{"type":"Feature","geometry":{"type":"Point","coordinates":[1,2]},'
    path.write_text(
        '{"features":[' + feature + '"properties":{"a":1}},'
        + feature + '"properties":{"a":"x"}},{"geometry":null}]}'
    )  # fmt: skip
    with pytest.raises(PubliusError, match="one kind"):
        run(places, path, "--keep", "a", "-o", tmp_path / "out")
    run(places, path, "--missing", "drop", "-o", tmp_path / "two")
    assert len(json.loads((tmp_path / "two/data.geojson").read_text())["features"]) == 2


def test_high_levels_are_warned_of(sleep: Path, tmp_path: Path) -> None:
    run(
        times,
        sleep,
        "--column",
        "wake",
        "--level",
        20,
        "--user",
        "who",
        "-o",
        tmp_path / "out",
    )
    report = (tmp_path / "out" / "report.html").read_text()
    assert "protects little" in report
    assert "One person has 2 records" in report


@pytest.mark.parametrize("radius", ["15min", "20min", "30min", "40min"])
def test_rounding_is_paid_for(radius: str, sleep: Path, tmp_path: Path) -> None:
    """Times within the radius may be rounded further apart; the level must hold."""
    settings = TimeSettings(level=1.0, radius=seconds(radius), resolution=900)
    clock = Clock(resolution=900)
    guarantee = TimeSanitizer(clock, settings.law(clock)).guarantee()
    minutes = [f"{m // 60:02d}:{m % 60:02d}" for m in range(600, 700)]
    apart = seconds(radius) // 60
    steps = clock.read(minutes)
    most = max(abs(int(steps[i + apart] - steps[i])) for i in range(100 - apart))
    assert guarantee.at(most).pure <= 1 + 1e-9
    run(times, sleep, "--column", "wake", "--resolution", "15min", "--radius", radius,
        "-o", tmp_path / "out")  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize(
    ("command", "cells", "options"),
    [
        (times, "t\n" + "06:30\n" * 140_000, ("--column", "t")),
        (places, "lat,lon\n" + "52.5,13.4\n" * 140_000, ()),
    ],
)
def test_any_number_of_workers_gives_the_same_rows(
    command: Any, cells: str, options: Any, tmp_path: Path
) -> None:
    path = tmp_path / "long.csv"
    path.write_text(cells)
    for workers in (1, 2):
        asked = (path, *options, "--seed", 3, "--workers", workers)
        run(command, *asked, "-o", tmp_path / str(workers))
    one, two = ((tmp_path / n / "data.csv").read_bytes() for n in ("1", "2"))
    assert one == two


def test_a_cancelled_release_can_be_resumed_as_after_ctrl_c(tmp_path: Path) -> None:
    path, out = tmp_path / "long.csv", tmp_path / "out"
    path.write_text("t\n" + "06:30\n" * 140_000)
    done: list[int] = []
    watch = Watch(
        rows=lambda rows, _: done.append(rows), is_cancelled=lambda: any(done)
    )
    request = ReleaseRequest(
        str(path),
        out,
        Columns(("t",)),
        TimeSettings(level=1.0, radius=1800),
        format="same",
    )
    with pytest.raises(CancelledError, match="--resume"):
        release(request, watch)
    assert [entry.name for entry in out.iterdir()] == [".partial"]
    assert release(replace(request, resume=True)).facts.rows == 140_000


def test_a_law_that_moves_places_far_is_told_before_it_draws(
    publius: Any, tmp_path: Path
) -> None:
    (tmp_path / "in.csv").write_text("lat,lon\n51.5,0.1\n")
    asked = ("places", "in.csv", "--seed", 1, "--mechanism", "vmf")
    told = publius(*asked, "-o", "a").err
    assert "moves places by 44.7 km on average" in told
    assert "moves them by 400 m" in told
    assert "moves" not in publius(*asked, "-o", "b", "--radius", "5000km").err
