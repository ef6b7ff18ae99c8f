"""A steward with a table, from the file to the released folder."""

import csv
import io
import zipfile
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.browser

SCRIPT = "<script>document.title='broken'</script>"


@pytest.fixture
def reviews(tmp_path: Path) -> Path:
    """Return a table with a column whose name is a script."""
    path = tmp_path / "reviews.csv"
    rows = "".join(f"the old house by the river {i},u{i % 9}\n" for i in range(2000))
    path.write_text(f"body,{SCRIPT}\n{rows}", "utf-8")
    return path


@pytest.fixture
def visits(tmp_path: Path) -> Path:
    """Return times and places."""
    path = tmp_path / "visits.csv"
    rows = "".join(
        f"u{i % 5},{47 + i % 7 / 3:.3f},{8 + i % 11 / 2:.3f},{i % 24:02d}:15\n"
        for i in range(200)
    )
    path.write_text(f"who,lat,lon,wake\n{rows}", "utf-8")
    return path


def choose(watched: Any, path: Path) -> Any:
    """Open the page and read the columns of a file."""
    page = watched.page
    page.goto(watched.studio.home + "/release")
    # The browser reads the file from the disk, however large it is.
    page.set_input_files("#file", str(path))
    page.click("text=Read its columns")
    page.wait_for_selector("#release-text")
    return page


def test_texts_through_a_reload(watched: Any, reviews: Path) -> None:
    page = choose(watched, reviews)
    assert "the old house" not in page.content()
    page.select_option("#release-text", "body")
    page.select_option("#release-author", SCRIPT)
    page.wait_for_selector("#meaning table")
    page.click("text=Who loses most? >> nth=0")
    page.wait_for_selector("#losers-release table")
    assert "among 9 in 2,000 rows" in page.inner_text("#losers-release")
    assert watched.axe() == []
    page.click("button:has-text('Release texts')")
    page.wait_for_url("**/release/jobs/*")
    page.reload()
    page.wait_for_selector("text=Done: 2,000 rows")
    assert page.frame_locator("iframe").locator("h1").text_content()
    assert page.title() == "Release – Publius studio"
    with zipfile.ZipFile(io.BytesIO(watched.downloaded("text=Download all"))) as files:
        assert {"data.csv", "report.html", "manifest.json"} <= set(files.namelist())
    assert "publius release TABLE.csv --text body" in page.inner_text("pre")
    assert b'verb = "release"' in watched.downloaded("text=Save as publius.toml")
    watched.check()
    assert watched.axe() == []


def test_cancel_and_resume(watched: Any, tmp_path: Path) -> None:
    path = tmp_path / "long.csv"
    line = "the old house by the river and the doctor of the village " * 20
    path.write_text("body\n" + f"{line}\n" * 6000, "utf-8")
    page = choose(watched, path)
    page.click("button:has-text('Release texts')")
    page.wait_for_url("**/release/jobs/*")
    page.click("text=Cancel")
    page.wait_for_selector("text=Stopped")
    page.click("text=Resume")
    page.wait_for_selector("text=Done: 6,000 rows")
    watched.check()


def test_times_on_a_circle(watched: Any, visits: Path) -> None:
    page = choose(watched, visits)
    page.click("summary:has-text('Release times')")
    page.click("text=Show them on a circle")
    page.wait_for_selector("#picture-times [role=alert]")
    page.select_option("#times-column", "wake")
    page.select_option("#times-user", "who")
    page.click("text=Show them on a circle")
    page.wait_for_selector("#picture-times svg")
    page.click("details[open] button:has-text('Who loses most?')")
    page.wait_for_selector("#losers-times table")
    page.click("button:has-text('Release times')")
    page.wait_for_selector("text=Done: 200 rows")
    page.wait_for_selector(".pictures svg >> nth=1")
    assert "for your eyes only" in page.inner_text(".pictures")
    rows = watched.downloaded("a:has-text('data.csv')").decode()
    assert len(list(csv.DictReader(io.StringIO(rows)))) == 200
    watched.check()
    assert watched.axe() == []


