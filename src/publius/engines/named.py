"""Engines by name: those of Publius, and what other packages add."""

from typing import Protocol, cast

from publius.core.errors import UnknownNameError
from publius.core.plugins import plugged, plugged_names, wrong
from publius.engines.engine import Engine
from publius.engines.ray import Ray
from publius.engines.spark import Spark

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


def _spark(*, address: str | None, trusts_cluster: bool) -> Engine:
    master = "local[*]" if address is None else address
    return Spark(master=master, trusts_cluster=trusts_cluster)


ENGINES: dict[str, EngineFactory] = {"spark": _spark, "ray": Ray}
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
