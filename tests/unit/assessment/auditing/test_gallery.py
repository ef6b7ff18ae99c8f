from pathlib import Path

import pytest

from publius.assessment.auditing.gallery import (
    CASES,
    index_page,
    page,
    utility_page,
    write_pages,
)

EXACT = [
    "hyperbolic-addition",
    "missing-factor",
    "pass-through",
    "truncated-exponential",
]
TEXTS = ["text-half-noise", "text-kept-name", "text-layout", "text-shared-noise"]
DOCS = Path(__file__).parents[4] / "docs" / "explanation" / "gallery"


@pytest.mark.parametrize("name", [*EXACT, "vickrey", *TEXTS])
def test_the_published_page_is_what_the_auditor_finds(name: str) -> None:
    assert (DOCS / f"{name}.md").read_text(encoding="utf-8") == page(name)


def test_every_case_has_a_page_that_refutes_it() -> None:
    pages = {path.stem: path.read_text(encoding="utf-8") for path in DOCS.glob("*.md")}
    assert pages.pop("index") == index_page()
    assert set(pages) == {*CASES, "utility-bound"}
    assert all("| claim | refuted |" in text for text in pages.values())


def test_pages_are_written_where_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "publius.assessment.auditing.gallery.pages.CASES", {"vickrey": CASES["vickrey"]}
    )
    names = [path.name for path in write_pages(tmp_path / "gallery")]
    assert names == ["vickrey.md", "utility-bound.md", "index.md"]
    assert utility_page() == (tmp_path / "gallery" / "utility-bound.md").read_text()