def test_places_on_a_map(watched: Any, visits: Path) -> None:
    page = choose(watched, visits)
    page.click("summary:has-text('Release places')")
    page.select_option("#places-lat", "lat")
    page.select_option("#places-lon", "lon")
    page.click("text=Show them on a map")
    page.wait_for_selector("#picture-places svg")
    assert page.get_attribute("#picture-places .land", "d")  # outlines, no tiles
    assert page.locator("#picture-places .spot").count() > 50
    page.click("button:has-text('Release places')")
    page.wait_for_selector("text=Done: 200 rows")
    page.wait_for_selector(".pictures svg >> nth=1")
    assert page.locator("img").count() == 0
    watched.check()
    assert watched.axe() == []


def test_sentences_are_rewritten(watched: Any, tmp_path: Path) -> None:
    path = tmp_path / "few.csv"
    path.write_text("body\nThe old house was good.\nWe came home.\n", "utf-8")
    page = choose(watched, path)
    page.click("summary:has-text('rewritten sentences')")
    page.select_option("#rewrite-text", "body")
    page.click("button:has-text('Release rewritten sentences')")
    page.wait_for_selector("text=Done: 2 rows")
    assert "--mechanism dp-vae --sigma 1" in page.inner_text("pre")
    watched.check()


def test_a_retold_release_is_made_or_said_to_be_missing(
    watched: Any, tmp_path: Path
) -> None:
    path = tmp_path / "few.csv"
    path.write_text("body\nThe old house was good.\n", "utf-8")
    page = choose(watched, path)
    page.click("summary:has-text('retold texts')")
    page.click("button:has-text('Release retold texts')")
    page.wait_for_selector(
        "#state:has-text('Done: 1 rows'), #state [role=alert], "
        "#start-retell-table [role=alert]"
    )
    watched.check()


def test_a_large_upload_is_taken(watched: Any, tmp_path: Path) -> None:
    path = tmp_path / "large.csv"
    line = "the old house by the river " * 40 + ",ann\n"
    path.write_text("body,user\n" + line * (50_000_000 // len(line)), "utf-8")
    page = choose(watched, path)
    assert page.locator("#release-text option").count() == 3
    watched.check()


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.exe", "x"),
        ("a.csv", ""),
        ("a.csv", "a,a\n1,2\n"),
        ("a.jsonl", "not json\n"),
        ("a.jsonl", "[1]\n"),
        ("a.parquet", "not parquet"),
        ("a.csv", "\udcff\udcfe"),
    ],
)
def test_a_bad_file_is_told(
    watched: Any, tmp_path: Path, name: str, content: str
) -> None:
    path = tmp_path / name
    path.write_text(content, "utf-8", errors="surrogateescape")
    page = watched.page
    page.goto(watched.studio.home + "/release")
    page.set_input_files("#file", path)
    page.click("text=Read its columns")
    page.wait_for_selector("#columns [role=alert]")
    assert str(tmp_path) not in page.content()
    watched.check()


@pytest.mark.parametrize(
    ("chosen", "column"), [("release", "who"), ("places", "who"), ("times", "who")]
)
def test_a_bad_choice_is_told(
    watched: Any, visits: Path, chosen: str, column: str
) -> None:
    page = choose(watched, visits)
    page.click(f"summary:has-text('Release {chosen.replace('release', 'texts')}')")
    if chosen == "release":
        page.click("summary:has-text('Release texts')")
        page.select_option("#release-text", column)
        page.locator("[name=keep][value=who]").first.check()
    elif chosen == "places":
        page.select_option("#places-lat", column)
        page.select_option("#places-lon", "lon")
    else:
        page.select_option("#times-column", column)
    page.locator("details[open] .primary").click()
    page.wait_for_selector(f"#start-{chosen} [role=alert], #state [role=alert]")
    assert "u1" not in page.inner_text("[role=alert]:visible")
    watched.check()


def test_by_keyboard_alone(watched: Any, visits: Path) -> None:
    page = choose(watched, visits)
    page.focus("#release-text")
    page.keyboard.press("Escape")
    for _ in range(40):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.innerText") == "Release times":
            break
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.id") == "times-column"
    page.keyboard.type("wake")
    for _ in range(30):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.className") == "primary":
            break
    page.keyboard.press("Enter")
    page.wait_for_selector("text=Done: 200 rows")
    watched.check()
