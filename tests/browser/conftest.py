"""A studio in a process of its own, and Debian's chromium."""

import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sync_api = pytest.importorskip(
    "playwright.sync_api", reason="the extra 'browser' is not installed"
)

AXE = Path(__file__).parents[2] / "node_modules" / "axe-core" / "axe.min.js"
LIMIT_MS = 120_000


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

    def __init__(self, port: int = 0) -> None:
        code = "from publius.cli import main; main()"
        command = [sys.executable, "-u", "-c", code, "studio", "--no-open"]
        self.process = subprocess.Popen(  # noqa: S603 - our own command
            [*command, "--port", str(port)], stdout=subprocess.PIPE, text=True
        )
        stdout = self.process.stdout
        self.address = "" if stdout is None else stdout.readline().split()[-1]
        self.home = self.address.partition("/?")[0]

    def stop(self) -> None:
        """End the server and wait for it."""
        self.process.terminate()
        self.process.wait(30)
        if self.process.stdout is not None:
            self.process.stdout.close()


@pytest.fixture(scope="session")
def chromium() -> Iterator[object]:
    """Return the browser of the system; nothing is downloaded."""
    path = shutil.which("chromium")
    if path is None:
        pytest.skip("chromium is not installed; do: apt-get install chromium")
    with sync_api.sync_playwright() as tools:
        browser = tools.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture
def studio() -> Iterator[Studio]:
    """Return a running studio."""
    made = Studio()
    yield made
    made.stop()


class Watched:
    """A page, what its console said and whom it asked."""

    def __init__(self, chromium: object, studio: Studio) -> None:
        self.context = chromium.new_context()  # type: ignore[attr-defined]
        self.page = self.context.new_page()
        self.page.set_default_timeout(LIMIT_MS)
        self.errors: list[str] = []
        self.foreign: list[str] = []
        self.page.on("console", self._said)
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.on("request", lambda request: self._asked(request, studio.home))
        self.page.goto(studio.address)

    def _said(self, message: object) -> None:
        if message.type == "error":  # type: ignore[attr-defined]
            self.errors.append(message.text)  # type: ignore[attr-defined]

    def _asked(self, request: object, home: str) -> None:
        if not request.url.startswith(home):  # type: ignore[attr-defined]
            self.foreign.append(request.url)  # type: ignore[attr-defined]

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
        return found


@pytest.fixture
def watched(chromium: object, studio: Studio) -> Iterator[Watched]:
    """Return a page that came in by the printed address."""
    made = Watched(chromium, studio)
    yield made
    made.context.close()
