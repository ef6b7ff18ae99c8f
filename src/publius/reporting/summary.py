"""The facts about a finished release that may be published with it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from typing import Generic, Protocol, TypeVar

from publius.core.guarantee import Guarantee, JsonValue
from publius.core.json import finite
from publius.reporting.statements import say


@dataclass(frozen=True, slots=True)
class Exposure:
    """Figures that the released table discloses anyway.

    Nothing here may depend on which words were replaced: how many words stayed the
    same, or were unknown, would tell about the secrets beyond the guarantee.

    Args:
        rows: Number of rows.
        words: Number of protected words; None where lengths are protected.
        longest: Protected words of the longest text; None where lengths are protected.
        busiest: Guarantees spent on the author with most of them; None without authors.
    """

    rows: int
    words: int | None
    longest: int | None
    busiest: int | None


class Facts(Protocol):
    """What one kind of release tells, beside what all of them tell."""

    @property
    def mechanism(self) -> str:
        """Registered name."""
        ...

    @property
    def guarantee(self) -> Guarantee:
        """What is guaranteed."""
        ...

    @property
    def exposure(self) -> Exposure:
        """Disclosed figures."""
        ...

    @property
    def packages(self) -> Sequence[str]:
        """Packages whose versions the manifest names."""
        ...

    @property
    def statements(self) -> list[str]:
        """What is guaranteed and what was measured, in sentences."""
        ...

    def before(self) -> Mapping[str, object]:
        """Return what the manifest holds before the guarantee."""
        ...

    def after(self) -> Mapping[str, object]:
        """Return what the manifest holds after the guarantee: losses and counts."""
        ...


FactsT = TypeVar("FactsT", bound=Facts)


@dataclass(frozen=True, slots=True)
class Summary(Generic[FactsT]):
    """What the manifest holds.

    Args:
        facts: What this kind of release tells.
        is_secure: False when a seed was given.
        files: SHA-256 of each released file.
        command: What would be typed for the same settings; reports show it.
    """

    facts: FactsT
    is_secure: bool
    files: Mapping[str, str]
    command: str = ""

    @property
    def mechanism(self) -> str:
        """Registered name."""
        return self.facts.mechanism

    @property
    def guarantee(self) -> Guarantee:
        """What is guaranteed."""
        return self.facts.guarantee

    @property
    def exposure(self) -> Exposure:
        """Disclosed figures."""
        return self.facts.exposure

    @property
    def statements(self) -> list[str]:
        """What is guaranteed and what was measured, in sentences."""
        warned = [] if self.is_secure else [say("insecure")]
        return [*warned, *self.facts.statements]

    def to_json(self) -> dict[str, JsonValue]:
        """Return the manifest; JSON has no infinity and no NaN, so that null stands."""
        before, after = dict(self.facts.before()), dict(self.facts.after())
        kind = {name: before.pop(name) for name in ("kind",) if name in before}
        end = {name: after.pop(name) for name in ("retelling",) if name in after}
        manifest = {
            "publius": version("publius"),
            "versions": {name: version(name) for name in self.facts.packages},
            **kind,
            "secure": self.is_secure,
            "mechanism": self.mechanism,
            **before,
            "guarantee": self.guarantee.to_json(),
            "statements": list(self.statements),
            **after,
            "files": {**self.files},
            **end,
        }
        return finite(manifest)  # type: ignore[return-value]
