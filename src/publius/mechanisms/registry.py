"""What the table of mechanisms says about each, whatever material it protects."""

from collections.abc import Mapping
from dataclasses import MISSING, dataclass, fields
from enum import StrEnum


class Material(StrEnum):
    """What a mechanism protects."""

    WORDS = "words"
    SENTENCES = "sentences"
    TIMES = "times"
    PLACES = "places"


class Kind(StrEnum):
    """What a guarantee speaks of."""

    METRIC = "metric"
    """The loss grows with the distance of two secrets."""
    LOCAL = "local"
    """One bound on the loss between any two secrets."""
    APPROXIMATE = "(ε, δ)"
    """Per sentence or text, with a small probability δ."""
    PARTIAL = "partial"
    """Only among some words, as the card says."""


NO_PARAMETERS = ("mechanism", "is_dropping")
"""Fields of settings that choose the mechanism, or rows: its law does not read them."""


@dataclass(frozen=True, slots=True)
class NoSettings:
    """A mechanism without parameters of its own."""


@dataclass(frozen=True, slots=True)
class About:
    """Facts of a mechanism that every surface shows.

    Args:
        law: Registered name of its newest law.
        kind: What its guarantee speaks of.
        is_certified: The loss is computed on the integers that are sampled; otherwise
            it is proved over the reals and stated as idealised.
        settings: Its own parameters with their defaults, a dataclass.
        page: Name of its card where that is not the law's own.
        papers: Keys of the bibliography; what it rests on, if it is Publius's own.
        note: What is Publius's own in it; empty if nothing is.
        package: Where it comes from; anything but ``publius`` is not certified by it.
    """

    law: str
    kind: Kind = Kind.METRIC
    is_certified: bool = False
    settings: type = NoSettings
    page: str = ""
    papers: tuple[str, ...] = ()
    note: str = ""
    package: str = "publius"

    @property
    def card(self) -> str:
        """Page of the documentation; empty for a mechanism of another package."""
        if self.package != "publius":
            return ""
        page = self.page or self.law.rpartition(".v")[0].replace("-", "_")
        return f"docs/mechanisms/{page}.md"

    @property
    def parameters(self) -> Mapping[str, object]:
        """Own parameters and their defaults."""
        return {
            field.name: None if field.default is MISSING else field.default
            for field in fields(self.settings)
            if field.name not in NO_PARAMETERS
        }
