"""Every page: for everybody, in light and dark, from a phone to a large screen."""

from typing import Any

import pytest
from tests.browser.conftest import AXE, Studio

pytestmark = pytest.mark.browser

PAGES = ("", "/release", "/explore")
TEXT = (
    "However, the old doctor came to London -- as he always did -- in winter, alone; "
)


def opened(watched: Any, path: str) -> Any:
    """Open a page with something on it."""
    page = watched.page
    page.goto(watched.studio.home + path)
    if not path:
        page.fill("#text", TEXT * 3)
        page.wait_for_selector(".sides")
        page.locator(".word").first.hover()
        page.wait_for_selector("#word .law")
    return page


@pytest.mark.parametrize("path", PAGES)
def test_axe_finds_nothing(watched: Any, path: str) -> None:
    opened(watched, path)
    assert watched.axe() == []
    watched.check()


def test_axe_finds_nothing_on_a_refusal(chromium: Any, studio: Studio) -> None:
    context = chromium.new_context()
    page = context.new_page()
    page.goto(studio.home)
    page.evaluate(AXE.read_text("utf-8"))
    assert page.evaluate("axe.run(document)")["violations"] == []
    context.close()


@pytest.mark.parametrize("width", [400, 1280, 3840])
def test_no_page_is_wider_than_the_window(watched: Any, width: int) -> None:
    watched.page.set_viewport_size({"width": width, "height": 900})
    for path in PAGES:
        page = opened(watched, path)
        assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_type_grows_on_a_large_screen(watched: Any) -> None:
    size = "parseFloat(getComputedStyle(document.body).fontSize)"
    small = watched.page.evaluate(size)
    watched.page.set_viewport_size({"width": 3840, "height": 2160})
    assert watched.page.evaluate(size) > small


def test_nothing_moves_for_those_who_ask(watched: Any) -> None:
    page = watched.page
    moving = "getComputedStyle(document.querySelector('button')).transitionDuration"
    page.emulate_media(reduced_motion="no-preference")
    assert page.evaluate(moving) != "0s"
    page.emulate_media(reduced_motion="reduce")
    assert page.evaluate(moving) == "0s"


def test_the_pages_are_small_and_ask_nobody(watched: Any, studio: Studio) -> None:
    page, sizes = watched.page, {}
    page.on("response", lambda r: sizes.setdefault(r.url, len(r.body())))
    for path in PAGES:
        page.goto(studio.home + path)
        page.wait_for_load_state("networkidle")
    assert sum(sizes.values()) < 300_000
    watched.check()
