"""How commands talk: results on stdout, messages on stderr."""

import json
import re
import sys
import textwrap
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from rich.console import Console
from rich.progress import (
    BarColumn,
    Progress,
    SpinnerColumn,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.table import Column

from publius.cli.journal import JOURNAL
from publius.core.estimate import Estimate
from publius.core.json import finite
from publius.core.stating import state_number
from publius.core.visible import escaped, visible
from publius.core.watch import Watch

RESULTS = Console(highlight=False)
MESSAGES = Console(stderr=True, highlight=False)

_WIDE = 72
"""Columns from which progress shows more than share, rows and time left."""

_HELD = "\N{NO-BREAK SPACE}%"
"""Stays with its figure where a line is broken."""


def as_json(value: Mapping[str, object]) -> None:
    """Print a result for machines; a number that is not finite is null."""
    is_unicode = (sys.stdout.encoding or "").lower().startswith("utf")
    written = json.dumps(
        finite(value), indent=1, ensure_ascii=not is_unicode, allow_nan=False
    )
    print(escaped(written))


@contextmanager
def stages() -> Iterator[Watch]:
    """Show the present stage on a terminal, nothing elsewhere.

    Where the steps are known, their share and the time left stand beside it.
    """
    if JOURNAL.is_quiet or not sys.stderr.isatty():
        yield JOURNAL.watch(lambda _: None, lambda _rows, _read: None)
        return
    is_wide = MESSAGES.width >= _WIDE
    around = (SpinnerColumn(), TimeElapsedColumn()) if is_wide else ()
    with Progress(
        *around[:1], _stage_column(), TextColumn("{task.fields[share]}"),
        *around[1:], TextColumn("{task.fields[left]}"),
        console=MESSAGES, transient=True,
    ) as progress:  # fmt: skip
        task = progress.add_task("starting", total=None, share="", left="")

        def stage(text: str) -> None:
            progress.update(task, description=text)

        begun: list[tuple[float, int]] = []

        def steps(done: int, total: int) -> None:
            now = progress.tasks[0].elapsed or 0
            begun.append((now, done))
            start, already = begun[0]  # steps of an earlier run took no time now
            counted = f"{done} of {total} steps, " if is_wide else ""
            progress.update(
                task,
                share=f"{counted}{done / total:.0%}" if total else "",
                left=time_left(now - start, done - already, total - done),
            )

        yield JOURNAL.watch(stage, lambda _rows, _read: None, steps=steps)


def _stage_column() -> TextColumn:
    """Return the column that gives way on a narrow terminal, so that no figure does."""
    return TextColumn("{task.description}", table_column=Column())


def time_left(elapsed: float, done: int, waiting: int) -> str:
    """Return about how long it will take if every step takes as long; '' unknown."""
    if done <= 0 or waiting <= 0:
        return ""
    minutes, seconds = divmod(round(elapsed / done * waiting), 60)
    return f"about {minutes}:{seconds:02} left"


@contextmanager
def watching(size_bytes: int | None, most: int | None = None) -> Iterator[Watch]:
    """Show rows, share, rate and time left on a terminal, nothing elsewhere.

    Args:
        size_bytes: Of the input; None where nobody knows.
        most: Rows that are asked for, where that is fewer than all.
    """
    if JOURNAL.is_quiet or not sys.stderr.isatty():
        yield JOURNAL.watch(lambda _: None, lambda _rows, _read: None, warn)
        return
    is_wide = MESSAGES.width >= _WIDE
    around = (BarColumn(), TextColumn("{task.fields[rate]}")) if is_wide else ()
    with Progress(
        _stage_column(), *around[:1], TextColumn("{task.fields[share]}"),
        TextColumn("{task.fields[rows]:,} rows"), *around[1:],
        TimeRemainingColumn(), console=MESSAGES, transient=True,
    ) as progress:  # fmt: skip
        task = progress.add_task(
            "starting", total=most or size_bytes, rows=0, rate="", share=""
        )

        def rows(count: int, read: int) -> None:
            elapsed = progress.tasks[0].elapsed or 0
            rate = f"{count / elapsed:,.0f} rows/s" if elapsed > 0 else ""
            done = count if most else read
            total = most or size_bytes
            share = f"{min(done / total, 1):.0%}" if total else ""
            progress.update(task, completed=done, rows=count, rate=rate, share=share)

        def stage(text: str) -> None:
            progress.update(task, description=text)

        yield JOURNAL.watch(stage, rows, warn)


def left_out(excluded: Mapping[str, int]) -> None:
    """Print how many documents or records cannot be used, and why."""
    for reason, count in excluded.items():
        one = re.sub(r"(document|record|visit)s", r"\1", reason, count=1)
        warn(f"left out: {count:,} {one if count == 1 else reason}")


def say(line: str) -> None:
    """Print a line of the result; a terminal sees it broken between words only."""
    for part in _broken(line, RESULTS):
        RESULTS.print(part, soft_wrap=True, markup=False)


def warn(line: str) -> None:
    """Print a line that is no result."""
    for part in _broken(line, MESSAGES):
        MESSAGES.print(part, soft_wrap=True, markup=False)


def _broken(line: str, console: Console) -> list[str]:
    """Return a line as a file has it, or as many as a terminal needs."""
    line = visible(line)
    if not console.is_terminal:
        return [line]
    parts = textwrap.wrap(
        line.replace(" %", _HELD),
        console.width,
        break_long_words=False,
        break_on_hyphens=False,
        subsequent_indent=" " * (len(line) - len(line.lstrip())),
    )
    return [part.replace(_HELD, " %") for part in parts] or [""]


def stacked(estimate: Estimate) -> str:
    """Write a share with its interval on two short lines, for narrow tables."""
    return f"{estimate.value:.3f}\n{estimate.low:.3f}–{estimate.high:.3f}"


def figure(value: float) -> str:
    """Write a number with about three digits, without exponents."""
    return state_number(value)
