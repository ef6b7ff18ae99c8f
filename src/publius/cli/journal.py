"""What a run writes down for machines: one JSON object per line, without secrets.

Stages, counts of rows and bytes, the exit code and the message of an error are what the
terminal shows too. Times depend on the texts, so that a log must stay private.
"""

import json
import os
import stat
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

import click

from publius.core.errors import ParameterError
from publius.core.watch import Watch

_BEGINNING = b'{"time":'
"""Of every line of a log."""


class Journal:
    """Whether a run is quiet, and where it is logged."""

    def __init__(self) -> None:
        self.is_quiet, self.is_new = False, False
        self.path: Path | None = None

    def begin(self) -> None:
        """Forget the run before."""
        self.is_quiet, self.path = False, None

    def open(self, path: Path, **facts: object) -> None:
        """Begin a log, or go on with one.

        Raises:
            ParameterError: It cannot be written, others may read it, or the file holds
                something else.
        """
        self.path, self.is_new = None, not path.exists()
        try:
            if path.is_file():
                if _beginning(path) not in (b"", _BEGINNING):
                    raise ParameterError(
                        "the file of the log holds something else; choose another --log"
                    )
                _refuse_shared(path)
            self._add(path, "start", facts)
        except OSError as error:
            raise ParameterError(
                f"the log cannot be written ({error.strerror}); choose another --log"
            ) from None
        self.path = path

    def write(self, event: str, **facts: object) -> None:
        """Add one line, if a log was asked for; a log that breaks ends nothing."""
        if self.path is None:
            return
        try:
            self._add(self.path, event, facts)
        except OSError:
            # Raised where an error is told, it would be printed with that error's text.
            self.path = None
            click.echo("publius: the log cannot be written any more", err=True)

    @staticmethod
    def _add(path: Path, event: str, facts: Mapping[str, object]) -> None:
        now = datetime.now(UTC).isoformat(timespec="milliseconds")
        line = json.dumps({"time": now, "event": event, **facts})
        # Only its owner may read it: how long a run takes tells about the texts.
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND
        with open(os.open(path, flags, 0o600), "a", encoding="utf-8") as file:  # noqa: PTH123
            file.write(line + "\n")

    def watch(
        self,
        stage: Callable[[str], None],
        rows: Callable[[int, int], None],
        note: Callable[[str], None] = lambda _: None,
        steps: Callable[[int, int], None] = lambda _done, _total: None,
    ) -> Watch:
        """Return a watch that shows progress and writes it down, but never a note."""

        def both_stage(text: str) -> None:
            self.write("stage", text=text)
            stage(text)

        def both_rows(done: int, read: int) -> None:
            self.write("rows", rows=done, bytes=read)
            rows(done, read)

        def both_steps(done: int, total: int) -> None:
            self.write("steps", done=done, total=total)
            steps(done, total)

        return Watch(both_stage, both_rows, note=note, steps=both_steps)

    def refuse_in(self, out: Path) -> None:
        """Raise if the log would lie in what is to be published; leave no new one."""
        if self.path is not None and self.path.resolve().is_relative_to(out.resolve()):
            if self.is_new:
                self.path.unlink()
                self.path = None
            raise ParameterError("the log must not lie in the released folder")


JOURNAL = Journal()
"""Of the command that runs."""


def _beginning(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(len(_BEGINNING))


def _refuse_shared(path: Path) -> None:
    """Raise if others may read or write a log that is there already."""
    # Windows has no such bits; a folder's own rights decide there.
    if os.name == "posix" and path.stat().st_mode & (stat.S_IRWXG | stat.S_IRWXO):
        raise ParameterError(
            "the log tells about the texts and can be read or written by others; make "
            "it private first (chmod 600), or choose another --log"
        )


def with_journal(command: click.Command) -> click.Command:
    """Add --quiet and --log to a command, or to every command of a group, once."""
    if isinstance(command, click.Group):
        for inner in command.commands.values():
            with_journal(inner)
    elif all(param.name != "log" for param in command.params):
        place = -1 if command.params and command.params[-1].name == "as_json" else None
        for option in _options():
            command.params.insert(
                len(command.params) if place is None else place, option
            )
    return command


def _options() -> tuple[click.Option, click.Option]:
    quiet = click.Option(
        ["--quiet"],
        is_flag=True,
        expose_value=False,
        is_eager=True,
        callback=_set_quiet,
        help="No progress, and no text where files are the result.",
    )
    log = click.Option(
        ["--log"],
        metavar="FILE",
        type=click.Path(path_type=Path, dir_okay=False),
        expose_value=False,
        is_eager=True,
        callback=_set_log,
        help="Add stages and counts to FILE, a JSON object per line; keep it private.",
    )
    return quiet, log


def _set_quiet(_context: click.Context, _option: click.Parameter, value: bool) -> None:
    JOURNAL.is_quiet = JOURNAL.is_quiet or value


def _set_log(
    context: click.Context, _option: click.Parameter, value: Path | None
) -> None:
    if value is not None:
        JOURNAL.open(value, command=context.command_path, version=version("publius"))
