"""What other packages add under a name, found by their entry points."""

import sys
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from importlib.metadata import EntryPoint, entry_points

from publius.core.errors import ParameterError


@dataclass(frozen=True, slots=True)
class Plugin:
    """Something that another package gives a name.

    Args:
        name: What people type.
        value: What the entry point leads to.
        package: Where it comes from.
    """

    name: str
    value: object
    package: str


def plugged(group: str, own: Collection[str]) -> Iterator[Plugin]:
    """Load what other packages add to a group.

    Args:
        group: Name of the group, such as ``publius.mechanisms``.
        own: Names of Publius, which nobody may replace.

    Raises:
        ParameterError: A package takes one of those names, or that of another.
    """
    for point in _points(group, own):
        yield Plugin(point.name, point.load(), _package(point))


def plugged_names(group: str, own: Collection[str]) -> list[str]:
    """Return the names that other packages add, without loading anything of them."""
    return [point.name for point in _points(group, own)]


def _points(group: str, own: Collection[str]) -> Iterator[EntryPoint]:
    taken = set(own)
    for point in _installed(entry_points, group, tuple(sys.path)):
        if point.name in taken:
            raise ParameterError(
                f"the package {_package(point)} registers {point.name!r} as one of "
                f"{group}, a name that is taken; uninstall it or ask its author"
            )
        taken.add(point.name)
        yield point


@lru_cache(maxsize=16)
def _installed(
    find: Callable[..., Iterable[EntryPoint]], group: str, _path: tuple[str, ...]
) -> tuple[EntryPoint, ...]:
    """Return the entry points of a group; reading every package takes 20 ms."""
    return tuple(find(group=group))


def _package(point: EntryPoint) -> str:
    return "unknown" if point.dist is None else point.dist.name


def wrong(plugin: Plugin, wanted: str) -> ParameterError:
    """Return the error for an entry point that leads to something else."""
    return ParameterError(
        f"the entry point {plugin.name!r} of {plugin.package} is no {wanted}"
    )
