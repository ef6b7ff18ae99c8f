"""The documentation says what the code does."""

import re
import runpy
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def test_command_reference_is_what_the_commands_say() -> None:
    script = ROOT / "scripts" / "build_command_reference.py"
    made = runpy.run_path(str(script))["page"]()
    written = (ROOT / "docs" / "reference" / "commands.md").read_text("utf-8")
    assert written == made, "run scripts/build_command_reference.py"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_inside_the_documentation_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#:]+?)(?:#[^)]*)?\)", page.read_text("utf-8")):
        assert (page.parent / target).exists(), target
