"""Take the pictures of the studio that the tutorial shows: 400 and 1280 pixels wide.

python scripts/build_screenshots.py     # needs the extra 'browser' and chromium
"""

import shutil
import subprocess
import sys
from pathlib import Path

from playwright.sync_api import sync_playwright

OUT = Path(__file__).parents[1] / "docs" / "images"
TEXT = (
    "However, the old doctor came to London -- as he always did -- in the winter of "
    "1987!!  Nobody knew why; nobody asked him about Margaret, nor about the house."
)
CODE = "from publius.cli import main; main()"


def main() -> None:
    """Start a studio, open its pages, keep what they look like."""
    process = subprocess.Popen(
        [sys.executable, "-u", "-c", CODE, "studio", "--no-open"],
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        stdout = process.stdout
        address = "" if stdout is None else stdout.readline().split()[-1]
        with sync_playwright() as tools:
            browser = tools.chromium.launch(
                executable_path=shutil.which("chromium"), args=["--no-sandbox"]
            )
            page = browser.new_page()
            page.goto(address)
            for width in (1280, 400):
                page.set_viewport_size({"width": width, "height": 900})
                page.goto(address.partition("?")[0])
                page.fill("#text", TEXT)
                page.wait_for_selector(".sides")
                page.locator(".word[data-word=doctor]").focus()
                page.wait_for_selector("#word .law")
                page.locator(".dial").scroll_into_view_if_needed()
                page.screenshot(path=OUT / f"studio-write-{width}.png")
                page.goto(address.partition("?")[0] + "explore")
                page.screenshot(path=OUT / f"studio-explore-{width}.png")
            browser.close()
    finally:
        process.terminate()
        process.wait(30)


if __name__ == "__main__":
    main()
