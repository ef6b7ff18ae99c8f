"""Run commands as a user does, in this process or in one of their own."""

import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from publius.cli.frame import run


@dataclass(frozen=True)
class Outcome:
    """What a command gave back."""

    code: int
    out: str
    err: str


Command = Callable[..., Outcome]
PROGRAM = (sys.executable, "-c", "from publius.cli import main; main()")


@pytest.fixture
def publius(
    capfd: pytest.CaptureFixture[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> Command:
    """Return a function that runs a command in an empty folder."""
    monkeypatch.chdir(tmp_path)

    def command(*arguments: object) -> Outcome:
        capfd.readouterr()
        code = run([str(argument) for argument in arguments])
        captured = capfd.readouterr()
        return Outcome(code, captured.out, captured.err)

    return command


@pytest.fixture
def shell(tmp_path: Path) -> Callable[..., "subprocess.CompletedProcess[bytes]"]:
    """Return a function that runs a command in a process of its own."""

    def command(
        *arguments: object, stdin: bytes = b"", **variables: str
    ) -> "subprocess.CompletedProcess[bytes]":
        return subprocess.run(  # noqa: S603 - our own program
            [*PROGRAM, *map(str, arguments)],
            input=stdin, capture_output=True, cwd=tmp_path, check=False,
            env={**os.environ, **variables},
        )  # fmt: skip

    return command
