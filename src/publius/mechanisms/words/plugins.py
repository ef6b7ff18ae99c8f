"""Word mechanisms of other packages, found by their entry points."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from publius.core.arrays import FloatArray, IdArray, Rng
from publius.core.guarantee import Guarantee, Scope
from publius.core.mechanism import Finite
from publius.core.plugins import Plugin, plugged, wrong
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
    return {**own, **{one.name: _entry(one) for one in plugged(GROUP, own)}}


def _entry(plugin: Plugin) -> WordEntry:
    entry = plugin.value
    if not isinstance(entry, WordEntry):
        raise wrong(plugin, WordEntry.__name__)
    about = replace(entry.about, package=plugin.package, is_certified=False)
    return replace(entry, about=about)


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
        """Return what its package guarantees, and that nobody checked it."""
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
