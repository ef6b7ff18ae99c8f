"""publius run: the whole job that a publius.toml describes."""

from contextlib import chdir
from importlib import import_module
from pathlib import Path
from shlex import join

import click

from publius.cli import show
from publius.cli.configuration import choose_config
from publius.cli.journal import with_journal
from publius.cli.options import json_option
from publius.core.config import config_file, read_table
from publius.core.errors import DataError, ParameterError, UnknownNameError

VERBS = ("release", "times", "places")
_OWN = ("verb", "input")


@click.command("run")
@click.argument("place", type=click.Path(path_type=Path), default=Path())
@click.option("--dry-run", is_flag=True, help="Print the command and stop.")
@json_option
@click.pass_context
def command(context: click.Context, place: Path, dry_run: bool, as_json: bool) -> None:
    """Do the job that PLACE describes: a file, or publius.toml in a folder [here].

    The table [job] names the verb (release, times or places), the input and any option
    of that verb, as it is written on the command line without its hyphens at the front;
    true stands for a flag, a list for several names. [words], [sentences] and [ledger]
    count as always. Paths are relative to the file. --json prints what that verb prints
    with it; with --dry-run, the command.

    Example:  publius run reviews/
    """
    file = config_file(place)
    if not file.is_file():
        if place.is_dir():
            raise DataError(f"there is no publius.toml in the folder {str(place)!r}")
        raise DataError(
            f"{str(place)!r} does not exist; name a file of settings or its folder"
        )
    job = read_table(file, "job", None)
    verb = str(job.get("verb", "release"))
    if verb not in VERBS:
        raise UnknownNameError("verb in [job]", verb, VERBS)
    module = import_module(f"publius.cli.{verb}_command")
    chosen = with_journal(module.command)
    if as_json and not dry_run:
        job = {**job, "json": True}
    arguments = _arguments(file, job, chosen)
    if dry_run:
        typed = ["publius", verb, *arguments]
        if as_json:
            show.as_json({"command": typed})
        else:
            click.echo(join(typed))
        return
    choose_config(context, file)
    folder = file.resolve().parent
    if folder != Path.cwd():
        show.warn(f"Names of files are those of the folder {file.parent}.")
    with chdir(folder):
        inner = chosen.make_context(verb, arguments, parent=context.parent)
        with inner:
            chosen.invoke(inner)


def _arguments(file: Path, job: dict[str, object], chosen: click.Command) -> list[str]:
    """Return what would be typed for a job."""
    if "input" not in job:
        raise ParameterError(f"[job] in {file.name} must name its input")
    if isinstance(job["input"], list | dict | bool):
        raise ParameterError(f"input in [job] of {file.name} must be one name")
    options = {
        opt.removeprefix("--").replace("-", "_"): (opt, param)
        for param in chosen.params
        if isinstance(param, click.Option)
        for opt in (*param.opts, *param.secondary_opts)
        if opt.startswith("--")
    }
    typed: list[str] = []
    for key, value in job.items():
        if key in _OWN:
            continue
        if key not in options:
            raise UnknownNameError(f"setting in [job] of {file.name}", key, options)
        option, param = options[key]
        _check_kind(f"{key} in [job] of {file.name}", param, value)
        typed += _typed(option, param, value)
    for name in _needed(chosen):
        if name not in job:
            raise ParameterError(f"[job] in {file.name} must name its {name}")
    return [*typed, "--", str(job["input"])]


def _needed(chosen: click.Command) -> list[str]:
    """Return the names of the options that the verb cannot do without."""
    return [
        max(param.opts, key=len).removeprefix("--").replace("-", "_")
        for param in chosen.params
        if isinstance(param, click.Option) and param.required
    ]


def _check_kind(key: str, param: click.Option, value: object) -> None:
    """Refuse a value of a flag, and a flag where a value belongs."""
    if param.is_flag and not isinstance(value, bool):
        raise ParameterError(f"{key} must be true or false")
    if isinstance(value, bool) and not param.is_flag:
        raise ParameterError(f"{key} must have a value")


def _typed(option: str, param: click.Option, value: object) -> list[str]:
    """Return one setting as it would be typed; a list is several names or settings."""
    if value is True:
        return [option]
    if value is False:
        sides = [param.opts, param.secondary_opts]
        return next(other[:1] for other in sides if option not in other)
    if isinstance(value, list) and param.multiple:
        return [part for one in value for part in (option, str(one))]
    if isinstance(value, list):
        return [option, ",".join(map(str, value))]
    return [option, str(value)]
