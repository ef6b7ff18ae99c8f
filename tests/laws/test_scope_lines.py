"""Every line of a guarantee and of a report has a row: sentence, condition, test.

The lines are found in the source, so that the table cannot fall behind it. What they
say is checked for every setting of words in which they are printed.
"""

import ast
import json
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from publius.cli.frame import run
from publius.core.config import WordSettings
from publius.materials.places.sanitizer import PlaceSanitizer
from publius.materials.places.treatment import PlaceSettings
from publius.materials.times.clock import Clock
from publius.materials.times.sanitizer import TimeSanitizer
from publius.materials.words.assemble import resolved, sanitizer
from publius.materials.words.bags import bag_guarantee
from publius.mechanisms.discrete_circular_laplace import DiscreteCircularLaplace
from publius.mechanisms.polar_laplace import PolarLaplace
from publius.mechanisms.words.plugins import Foreign
from publius.numerics.geometry.earth import ELLIPSOID_EXCESS, metres_to_angle
from publius.reporting.statements import word_statements
from statement_pages import PAGE_LINES
from statement_scopes import SCOPE_LINES

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "publius"
ROOMS = (
    "embeddings",
    "mechanisms",
    "materials",
    "pipeline",
    "retelling",
    "autoencoder",
    "adapters",
)
PUBLIC_SENTENCES = SOURCE / "materials" / "sentences" / "treatment.py"
"""Holds sentences that are examples and guarantee nothing."""

ASKED = SOURCE / "retelling" / "teaching" / "own_text.py"
"""What a model is asked to write; no release says it."""

REMARKS = SOURCE / "materials" / "words" / "remarks.py"
"""Speaks to the owner of the texts before a release, and is in no report."""

SOURCES = SOURCE / "mechanisms" / "words" / "table.py"
"""Says what is Publius's own in a law; publius cite prints it, no report does."""

HEADINGS = {"Publius:", "release report", "measure", "originals", "released",
            "original", "word", "sentence", "rewritten"}  # fmt: skip


def sentences(path: Path) -> Iterator[str]:
    """Yield the texts of a module that read as sentences of a report."""
    tree = ast.parse(path.read_text("utf-8"))
    hidden: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Raise | ast.JoinedStr):
            hidden |= {id(part) for part in ast.walk(node)} - {id(node)}
        if isinstance(node, ast.Expr):
            hidden.add(id(node.value))
    for node in ast.walk(tree):
        text = "" if id(node) in hidden else _pattern(node)
        if " " in text and text.endswith(".") and re.match(r"[A-Z{]", text):
            yield text


def _pattern(node: ast.AST) -> str:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        parts = (p.value if isinstance(p, ast.Constant) else "{}" for p in node.values)
        return "".join(map(str, parts))
    return ""


def lines_of_guarantees() -> set[str]:
    paths = (path for room in ROOMS for path in (SOURCE / room).rglob("*.py"))
    others = (PUBLIC_SENTENCES, REMARKS, ASKED, SOURCES)
    return {said for path in paths if path not in others for said in sentences(path)}


def texts_of_template(path: Path) -> Iterator[str]:
    """Yield the fixed texts of a template; a place of a figure is ``{}``."""
    text = re.sub(r"<style>.*?</style>", "", path.read_text("utf-8"), flags=re.DOTALL)
    text = re.sub(r"\{\{.*?\}\}", "{}", text, flags=re.DOTALL)
    text = re.sub(r"\{%.*?%\}", "<br>", text, flags=re.DOTALL)
    text = re.sub(r"</?(?:strong|code|span)\b[^>]*>", "", text)
    for part in re.split(r"<[^>]*>", text):
        said = " ".join(part.split())
        if re.search(r"[A-Za-z]{2}", said) and said not in HEADINGS:
            yield said


def lines_of_reports() -> set[str]:
    paths = (SOURCE / "reporting" / "templates").glob("*.j2")
    return {said for path in paths for said in texts_of_template(path)}


def test_every_line_of_a_guarantee_has_a_row() -> None:
    assert lines_of_guarantees() == {row.text for row in SCOPE_LINES}


def test_every_text_of_a_report_has_a_row() -> None:
    assert lines_of_reports() == {row.text for row in PAGE_LINES}


def test_a_line_without_a_row_is_noticed(tmp_path: Path) -> None:
    module, page = tmp_path / "x.py", tmp_path / "x.html.j2"
    module.write_text(
        '"""Doc."""\nN = 3\nraise ValueError("Bad thing.")\n'
        'SCOPE = Scope(("All is safe.", f"Up to {N} words.", "no sentence"))\n'
    )
    page.write_text("<style>p {}</style><p>All {% if x %}is{% endif %} {{ x }} ok.")
    assert list(sentences(module)) == ["All is safe.", "Up to {} words."]
    assert list(texts_of_template(page)) == ["All", "is", "{} ok."]


def test_every_row_names_a_test_that_exists() -> None:
    for test in {row.test for row in (*SCOPE_LINES, *PAGE_LINES)}:
        path, name = test.split("::")
        assert f"def {name}(" in (ROOT / path).read_text("utf-8")


@pytest.mark.parametrize("length", [None, 7])
def test_a_foreign_mechanism_is_told_in_every_form(length: int | None) -> None:
    own = sanitizer(resolved(WordSettings(vocabulary=40)))
    foreign = replace(own, mechanism=Foreign(own.mechanism, "elsewhere"))
    for guarantee in (foreign.guarantee(), bag_guarantee(foreign.guarantee(), length)):
        assert any("not certified by Publius" in x for x in guarantee.scope.uncovered)
        said = word_statements(guarantee, resolved(WordSettings(vocabulary=40)))
        assert said[0].endswith("elsewhere: not certified by Publius.")


def test_records_tell_what_stays() -> None:
    law = DiscreteCircularLaplace(1.0, Clock().modulus)
    times = TimeSanitizer(Clock(), law).guarantee().scope
    places = PlaceSanitizer(PlaceSettings(radius=100.0, level=1.0).law()).guarantee()
    assert times.covered == ("The value of each row.",)
    assert places.scope.covered == ("The place of each row.",)
    for told in (times, places.scope):
        said = " ".join(told.uncovered)
        assert "How many rows there are." in said
        assert "k records is k times that of one" in said
        assert "are not hidden" in said
    assert any(line.startswith("Idealized") for line in places.scope.assumptions)
    assert not any(line.startswith("Idealized") for line in times.assumptions)


def test_a_direction_without_a_bound_is_not_told_as_covered() -> None:
    assert PolarLaplace(2.0).guarantee().scope.covered == ()


def test_places_speak_of_a_round_earth(tmp_path: Path) -> None:
    """On the true Earth places within the radius may be farther apart in angle."""
    law = PlaceSettings(radius=500.0, level=1.0).law()
    farther = metres_to_angle(500.0 * (1 + ELLIPSOID_EXCESS))
    assert law.guarantee().at(farther).pure > 1.0
    table, out = tmp_path / "in.csv", tmp_path / "out"
    table.write_text("lat,lon,who\n52.5,13.4,a\n,,b\n")
    options = ["--radius", "500m", "--level", "1", "--user", "who", "--missing", "drop"]
    assert run(["places", str(table), *options, "-o", str(out)]) == 0
    manifest = json.loads((out / "manifest.json").read_text("utf-8"))
    assert "at most 500 m apart on a round Earth" in manifest["statements"][0]
    told = manifest["guarantee"]["uncovered"]
    assert "That rows with empty cells were left out." in told
    assert "How many records the person with most of them has." in told
