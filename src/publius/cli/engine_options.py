"""Options that say where a release runs."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

import click

from publius.cli.options import F, with_options
from publius.core.errors import ParameterError
from publius.engines.engine import Engine
from publius.engines.named import LOCAL, OWN, engine_names, named_engine
from publius.engines.workers import AUTO


class _Workers(click.ParamType):  # type: ignore[type-arg,unused-ignore]
    """A number of processes, or auto."""

    name = "N|auto"

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> int | str:
        if value == AUTO:
            return AUTO
        number: object = click.IntRange(min=1)(str(value), param, ctx)
        return int(str(number))


class _EngineName(click.ParamType):  # type: ignore[type-arg,unused-ignore]
    """The name of an engine, of another package too."""

    name = "|".join(OWN)

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> str:
        if value in OWN:
            return str(value)
        known = engine_names()
        if value not in known:
            self.fail(f"{value!r} is not one of {', '.join(known)}.", param, ctx)
        return str(value)


_OPTIONS = (
    click.option("--workers", type=_Workers(), default="1", show_default=True,
                 help="Number of processes, or auto: one for inputs below 64 MB and in "
                 "S3, else one per processor that is not busy; the result is the same "
                 "for any number."),
    click.option("--engine", type=_EngineName(), default=LOCAL, show_default=True,
                 metavar=f"[{'|'.join(OWN)}]", help="Where the work runs."),
    click.option("--master", metavar="URL",
                 help="--engine spark: the cluster, spark://… or sc://… for Spark "
                 "Connect [local[*]]."),
    click.option("--address", metavar="ADDRESS",
                 help="--engine ray: the cluster, or auto [one on this machine]."),
    click.option("--trust-cluster", is_flag=True,
                 help="Accept a cluster without encryption and authentication."),
)  # fmt: skip


def place_options(function: F) -> F:
    """Add the options that name an engine and its processes, but no cluster."""
    return with_options(_OPTIONS[:2], function)


def engine_options(function: F) -> F:
    """Add the options that say where a release runs."""
    return with_options(_OPTIONS, function)


def taken_engine(flags: dict[str, object]) -> dict[str, object]:
    """Take the options of engines out of all options of a command."""
    names = ("workers", "engine", "master", "address", "trust_cluster")
    return {name: flags.pop(name) for name in names}


@contextmanager
def chosen_engine(flags: Mapping[str, object]) -> Iterator[Engine | None]:
    """Yield the engine that was asked for; None for processes of this machine."""
    name, trusts = str(flags["engine"]), bool(flags["trust_cluster"])
    if flags["master"] is not None and name != "spark":
        raise ParameterError("--master is for --engine spark")
    if flags["address"] is not None and name in (LOCAL, "spark"):
        raise ParameterError("--address is for --engine ray")
    place = flags["address"] if flags["master"] is None else flags["master"]
    address = None if place is None else str(place)
    made = named_engine(name, address=address, trusts_cluster=trusts)
    if made is None:
        yield None
        return
    try:
        yield made
    finally:
        made.close()
