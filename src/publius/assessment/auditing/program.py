"""Draws from a command line program, so that other tools can be audited."""

import os
import shlex
import subprocess
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from publius.core.arrays import Rng
from publius.core.errors import DataError, ParameterError

PLACE = "{word}"


@dataclass(frozen=True, slots=True)
class Program:
    """A command that releases a word.

    With ``{word}`` in the command it is run once per draw and prints one release.
    Without, it is run once with one word per line on its input, and prints one release
    per line: much faster.

    Args:
        command: The command line; no shell interprets it.
        words: The secrets, public words chosen for the audit.
        seconds: Longest time of one run.
    """

    command: str
    words: Sequence[str]
    seconds: float = 300.0

    def __post_init__(self) -> None:
        try:
            parts = shlex.split(self.command)
        except ValueError as error:
            raise ParameterError(f"the command cannot be read: {error}") from None
        if not parts:
            raise ParameterError("the command is empty")
        if len(set(self.words)) < 2:
            raise DataError("an audit needs at least two different words")
        for place, word in enumerate(self.words):
            if not word or "\n" in word or "\0" in word:
                raise DataError(f"word {place} is empty or holds a line break")

    def draw(self, position: int, count: int, rng: Rng) -> list[str]:
        """Return `count` releases of one word; the program brings its own noise."""
        del rng
        word = self.words[position]
        if PLACE not in self.command:
            printed = self._run(shlex.split(self.command), f"{word}\n" * count)
            lines = printed.split("\n")
            releases = lines[:-1] if lines and not lines[-1] else lines
            if len(releases) != count:
                raise DataError(
                    f"the program printed {len(releases)} lines for {count} words"
                )
            return releases
        parts = [part.replace(PLACE, word) for part in shlex.split(self.command)]
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            runs = pool.map(lambda _: self._run(parts, "").strip("\r\n"), range(count))
            return list(runs)

    def _run(self, parts: list[str], typed: str) -> str:
        try:
            # The auditor's whole purpose is to run the command it was given.
            done = subprocess.run(  # noqa: S603
                parts,
                input=typed,
                capture_output=True,
                text=True,
                timeout=self.seconds,
                check=False,
            )
        except OSError as error:
            reason = error.strerror or "unknown reason"
            raise DataError(f"the program cannot be started: {reason}") from None
        except subprocess.TimeoutExpired:
            raise DataError(f"the program took more than {self.seconds:g} s") from None
        except UnicodeDecodeError:
            raise DataError("the program printed bytes that are no UTF-8") from None
        if done.returncode != 0:
            raise DataError(f"the program ended with status {done.returncode}")
        return done.stdout
