"""A studio in a process of its own, and Debian's chromium."""

import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

sync_api = pytest.importorskip(
    "playwright.sync_api", reason="the extra 'browser' is not installed"
)

AXE = Path(__file__).parents[2] / "node_modules" / "axe-core" / "axe.min.js"
LIMIT_MS = 120_000
FOREIGN = "evil.example"
"""A name that leads to this machine, as a rebound name would."""


def pytest_collection_modifyitems(
    config: pytest.Config, items: list[pytest.Item]
) -> None:
    """Leave the browser alone unless it is asked for."""
    if config.getoption("markexpr") != "browser":
        skip = pytest.mark.skip(reason="runs in a browser: make test-browser")
        for item in items:
            if item.get_closest_marker("browser"):
                item.add_marker(skip)


class Studio:
    """A server that can be stopped and started again."""

    def __init__(self, port: int = 0, *options: str) -> None:
        code = "from publius.cli import main; main()"
        command = [sys.executable, "-u", "-c", code, "studio", "--no-open"]
        self.process = subprocess.Popen(  # noqa: S603 - our own command
            [*command, "--port", str(port), *options], stdout=subprocess.PIPE, text=True
        )
        stdout = self.process.stdout
        self.address = "" if stdout is None else stdout.readline().split()[-1]
        self.home = self.address.partition("/?")[0]
        self.port = int(self.home.rpartition(":")[2])
        self.state: Any = None
        """Cookies of the browser that came by the address, once one did."""

    def kill(self) -> None:
        """End the server without a word, as a crash does."""
        self.process.kill()
        self.process.wait(30)

    def stop(self) -> None:
        """End the server and wait for it."""
        self.process.terminate()
        self.process.wait(30)
        if self.process.stdout is not None:
            self.process.stdout.close()


@pytest.fixture(scope="session")
def chromium() -> Iterator[Any]:
    """Return the browser of the system; nothing is downloaded."""
    path = shutil.which("chromium")
    if path is None:
        pytest.skip("chromium is not installed; do: apt-get install chromium")
    rebound = f"--host-resolver-rules=MAP {FOREIGN} 127.0.0.1"
    with sync_api.sync_playwright() as tools:
        browser = tools.chromium.launch(
            executable_path=path, args=["--no-sandbox", rebound]
        )
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def studio() -> Iterator[Studio]:
    """Return a studio that all tests share."""
    made = Studio()
    yield made
    made.stop()


@pytest.fixture
def own_studio() -> Iterator[Studio]:
    """Return a studio of one test."""
    made = Studio()
    yield made
    made.stop()


class Watched:
    """A page, what its console said and whom it asked."""

    def __init__(self, chromium: Any, studio: Studio, **options: object) -> None:
        self.studio = studio
        self.context = chromium.new_context(storage_state=studio.state, **options)
        self.page = self.context.new_page()
        self.page.set_default_timeout(LIMIT_MS)
        self.errors: list[str] = []
        self.foreign: list[str] = []
        self.page.on("console", self._said)
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.on("request", lambda request: self._asked(request, studio.home))
        # The address lets one browser in, once; the others bring its cookie.
        self.page.goto(studio.address if studio.state is None else studio.home)
        studio.state = studio.state or self.context.storage_state()

    def _said(self, message: Any) -> None:
        if message.type == "error":
            self.errors.append(message.text)

    def _asked(self, request: Any, home: str) -> None:
        if not request.url.startswith(home):
            self.foreign.append(request.url)

    def check(self) -> None:
        """Fail if the page complained, asked others or stored anything."""
        stored = self.page.evaluate("localStorage.length + sessionStorage.length")
        assert (self.errors, self.foreign, stored) == ([], [], 0)

    def axe(self) -> list[str]:
        """Return what axe-core finds wrong, in light and in dark."""
        found = []
        for scheme in ("light", "dark"):
            self.page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
            if not self.page.evaluate("typeof axe === 'object'"):
                self.page.evaluate(AXE.read_text("utf-8"))  # the policy bars scripts
            result = self.page.evaluate("axe.run(document)")
            found += [
                f"{scheme}: {one['id']}: {node['target']}"
                for one in result["violations"]
                for node in one["nodes"]
            ]
        self.page.emulate_media(color_scheme="light")
        return found

    def downloaded(self, selector: str) -> bytes:
        """Click a link and return what it downloads."""
        with self.page.expect_download() as download:
            self.page.click(selector)
        return Path(download.value.path()).read_bytes()


@pytest.fixture
def watched(chromium: Any, studio: Studio) -> Iterator[Watched]:
    """Return a page of the shared studio in a browser of its own."""
    made = Watched(chromium, studio)
    yield made
    made.context.close()
