"""Options that say where a release runs."""

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import click

from publius import engines
from publius.core.errors import ParameterError
from publius.engines.engine import Engine

F = TypeVar("F", bound=Callable[..., Any])
WORTH_WORKERS = 64 << 20
"""Bytes of input from which starting workers takes less time than it saves."""


class _Workers(click.ParamType):  # type: ignore[type-arg,unused-ignore]
    """A number of processes, or auto."""

    name = "N|auto"

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> int | str:
        if value == "auto":
            return "auto"
        number: object = click.IntRange(min=1)(str(value), param, ctx)
        return int(str(number))


_OPTIONS = (
    click.option("--workers", type=_Workers(), default="1", show_default=True,
                 help="Number of processes, or auto: one for small inputs, else one "
                 "per processor; the result is the same for any number."),
    click.option("--engine", type=click.Choice(["local", "spark", "ray"]),
                 default="local", show_default=True, help="Where the work runs."),
    click.option("--master", metavar="URL",
                 help="--engine spark: the cluster [local[*]]."),
    click.option("--address", metavar="ADDRESS",
                 help="--engine ray: the cluster, or auto [one on this machine]."),
    click.option("--trust-cluster", is_flag=True,
                 help="Accept a cluster without encryption and authentication."),
)  # fmt: skip


def engine_options(function: F) -> F:
    """Add the options that say where a release runs."""
    for option in reversed(_OPTIONS):
        function = option(function)
    return function


def taken_engine(flags: dict[str, object]) -> dict[str, object]:
    """Take the options of engines out of all options of a command."""
    names = ("workers", "engine", "master", "address", "trust_cluster")
    return {name: flags.pop(name) for name in names}


def workers_for(path: str, flags: Mapping[str, object]) -> int:
    """Return the number of processes for an input."""
    if flags["workers"] != "auto":
        return int(str(flags["workers"]))
    place = Path(path)
    files = place.iterdir() if place.is_dir() else [place] if place.is_file() else []
    size = sum(file.stat().st_size for file in files if file.is_file())
    return (os.cpu_count() or 1) if size >= WORTH_WORKERS else 1


@contextmanager
def chosen_engine(flags: Mapping[str, object]) -> Iterator[Engine | None]:
    """Yield the engine that was asked for; None for processes of this machine."""
    name, trusts = str(flags["engine"]), bool(flags["trust_cluster"])
    for option, engine in (("master", "spark"), ("address", "ray")):
        if flags[option] is not None and name != engine:
            raise ParameterError(f"--{option} is for --engine {engine}")
    if name == "local":
        yield None
        return
    master = str(flags["master"] or "local[*]")
    address = None if flags["address"] is None else str(flags["address"])
    made: Engine = (
        engines.Spark(master=master, trusts_cluster=trusts)
        if name == "spark"
        else engines.Ray(address=address, trusts_cluster=trusts)
    )
    try:
        yield made
    finally:
        made.close()
