"""publius audit on channels and programs: verdicts, witnesses and exit codes."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import publius as pb
from publius.core.errors import ParameterError

LAW = [[0.75, 0.25], [0.25, 0.75]]
TRUE = np.log(3)


@pytest.fixture
def law(tmp_path: Path) -> Path:
    np.savetxt(tmp_path / "law.csv", LAW, delimiter=",")
    return tmp_path / "law.csv"


def test_a_false_claim_is_refuted_with_exit_3(
    publius: Callable[..., Any], law: Path
) -> None:
    done = publius("audit", "--channel", law, "--epsilon", 1.0, "--json")
    said = json.loads(done.out)
    assert (done.code, said["refuted"], said["exact"]) == (3, True, True)
    assert said == pb.audit(1.0, law).to_json()


def test_a_true_claim_stands(publius: Callable[..., Any], law: Path) -> None:
    assert publius("audit", "--channel", law, "--epsilon", 1.1).code == 0
    assert pb.audit(1.1, LAW).epsilon.value == pytest.approx(TRUE, abs=1e-12)


def test_a_program_that_passes_words_on_is_refuted(publius: Callable[..., Any]) -> None:
    Path("words.txt").write_text("one\ntwo\n")
    arguments = ("audit", "--exec", "echo {word}", "--words", "words.txt")
    done = publius(*arguments, "--epsilon", 1, "--draws", 60, "--json")
    assert (done.code, json.loads(done.out)["refuted"]) == (3, True)


@pytest.mark.parametrize(
    "arguments", [[], ["--channel", "x.csv"], ["--exec", "echo {word}", "--epsilon", 1]]
)
def test_half_a_question_is_a_usage_error(
    publius: Callable[..., Any], arguments: list[object]
) -> None:
    assert publius("audit", *arguments).code == 2


def test_the_library_asks_for_one_subject() -> None:
    with pytest.raises(ParameterError, match="one of them"):
        pb.audit(1.0)
    with pytest.raises(ParameterError, match="words"):
        pb.audit(1.0, program="echo {word}")
