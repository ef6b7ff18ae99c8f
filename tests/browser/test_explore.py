"""A researcher asks a mechanism."""

import json
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.browser

FORMS = {
    "explain": {"explain-word": "house", "explain-vocabulary": "500"},
    "calibrate": {"calibrate-grid": "2, 4", "calibrate-vocabulary": "300"},
    "certify": {"certify-vocabulary": "300"},
    "audit": {"audit-epsilon": "1"},
    "compare": {
        "compare-text": "body",
        "compare-author": "who",
        "compare-levels": "2",
        "compare-mechanisms": "original,exponential",
        "compare-vocabulary": "300",
    },
}
TITLES = {
    "explain": "Explain a word",
    "calibrate": "Calibrate",
    "certify": "Certify",
    "audit": "Audit a channel",
    "compare": "Compare mechanisms",
}


def asked(watched: Any, verb: str, fields: dict[str, str], file: Path | None) -> Any:
    """Fill a form and send it."""
    page = watched.page
    page.goto(watched.studio.home + "/explore")
    for name, value in fields.items():
        page.fill(f"#{name}", value)
    if file is not None:
        page.set_input_files(f"#{verb}-file", file)
    page.click(f"button:has-text('{TITLES[verb]}')")
    return page


@pytest.fixture
def files(tmp_path: Path) -> dict[str, Path]:
    """Return a channel and a sample."""
    channel, sample = tmp_path / "channel.csv", tmp_path / "sample.csv"
    channel.write_text("0.75,0.25\n0.25,0.75\n", "utf-8")
    lines = ("the old house by the river is cold", "a doctor came home late and tired")
    rows = [f"{lines[i % 2]} number {i},{'ab'[i % 2]}\n" for i in range(60)]
    sample.write_text("body,who\n" + "".join(rows), "utf-8")
    return {"audit": channel, "compare": sample}


@pytest.mark.parametrize("verb", sorted(FORMS))
def test_every_answer_is_a_table_a_plot_files_and_a_command(
    watched: Any, files: dict[str, Path], verb: str
) -> None:
    page = asked(watched, verb, FORMS[verb], files.get(verb))
    answer = f"#{verb}-answer"
    page.wait_for_selector(f"{answer} table")
    assert f"publius {verb}" in page.inner_text(f"{answer} pre")
    assert json.loads(watched.downloaded(f"{answer} >> text=as JSON"))
    assert watched.downloaded(f"{answer} >> text=as CSV").count(b"\n") > 1
    if page.locator(f"{answer} svg").count():
        assert watched.downloaded(f"{answer} >> text=as SVG").startswith(b"<svg")
    watched.check()
    assert watched.axe() == []


@pytest.mark.parametrize(
    ("verb", "fields"),
    [
        ("explain", {"explain-word": "zzzzqqq"}),
        ("explain", {"explain-word": "two words here"}),
        ("calibrate", {"calibrate-grid": "x"}),
        ("calibrate", {"calibrate-grid": "-1"}),
        ("compare", {"compare-text": "missing", "compare-levels": "2"}),
        ("compare", {"compare-mechanisms": "nothing"}),
    ],
)
def test_bad_input_is_told(
    watched: Any, files: dict[str, Path], verb: str, fields: dict[str, str]
) -> None:
    page = asked(watched, verb, fields, files.get(verb))
    page.wait_for_selector(f"#{verb}-answer [role=alert]")
    told = page.inner_text(f"#{verb}-answer")
    assert not any(value in told for value in fields.values() if len(value) > 4)
    watched.check()


def test_a_long_answer_can_be_cancelled(watched: Any) -> None:
    grid = ", ".join(f"{1 + i / 50:g}" for i in range(150))
    fields = {"calibrate-grid": grid, "calibrate-vocabulary": "2000"}
    page = asked(watched, "calibrate", fields, None)
    page.click("#calibrate-answer >> text=Cancel")
    page.wait_for_selector("text=Stopped.")
    watched.check()
