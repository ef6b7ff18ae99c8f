import json
import math
from dataclasses import dataclass, replace

import pytest

from publius.core.config import WordSettings
from publius.core.guarantee import Guarantee, JsonValue, Landmarks, Linear, Unit
from publius.mechanisms.words.given import word_settings
from publius.reporting.summary import Exposure, Summary
from publius.reporting.words import WordFacts

GUARANTEE = Guarantee(
    "hop@ff", Unit.TOKEN, (Linear(2.0),), landmarks=Landmarks(1.0, 4.0, 9.0)
)
FACTS = WordFacts(
    settings=WordSettings(metric="hop", embedding="/home/zyx/vectors.txt"),
    mechanism="exponential.v1",
    embedding="vectors",
    fingerprint="ff",
    guarantee=GUARANTEE,
    exposure=Exposure(5, 40, 10, 25),
)


def manifest(facts: WordFacts) -> dict[str, JsonValue]:
    return Summary(facts, is_secure=True, files={}).to_json()


def test_losses_add_over_texts_and_authors() -> None:
    # An unknown word loses more than the farthest pair: 9 against 2 · 4.
    assert FACTS.document_loss == 90
    assert FACTS.author_loss == 225
    untold = replace(FACTS, exposure=Exposure(5, None, None, None))
    assert untold.document_loss == 8
    assert untold.author_loss is None


def test_json_knows_no_infinity() -> None:
    boundless = replace(GUARANTEE, landmarks=Landmarks(math.nan, math.inf, math.inf))
    written = json.dumps(
        Summary(
            replace(FACTS, guarantee=boundless), is_secure=True, files={}
        ).to_json(),
        allow_nan=False,
    )
    assert json.loads(written)["losses"]["unknown_word"] is None


@pytest.mark.parametrize("folder", ["/home/zyx/", "C:\\zyx\\", "../zyx/"])
def test_folders_of_the_machine_are_not_told(folder: str) -> None:
    settings = WordSettings(embedding=f"{folder}vectors.txt", metric=f"{folder}file")
    told = Summary(
        replace(FACTS, settings=settings), is_secure=True, files={}
    ).to_json()
    assert "zyx" not in json.dumps(told)
    assert told["settings"]["embedding"] == "vectors"  # type: ignore[index,call-overload]


def test_the_command_that_checks_the_certificate() -> None:
    chosen = word_settings(
        {"metric": "hop", "vocabulary": 50, "balanced": False, "epsilon": 1 / 3}
    )
    command = replace(FACTS, settings=chosen).check
    assert command == (
        "publius certify --epsilon 0.3333333333333333 --metric hop "
        "--embedding vectors --vocabulary 50 --plain"
    )
    assert replace(FACTS, mechanism="laplace.v1").check is None
    general = replace(chosen, mechanism="generalising")
    found = replace(FACTS, settings=general, mechanism="exponential.v1-general-2-2.5")
    assert str(found.check).endswith(" --mechanism generalising")


@dataclass(frozen=True)
class ForeignSettings:
    """Settings of a mechanism of another package."""

    lexicon: str = ""


def test_a_setting_of_another_package_is_told_without_folders() -> None:
    own = (ForeignSettings("/srv/mrs-smith/list.txt"),)
    facts = replace(FACTS, settings=replace(FACTS.settings, own=own))
    told = json.dumps(facts.before())
    assert "list.txt" in told
    assert "smith" not in told
