"""publius linkage on the command line."""

import json
from pathlib import Path

import pytest

from publius.cli.frame import run


@pytest.fixture
def table(tmp_path: Path) -> Path:
    rows = [
        f"u{p},{40 + p / 5 + t % 2 / 50},-74,{40 + p / 5},-74"
        for p in range(12)
        for t in range(8)
    ]
    path = tmp_path / "v.csv"
    path.write_text("id,lat,lon,x,y\n" + "\n".join(rows) + "\n", "utf-8")
    return path


def test_linkage_reports_all_attackers(
    table: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code = run(["linkage", str(table), "--user", "id", "--released", "x,y", "--json"])
    assert code == 0
    found = json.loads(capsys.readouterr().out)
    kinds = [(row["target"], row["knowledge"]) for row in found["attacks"]]
    assert kinds == [
        ("original", "static"), ("released", "adaptive"), ("released", "static"),
    ]  # fmt: skip
    assert found["candidates"] == 12
    assert found["attacks"][1]["accuracy"]["value"] == 1.0
    assert found["attacks"][1]["chance"] == pytest.approx(1 / 12)


def test_linkage_tells_people_without_naming_them(
    table: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["linkage", str(table), "--user", "id", "--released", "x,y"]
    assert run([*arguments, "--static"]) == 0
    out = capsys.readouterr().out
    assert "12 journeys of 12 people" in out
    assert "u3" not in out


def test_rows_that_were_left_out_are_joined_by_their_id(
    table: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = table.read_text("utf-8").splitlines()
    whole = [f"{lines[0]},row", *(f"{x},{i}" for i, x in enumerate(lines[1:]))]
    table.write_text("\n".join(whole) + "\n", "utf-8")
    out = tmp_path / "out"
    asked = ["places", str(table), "--user", "id", "--trajectories", "4"]
    asked += ["--keep", "row", "--level", "400", "-o", str(out)]
    assert run(asked) == 0
    capsys.readouterr()
    linking = ["linkage", str(table), "--user", "id", "--released", str(out)]
    assert run(linking) == 1
    assert "same rows" in capsys.readouterr().err
    assert run([*linking, "--id", "row", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["known"] == 12 * 4  # also those that were not released
    assert found["records"] == 12 * 4 + 12 * 2
    assert found["attacks"][1]["accuracy"]["value"] == 1.0
    assert run([*linking, "--id", "lat"]) == 1
