"""Word mechanisms of other packages, found by their entry points."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from importlib.metadata import EntryPoint, entry_points

from publius.core.arrays import FloatArray, IdArray, Rng
from publius.core.errors import ParameterError
from publius.core.guarantee import Guarantee, Scope
from publius.core.mechanism import Finite
from publius.mechanisms.words.entry import WordEntry, WordMechanism

GROUP = "publius.mechanisms"
"""Entry points under this name point to a ``WordEntry``."""


def plugins(own: Mapping[str, WordEntry]) -> dict[str, WordEntry]:
    """Return the mechanisms of Publius and those of other packages.

    Args:
        own: Mechanisms that nobody may replace.

    Raises:
        ParameterError: A package takes one of those names, or gives no entry.
    """
    every = dict(own)
    for point in entry_points(group=GROUP):
        if point.name in every:
            raise ParameterError(
                f"the package {_package(point)} registers a mechanism "
                f"{point.name!r}, a name that is taken; uninstall it or ask its author"
            )
        every[point.name] = _entry(point)
    return every


def _entry(point: EntryPoint) -> WordEntry:
    entry = point.load()
    if not isinstance(entry, WordEntry):
        raise ParameterError(
            f"the entry point {point.name!r} of {_package(point)} is no WordEntry"
        )
    about = replace(entry.about, package=_package(point), is_certified=False)
    return replace(entry, about=about)


def _package(point: EntryPoint) -> str:
    return "unknown" if point.dist is None else point.dist.name


@dataclass(frozen=True, slots=True, eq=False)
class Foreign:
    """A mechanism of another package; its guarantee says that we did not certify it.

    Args:
        inner: What it does.
        package: Where it comes from.
    """

    inner: WordMechanism
    package: str

    @property
    def name(self) -> str:
        """Name that its package gave it."""
        return self.inner.name

    def guarantee(self) -> Guarantee:
        """Return what its package promises, and that nobody checked it."""
        unchecked = (
            f"The guarantee of {self.name} is that of the package {self.package}: not "
            "certified by Publius.",
        )
        return self.inner.guarantee().covering(Scope(uncovered=unchecked))

    def perturb(self, x: IdArray, rng: Rng) -> IdArray:
        """Draw one output for each id."""
        return self.inner.perturb(x, rng)


@dataclass(frozen=True, slots=True, eq=False)
class ForeignFinite(Foreign):
    """A mechanism of another package that can tell its law."""

    inner: Finite

    @property
    def size(self) -> int:
        """Number of words."""
        return self.inner.size

    def channel(self, x: IdArray) -> FloatArray:
        """Return log P(z | x) for every word z."""
        return self.inner.channel(x)


def marked(built: WordMechanism, entry: WordEntry) -> WordMechanism:
    """Return a mechanism as it is, or marked if it comes from another package."""
    if entry.about.package == "publius":
        return built
    kind = ForeignFinite if isinstance(built, Finite) else Foreign
    return kind(built, entry.about.package)  # type: ignore[arg-type]
