"""What a steward sees before and after: who loses most, circles, maps, the command."""

import io
import re
import shlex
import zipfile
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from starlette.testclient import TestClient

from publius.cli.run_command import command as run_job
from publius.reporting.rendering import PRIVATE_REPORT
from publius.studio.jobs import Job, State
from publius.studio.maps import View, outlines, place_map
from publius.studio.release import zipped

VISITS = "who,lat,lon,wake,body\n" + "".join(
    f"Annabel{i % 3},{47 + i % 7},{8 + i % 5},{i % 24:02d}:15,the old house {i}\n"
    for i in range(30)
)


def uploaded(browser: TestClient) -> str:
    """Send the table; return its number."""
    sent = {"file": ("visits.csv", VISITS.encode())}
    text = browser.post("/release/file", files=sent).text
    return text.partition('name="file" value="')[2].partition('"')[0]


TEXTS = {"material": "release", "text": "body", "author": "who", "epsilon": "4"}
TIMES = {"material": "times", "column": "wake", "user": "who", "level": "1",
         "radius": "30min", "period": "24h"}  # fmt: skip
PLACES = {"material": "places", "lat": "lat", "lon": "lon", "level": "1",
          "radius": "2km", "user": "who"}  # fmt: skip


@pytest.mark.parametrize("given", [TEXTS, TIMES, PLACES])
def test_those_who_lose_most_are_told_masked(
    browser: TestClient, given: dict[str, str]
) -> None:
    shown = browser.post("/release/losers", data={"file": uploaded(browser), **given})
    assert "among 3 in 30 rows" in shown.text
    assert "first in row 1" in shown.text
    assert "Annabel" not in shown.text


@pytest.mark.parametrize(
    "given", [{"material": "rewrite", "author": "who"}, {"material": "times"}]
)
def test_what_cannot_be_added_up_is_told(
    browser: TestClient, given: dict[str, str]
) -> None:
    shown = browser.post("/release/losers", data={"file": uploaded(browser), **given})
    assert 'role="alert"' in shown.text


@pytest.mark.slow
def test_what_an_epsilon_means_is_measured_on_public_words(browser: TestClient) -> None:
    given = {"epsilon": "2.75", "mechanism": "exponential"}
    shown = browser.post("/release/meaning", data=given)
    assert "<table" in shown.text
    assert "2.75" in shown.text
    refused = browser.post("/release/meaning", data={**given, "epsilon": "much"})
    assert "epsilon must be a number" in refused.text


def test_times_are_drawn_on_a_circle(browser: TestClient) -> None:
    shown = browser.post("/release/picture", data={"file": uploaded(browser), **TIMES})
    assert shown.text.count("<polygon") == 24
    assert "for your eyes only" in shown.text


def test_places_are_drawn_on_land(browser: TestClient) -> None:
    shown = browser.post("/release/picture", data={"file": uploaded(browser), **PLACES})
    assert 'class="land" d="M' in shown.text
    assert shown.text.count('class="spot"') == 30
    assert "href" not in shown.text


@pytest.mark.parametrize(
    ("lat", "lon"),
    [([], []), ([0.0], [0.0]), ([-89.0, 89.0], [-179.0, 179.0]), ([78.0], [-179.9])],
)
def test_any_part_of_the_world_can_be_drawn(lat: list[float], lon: list[float]) -> None:
    north, east = np.array(lat), np.array(lon)
    drawn = str(place_map(north, east, View.around(north, east), "x"))
    spots = re.findall(r'cx="([\d.]+)" cy="([\d.]+)"', drawn)
    assert len(spots) == len(lat)
    assert all(0 <= float(x) <= 640 for x, _ in spots)
    assert "nan" not in drawn
    assert len(drawn) < 400_000


def test_outlines_are_degrees() -> None:
    for lines in outlines().values():
        for line in lines:
            assert np.abs(line[:, 0]).max() <= 180.01
            assert np.abs(line[:, 1]).max() <= 90.01


@pytest.mark.parametrize("material", ["release", "rewrite", "times", "places"])
def test_the_saved_job_is_one_that_publius_runs(
    browser: TestClient, tmp_path: Path, material: str
) -> None:
    asked = {"rewrite": {"material": "rewrite", "text": "body"}, "release": TEXTS,
             "times": TIMES, "places": PLACES}[material]  # fmt: skip
    given = {"file": uploaded(browser), "keep": "who", **asked}
    given = {k: v for k, v in given.items() if k not in ("author", "user")}
    path = browser.post("/release/start", data=given).headers["hx-redirect"]
    text = browser.get(f"{path}/publius.toml").text
    (tmp_path / "publius.toml").write_text(text, "utf-8")
    run = CliRunner().invoke(run_job, [str(tmp_path), "--dry-run"])
    assert run.exit_code == 0, run.output
    whole = browser.get(path).text
    shown = shlex.split(re.search("<pre>(.*)</pre>", whole)[1])  # type: ignore[index]
    assert set(shown) - {"-o"} == set(shlex.split(run.output)) - {"--out", "--"}


def test_a_private_report_is_not_packed_with_what_may_be_published(
    tmp_path: Path,
) -> None:
    for name in ("data.csv", "report.html", PRIVATE_REPORT):
        (tmp_path / name).write_text("a")
    job = Job("release", folder=tmp_path, state=State.DONE)
    with zipfile.ZipFile(io.BytesIO(zipped(job))) as archive:
        assert archive.namelist() == ["data.csv", "report.html"]


def test_a_name_of_a_column_is_seen_and_can_be_chosen(browser: TestClient) -> None:
    name = "who\x1b\u202eis"
    sent = {"file": ("in.csv", f"body,{name}\nthe old house,x\n".encode())}
    text = browser.post("/release/file", files=sent).text
    assert f'<option value="{name}">who��is</option>' in text
    assert f'name="keep" value="{name}"> who��is<' in text
    shown = re.sub(r'value="[^"]*"', "", text)
    assert not set(shown) & set("\x1b\u202e")
