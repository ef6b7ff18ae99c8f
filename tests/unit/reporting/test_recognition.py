import importlib.util
import json
import math
from pathlib import Path
from types import ModuleType

import pytest

from publius.core.config import WordSettings
from publius.core.errors import UnknownNameError
from publius.core.guarantee import Flat, Guarantee, Unit
from publius.reporting.recognition import recognition, settings_measured
from publius.reporting.statements import (
    say,
    writer,
    writer_of_sentences,
    writer_of_words,
)
from publius.reporting.wording import TEMPLATES

FORMS = ("text", "text-all", "bag", "bag-fixed", "tf", "sentences", "sentences-fixed")
ROOT = Path(__file__).parents[3]
STORED = ROOT / "docs" / "measurements" / "recognition.json"
SHIPPED = ROOT / "src" / "publius" / "reporting" / "recognition.json"


def builder() -> ModuleType:
    """Load the script that writes the page and the README."""
    path = ROOT / "scripts" / "build_statements.py"
    spec = importlib.util.spec_from_file_location("build_statements", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_package_ships_what_was_measured() -> None:
    assert STORED.read_bytes() == SHIPPED.read_bytes()
    about = json.loads(STORED.read_text("utf-8"))
    assert {"commit", "date", "machine", "command"} <= set(about)


@pytest.mark.parametrize("name", settings_measured())
def test_the_sentence_has_its_figures(name: str) -> None:
    found, said = recognition(name), writer(name, is_covered=False)
    assert f"With {found.options} the right one of 25" in said
    assert f"for {100 * found.released:.0f} % (" in said
    assert found.low <= found.released <= found.high
    assert found.date in said


def test_every_form_has_its_own_figure() -> None:
    word = Guarantee("x@ff", Unit.TOKEN, (Flat(1.0),))
    text = Guarantee("x@ff", Unit.DOCUMENT, (Flat(1.0),))
    none = Guarantee("x@ff", Unit.DOCUMENT, (Flat(math.inf),))
    fixed = WordSettings(form="bag", length=9)
    said = [
        writer_of_words(word, WordSettings()),
        writer_of_words(word, WordSettings(protect="all")),
        writer_of_words(word, WordSettings(form="bag")),
        writer_of_words(text, fixed),
        writer_of_words(text, WordSettings(form="tf")),
        writer_of_sentences(None),
        writer_of_sentences(3),
    ]
    covered = ("bag-fixed", "tf", "sentences-fixed")
    assert said == [writer(name, is_covered=name in covered) for name in FORMS]
    assert writer("nothing", is_covered=True) == say("writer.unmeasured")
    assert writer_of_words(none, fixed) == writer("bag-fixed", is_covered=False)
    with pytest.raises(UnknownNameError, match="measured setting"):
        recognition("nothing")


@pytest.mark.parametrize("scope", ["text", "corpus"])
def test_equal_draws_are_not_told_the_figure_of_single_ones(scope: str) -> None:
    word = Guarantee("x@ff", Unit.WORD, (Flat(1.0),))
    said = writer_of_words(word, WordSettings(consistent=scope))
    assert said == say("writer.unmeasured")


def test_a_default_release_does_not_claim_to_hide_the_writer() -> None:
    assert recognition("text").low > 0.5
    assert recognition("text-like").low > 0.5
    word = Guarantee("x@ff", Unit.TOKEN, (Flat(1.0),))
    default = writer_of_words(word, WordSettings(metric="like"))
    assert default == writer("text-like", is_covered=False)
    readme = (ROOT / "README.md").read_text("utf-8")
    assert "writer cannot be told apart" not in readme
    assert (
        "names, numbers, addresses, misspellings, emoji) are never kept" not in readme
    )


def test_the_page_and_the_readme_are_what_the_program_says() -> None:
    script = builder()
    assert script.PAGE.read_text("utf-8") == script.page()
    written = script.README.read_text("utf-8")
    assert written == script.readme(written)


@pytest.mark.parametrize("key", TEMPLATES)
def test_every_sentence_names_a_test_that_exists(key: str) -> None:
    path, name = TEMPLATES[key].test.split("::")
    assert f"def {name}(" in (ROOT / path).read_text("utf-8")
