"""Engines by name: those of Publius, and what other packages add."""

from importlib import import_module
from typing import Protocol, cast

from publius.core.errors import UnknownNameError
from publius.core.plugins import plugged, plugged_names, wrong
from publius.engines.engine import Engine

GROUP = "publius.engines"
LOCAL = "local"


class EngineFactory(Protocol):
    """What an entry point of the group leads to."""

    def __call__(self, *, address: str | None, trusts_cluster: bool) -> Engine:
        """Return an engine.

        Args:
            address: Of the cluster; None for its usual place.
            trusts_cluster: Accept one without encryption and authentication.
        """
        ...


# Spark and Ray load for as long as a small release takes: only their users wait.
def _spark(*, address: str | None, trusts_cluster: bool) -> Engine:
    late = import_module("publius.engines.spark")
    master = "local[*]" if address is None else address
    engine: Engine = late.Spark(master=master, trusts_cluster=trusts_cluster)
    return engine


def _ray(*, address: str | None, trusts_cluster: bool) -> Engine:
    late = import_module("publius.engines.ray")
    engine: Engine = late.Ray(address=address, trusts_cluster=trusts_cluster)
    return engine


ENGINES: dict[str, EngineFactory] = {"spark": _spark, "ray": _ray}
"""Every engine but this machine's processes. A new one is a line here."""
OWN = (LOCAL, *ENGINES)


def engine_names() -> list[str]:
    """Return the names of all engines, without loading one."""
    return [*OWN, *plugged_names(GROUP, OWN)]


def named_engine(
    name: str, *, address: str | None = None, trusts_cluster: bool = False
) -> Engine | None:
    """Return an engine; None for processes of this machine.

    Raises:
        UnknownNameError: There is none of this name.
        ParameterError: The entry point leads to something else.
    """
    if name == LOCAL:
        return None
    if name in ENGINES:
        return ENGINES[name](address=address, trusts_cluster=trusts_cluster)
    for plugin in plugged(GROUP, OWN):
        if plugin.name == name:
            if not callable(plugin.value):
                raise wrong(plugin, "engine")
            make = cast("EngineFactory", plugin.value)
            return make(address=address, trusts_cluster=trusts_cluster)
    raise UnknownNameError("engine", name, engine_names())
