import shlex
import sys

import numpy as np
import pytest

from publius.assessment.auditing import Plan, Program, audit_sampled
from publius.core.errors import DataError, ParameterError

RNG = np.random.default_rng(0)
FLIP = """
import random, sys
keep = float(sys.argv[1])
for line in sys.stdin:
    word = line.strip()
    other = {"yes": "no", "no": "yes"}[word]
    print(word if random.random() < keep else other)
"""


def python(code: str, *arguments: str) -> str:
    return shlex.join([sys.executable, "-c", code, *arguments])


def test_a_program_that_reads_lines_is_refuted_or_cleared() -> None:
    plan = Plan(draws=8000, confidence=1 - 1e-9)
    discrete = 1 - np.eye(2)
    # Randomised response with keep = 3/4 has epsilon ln 3.
    program = Program(python(FLIP, "0.75"), ["yes", "no"])
    honest = audit_sampled(program.draw, discrete, np.log(3), plan, RNG)
    assert not honest.refutes_claim
    leaky = Program(python(FLIP, "0.9"), ["yes", "no"])
    caught = audit_sampled(
        leaky.draw, discrete, np.log(3), plan, RNG, names=leaky.words
    )
    assert caught.refutes_claim
    assert {caught.x, caught.other} == {"yes", "no"}


def test_a_program_that_takes_a_word_is_run_once_per_draw() -> None:
    program = Program(
        python("import sys; print(sys.argv[1])", "<{word}>"), ["a", "b c"]
    )
    assert program.draw(1, 3, RNG) == ["<b c>"] * 3


def test_no_shell_reads_the_words() -> None:
    program = Program(
        python("import sys; print(sys.argv[1:])", "{word}"), ["$HOME;ls", "b"]
    )
    assert program.draw(0, 1, RNG) == ["['$HOME;ls']"]


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("import sys; sys.exit(5)", "status 5"),
        ("print('one')", "printed 1 lines for 4 words"),
        ("import sys; sys.stdout.buffer.write(bytes([255]))", "no UTF-8"),
    ],
)
def test_programs_that_fail_are_reported(code: str, message: str) -> None:
    with pytest.raises(DataError, match=message):
        Program(python(code), ["a", "b"]).draw(0, 4, RNG)


def test_a_program_that_hangs_is_stopped() -> None:
    with pytest.raises(DataError, match=r"more than 0\.2 s"):
        Program(python("import time; time.sleep(9)"), ["a", "b"], 0.2).draw(0, 1, RNG)


def test_a_program_that_is_not_there_is_reported() -> None:
    with pytest.raises(DataError, match="cannot be started"):
        Program("/no/such/program {word}", ["a", "b"]).draw(0, 1, RNG)


@pytest.mark.parametrize(
    ("command", "words", "error"),
    [
        ("", ["a", "b"], ParameterError),
        ("say 'half", ["a", "b"], ParameterError),
        ("say {word}", ["a", "a"], DataError),
        ("say {word}", ["a", "b\nc"], DataError),
        ("say {word}", ["a", ""], DataError),
    ],
)
def test_commands_and_words_that_cannot_work(
    command: str, words: list[str], error: type[Exception]
) -> None:
    with pytest.raises(error):
        Program(command, words)
