"""The three jobs in a real browser, with a mouse, a keyboard and ill will."""

from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.browser

TEXT = (
    "However, the old doctor came to London -- as he always did -- in the winter of "
    "1987!!  Nobody knew why; nobody asked him about Margaret, nor about the house."
)
SCRIPT = "<script>document.title='broken'</script>"


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """Return a table with a column whose name is a script."""
    path = tmp_path / "reviews.csv"
    rows = "".join(f"the old house by the river {i},ann\n" for i in range(2000))
    path.write_text(f"body,{SCRIPT}\n{rows}", "utf-8")
    return path


def test_write_from_a_text_to_its_release(watched: Any) -> None:
    page = watched.page
    assert "token" not in page.url
    page.fill("#text", TEXT)
    page.wait_for_selector(".sides")
    page.locator("[data-word=doctor]").hover()
    page.wait_for_selector("text=What becomes of “doctor”")
    page.click("text=Drop layout >> nth=-1")
    assert page.is_checked("#plain")
    page.click("text=Draw the release")
    page.wait_for_selector("#released-text")
    with page.expect_download() as download:
        page.click("a:has-text('Download')")
    assert Path(download.value.path()).read_text("utf-8")
    page.click("text=Draw the release")
    page.wait_for_selector("text=This is draw 2")
    assert "doctor" not in page.url
    watched.check()
    assert watched.axe() == []


def test_write_by_keyboard_alone(watched: Any) -> None:
    page = watched.page
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    for _ in range(20):
        if page.evaluate("document.activeElement.id") == "text":
            break
        page.keyboard.press("Tab")
    page.keyboard.insert_text(TEXT)
    page.wait_for_selector(".sides")
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.id") == "step"
    before = page.get_attribute("#step", "aria-valuetext")
    page.keyboard.press("ArrowLeft")
    assert page.get_attribute("#step", "aria-valuetext") != before
    page.wait_for_selector("text=ε = 3.5")
    for _ in range(4):
        page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.classList.contains('word')")
    first = page.evaluate("document.activeElement.dataset.word")
    page.keyboard.press("ArrowRight")
    assert page.evaluate("document.activeElement.dataset.word") != first
    page.wait_for_selector(".law")
    watched.check()


def test_explore_a_word(watched: Any) -> None:
    page = watched.page
    page.click("text=Explore")
    page.fill("#explain-vocabulary", "500")
    page.fill("#explain-word", "house")
    page.click("button:has-text('Explain a word')")
    page.wait_for_selector("#explain-answer svg")
    with page.expect_download() as download:
        page.click("#explain-answer >> text=as JSON")
    assert '"word": "house"' in Path(download.value.path()).read_text("utf-8")
    page.fill("#explain-word", "zzzzqqq")
    page.click("button:has-text('Explain a word')")
    page.wait_for_selector("#explain-answer [role=alert]")
    watched.check()
    assert watched.axe() == []


def test_release_a_table_through_a_reload(watched: Any, table: Path) -> None:
    page = watched.page
    page.click("nav >> text=Release")
    assert watched.axe() == []
    page.set_input_files("#file", table)
    page.click("text=Read its columns")
    page.wait_for_selector("#c-text")
    assert "the old house" not in page.content()
    page.select_option("#c-text", "body")
    page.wait_for_selector("#meaning p")
    assert watched.axe() == []
    page.click("button:has-text('Release texts')")
    page.wait_for_url("**/release/jobs/*")
    page.reload()
    page.wait_for_selector("text=Done: 2,000 rows")
    report = page.frame_locator("iframe").locator("h1")
    assert report.text_content()
    assert page.title() == "Release – Publius studio"
    with page.expect_download() as download:
        page.click("text=Download all")
    assert Path(download.value.path()).read_bytes().startswith(b"PK")
    watched.check()
    assert watched.axe() == []


def test_two_tabs_share_a_session_and_a_stranger_has_none(
    watched: Any, studio: Any, chromium: Any
) -> None:
    second = watched.context.new_page()
    second.goto(studio.home)
    second.wait_for_selector("#text")
    stranger = chromium.new_context().new_page()
    stranger.goto(studio.address)
    stranger.wait_for_selector("text=Unauthorized")
    stranger.context.close()


def test_a_killed_studio_is_told_and_does_not_know_old_cookies(
    watched: Any, studio: Any
) -> None:
    page, port = watched.page, int(studio.home.rpartition(":")[2])
    studio.stop()
    page.fill("#text", TEXT)
    page.wait_for_selector("#alert:has-text('does not answer')")
    again = type(studio)(port)
    try:
        page.goto(again.home)
        page.wait_for_selector("text=Unauthorized")
        page.goto(again.address)
        page.wait_for_selector("#text")
    finally:
        again.stop()


def test_a_large_upload_is_taken(watched: Any, tmp_path: Path) -> None:
    path = tmp_path / "large.csv"
    line = "the old house by the river " * 40 + ",ann\n"
    path.write_text("body,user\n" + line * (50_000_000 // len(line)), "utf-8")
    page = watched.page
    page.goto(page.url + "release")
    # Larger than what the driver would copy; the browser reads it from the disk.
    page.set_input_files("#file", str(path))
    page.click("text=Read its columns")
    page.wait_for_selector("#c-text")
    watched.check()


@pytest.mark.parametrize("width", [400, 1280])
def test_no_page_is_wider_than_the_window(watched: Any, width: int) -> None:
    page = watched.page
    page.set_viewport_size({"width": width, "height": 800})
    home = page.url
    for path in ("", "explore", "release"):
        page.goto(home + path)
        if not path:
            page.fill("#text", TEXT)
            page.wait_for_selector(".sides")
        assert page.evaluate("document.documentElement.scrollWidth") <= width
