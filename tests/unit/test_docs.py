"""The documentation says what the code does."""

import json
import re
import runpy
from pathlib import Path

import pytest

from publius.services.mechanisms import mechanisms

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def test_command_reference_is_what_the_commands_say() -> None:
    script = ROOT / "scripts" / "build_command_reference.py"
    made = runpy.run_path(str(script))["page"]()
    written = (ROOT / "docs" / "reference" / "commands.md").read_text("utf-8")
    assert written == made, "run scripts/build_command_reference.py"


def test_manual_page_lists_the_commands() -> None:
    script = ROOT / "scripts" / "build_command_reference.py"
    made = runpy.run_path(str(script))["manual"]()
    written = (ROOT / "docs" / "man" / "publius.1").read_text("utf-8")
    assert written == made, "run scripts/build_command_reference.py"


def test_gallery_of_mechanisms_is_what_the_table_says() -> None:
    script = ROOT / "scripts" / "build_mechanism_gallery.py"
    made = runpy.run_path(str(script))["page"]()
    written = (ROOT / "docs" / "mechanisms" / "index.md").read_text("utf-8")
    assert written == made, "run scripts/build_mechanism_gallery.py"


@pytest.mark.slow
def test_every_mechanism_has_a_small_picture_with_words() -> None:
    script = ROOT / "scripts" / "build_mechanism_pictures.py"
    drawn = runpy.run_path(str(script))["PICTURES"]
    names = {one.name for one in mechanisms().listed if one.about.package == "publius"}
    assert drawn.keys() == names
    pictures = [ROOT / f"docs/mechanisms/pictures/{name}.svg" for name in drawn]
    assert sum(path.stat().st_size for path in pictures) < 300_000
    for path, draw in zip(pictures, drawn.values(), strict=True):
        assert re.search(r"<title>[^<]+</title>", path.read_text("utf-8"))
        assert path.read_text("utf-8") == draw(), "run build_mechanism_pictures.py"


def test_the_audit_of_texts_is_told_as_it_was_measured() -> None:
    study = runpy.run_path(str(ROOT / "scripts" / "text_audit_study.py"))
    figures = json.loads(study["FIGURES"].read_text("utf-8"))
    written = study["PAGE"].read_text("utf-8")
    assert written == study["page"](figures), "run text_audit_study.py --page"
    assert not any(row["refuted"] for row in figures["rows"])


MEASURED = runpy.run_path(str(ROOT / "scripts" / "build_measured.py"))


@pytest.mark.parametrize("name", MEASURED["PAGES"])
def test_tables_of_figures_are_those_that_were_measured(name: str) -> None:
    written = (ROOT / "docs" / name).read_text("utf-8")
    assert written == MEASURED["page"](name), "run scripts/build_measured.py"


def test_the_canary_run_found_no_leak() -> None:
    path = ROOT / "docs" / "measurements" / "canary.json"
    figures = json.loads(path.read_text("utf-8"))
    assert figures["leaks"] == 0
    assert figures["rows"] >= 1_000_000
    assert all(case["code"] == 0 for case in figures["cases"])


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_inside_the_documentation_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#:]+?)(?:#[^)]*)?\)", page.read_text("utf-8")):
        assert (page.parent / target).exists(), target


@pytest.mark.parametrize("page", PAGES[1:], ids=lambda page: page.stem)
def test_links_of_the_site_lead_to_its_own_files(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#:]+?)(?:#[^)]*)?\)", page.read_text("utf-8")):
        path = (page.parent / target).resolve()
        assert path.is_file(), f"a folder has no page: {target}"
        assert path.is_relative_to(ROOT / "docs"), f"outside the site: {target}"


def test_the_reference_of_the_library_names_what_there_is() -> None:
    page = (ROOT / "docs" / "reference" / "api.md").read_text("utf-8")
    blocks = re.findall(
        r"^::: (\S+)\n(?:    options: \{members: \[(.+)\]\})?", page, re.MULTILINE
    )
    assert blocks
    for module, members in blocks:
        path = ROOT / "src" / Path(*module.split(".")).with_suffix(".py")
        assert path.is_file(), module
        source = path.read_text("utf-8")
        for name in members.split(", ") if members else ():
            assert re.search(rf"^(class|def) {name}\b", source, re.MULTILINE), (
                module,
                name,
            )


def test_the_reference_of_the_library_tells_every_verb() -> None:
    page = (ROOT / "docs" / "reference" / "api.md").read_text("utf-8")
    stub = (ROOT / "src" / "publius" / "__init__.pyi").read_text("utf-8")
    verbs = re.findall(r"^from \.services\.(\w+) import (\w+)", stub, re.MULTILINE)
    assert verbs
    for module, verb in verbs:
        block = page.partition(f"::: publius.services.{module}\n")[2].partition(":::")[
            0
        ]
        assert re.search(rf"\b{verb}\b", block), verb


FINDINGS = (
    "attack-findings",
    "autoencoder-findings",
    "hyperbolic",
    "lab-findings",
    "metric-choice",
    "rivals",
)
SCREEN = 60
"""Lines of 150 characters that a screen shows."""


def lines_on_screen(text: str) -> int:
    return sum(1 + len(line) // 150 for line in text.splitlines())


@pytest.mark.parametrize("name", FINDINGS)
def test_a_page_of_findings_opens_with_its_conclusions(name: str) -> None:
    page = (ROOT / "docs" / "explanation" / f"{name}.md").read_text("utf-8")
    opening, first, *_ = re.split(r"^#{2,3} ", page, flags=re.MULTILINE)
    assert first.startswith("What was found\n")
    assert lines_on_screen(opening + first) <= SCREEN


MEASUREMENTS = sorted((ROOT / "docs" / "measurements").glob("*.json"))
PROVENANCE = {"commit", "date", "machine", "command"}


@pytest.mark.parametrize("path", MEASUREMENTS, ids=lambda path: path.stem)
def test_a_measurement_says_where_it_comes_from(path: Path) -> None:
    figures = json.loads(path.read_text("utf-8"))
    if figures.keys() & PROVENANCE:
        parts = [figures]
    else:
        parts = [part for part in figures.values() if "rows" in part]
    assert parts
    assert all(part[name] for part in parts for name in PROVENANCE)
