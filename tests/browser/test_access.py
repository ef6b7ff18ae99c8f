"""Who may come in, seen from a browser: strangers, foreign pages, crashes."""

import http.server
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.browser.conftest import FOREIGN, Studio, Watched

pytestmark = pytest.mark.browser

TEXT = "The old doctor came to London in the winter and nobody asked him why."
ATTACK = """async ([address, mode]) => {
  try {
    const answer = await fetch(address, {method: 'POST', mode, credentials: 'include',
      headers: {'Content-Type': 'text/plain'}, body: '{"text": "x"}'});
    return answer.type === 'opaque' ? 'opaque' : answer.status;
  } catch { return 'refused'; }
}"""


@pytest.fixture
def stranger(chromium: Any) -> Iterator[Any]:
    """Return a page of a browser that nobody let in."""
    context = chromium.new_context()
    yield context.new_page()
    context.close()


@pytest.fixture
def elsewhere() -> Iterator[int]:
    """Return the port of another server on this machine."""
    server = http.server.ThreadingHTTPServer(
        ("127.0.0.1", 0), http.server.BaseHTTPRequestHandler
    )
    server.RequestHandlerClass = _Empty
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield server.server_address[1]
    server.shutdown()
    thread.join()
    server.server_close()


class _Empty(http.server.BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(b"<!doctype html><title>elsewhere</title>")

    def log_message(self, *_: object) -> None:  # type: ignore[override]
        """Stay silent."""


def test_without_the_token_nothing_is_shown(stranger: Any, studio: Studio) -> None:
    for path in ("", "/release", "/explore", "/v1/jobs", "/?token=x"):
        answer = stranger.goto(studio.home + path)
        assert answer.status == 401
    stranger.wait_for_selector("text=Unauthorized")


def test_the_address_works_once(watched: Any, stranger: Any, studio: Studio) -> None:
    assert watched.page.url == studio.home + "/"
    assert stranger.goto(studio.address).status == 401


def test_the_token_is_in_no_history_and_no_referrer(watched: Any) -> None:
    page = watched.page
    assert "token" not in page.url
    assert page.evaluate("document.referrer") == ""
    # The address that was opened is replaced by the page it leads to.
    assert (
        page.evaluate("performance.getEntriesByType('navigation')[0].name").count(
            "token"
        )
        <= 1
    )
    assert not page.evaluate("document.cookie")  # scripts cannot read it


def test_a_rebound_name_is_refused(watched: Any, studio: Studio) -> None:
    answer = watched.page.goto(f"http://{FOREIGN}:{studio.port}/")
    assert answer.status == 421


@pytest.mark.parametrize("name", [FOREIGN, "127.0.0.1"])
@pytest.mark.parametrize("mode", ["cors", "no-cors"])
def test_a_foreign_page_cannot_use_the_cookie(
    watched: Any, studio: Studio, elsewhere: int, name: str, mode: str
) -> None:
    page = watched.page
    refused: list[int] = []
    page.on("response", lambda r: refused.append(r.status) if "/v1/" in r.url else None)
    page.goto(f"http://{name}:{elsewhere}/")
    told = page.evaluate(ATTACK, [f"{studio.home}/v1/try", mode])
    assert told in ("refused", "opaque")
    assert set(refused) <= {401, 403}


def test_a_foreign_form_and_frame_are_refused(
    watched: Any, studio: Studio, elsewhere: int
) -> None:
    page = watched.page
    page.goto(f"http://{FOREIGN}:{elsewhere}/")
    page.evaluate(
        "a => { document.body.innerHTML = `<form method=post action='${a}/write/new'>"
        "<button>x</button></form>`; }",
        studio.home,
    )
    with page.expect_navigation() as moved:
        page.click("button")
    assert moved.value.status in (401, 403)
    page.goto(f"http://{FOREIGN}:{elsewhere}/")
    page.evaluate(
        "a => { document.body.innerHTML = `<iframe src='${a}/'></iframe>`; }",
        studio.home,
    )
    page.wait_for_timeout(500)
    assert all("#text" not in (f.content() or "") for f in page.frames[1:])


def test_two_tabs_share_a_session(watched: Any, studio: Studio) -> None:
    first, second = watched.page, watched.context.new_page()
    second.goto(studio.home)
    for page, word in ((first, "doctor"), (second, "sailor")):
        page.fill("#text", TEXT.replace("doctor", word))
    for page, word in ((first, "doctor"), (second, "sailor")):
        page.wait_for_selector(f".word[data-word={word}]")
        assert page.locator(".word[data-word=doctor]").count() == (word == "doctor")
    first.click("text=Draw the release")
    first.wait_for_selector("#released-text")
    second.click("text=Draw the release")
    second.wait_for_selector("#released-text")
    # Each tab has a text of its own, and its first draw is the first.
    assert second.locator("text=This is draw 2").count() == 0
    watched.check()


def test_a_killed_studio_is_told_and_does_not_know_old_cookies(
    chromium: Any, own_studio: Studio
) -> None:
    made = Watched(chromium, own_studio)
    page = made.page
    own_studio.kill()
    page.fill("#text", TEXT)
    page.wait_for_selector("#alert:has-text('does not answer')")
    again = Studio(own_studio.port)
    try:
        page.goto(again.home)
        page.wait_for_selector("text=Unauthorized")
        page.goto(again.address)
        page.fill("#text", TEXT)
        page.wait_for_selector(".sides")
    finally:
        made.context.close()
        again.stop()


def test_an_oversized_file_is_told(chromium: Any, tmp_path: Path) -> None:
    small = Studio(0, "--max-upload", "1")
    path = tmp_path / "large.csv"
    path.write_text("body\n" + "the old house by the river\n" * 60_000, "utf-8")
    made = Watched(chromium, small)
    try:
        made.page.goto(small.home + "/release")
        made.page.set_input_files("#file", path)
        made.page.click("text=Read its columns")
        made.page.wait_for_selector("#alert:has-text('larger than 1 MB')")
    finally:
        made.context.close()
        small.stop()


def test_a_path_in_a_name_goes_nowhere(watched: Any, studio: Studio) -> None:
    page = watched.page
    page.goto(studio.home + "/release")
    for name in (
        "../../../etc/x.csv",
        "..\\..\\x.csv",
        'a"\r\nX-Evil: 1.csv',
        "/x.csv",
    ):
        page.set_input_files(
            "#file", {"name": name, "mimeType": "text/csv", "buffer": b"body\nhouse\n"}
        )
        page.click("text=Read its columns")
        page.wait_for_selector("#release-text")
        assert "etc" not in page.inner_text("#columns")
        page.reload()
    watched.check()
