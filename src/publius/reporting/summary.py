"""The facts about a finished release that may be published with it."""

import shlex
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from importlib.metadata import version

from publius.core.config import WordSettings, own_settings
from publius.core.guarantee import Guarantee, JsonValue
from publius.core.stating import multiply_up
from publius.mechanisms.words.given import flat_settings
from publius.mechanisms.words.settings import ExponentialSettings
from publius.reporting.repeated import Repeated, repeated_losses
from publius.reporting.statements import say, word_statements, writer_of_words


@dataclass(frozen=True, slots=True)
class Exposure:
    """Figures that the released table discloses anyway.

    Nothing here may depend on which words were replaced: how many words stayed the
    same, or were unknown, would tell about the secrets beyond the guarantee.

    Args:
        rows: Number of rows.
        words: Number of protected words; None where lengths are protected.
        longest: Protected words of the longest text; None where lengths are protected.
        busiest: Promises spent on the author with most of them; None without authors.
    """

    rows: int
    words: int | None
    longest: int | None
    busiest: int | None


@dataclass(frozen=True, slots=True)
class ReleaseSummary:
    """What the manifest holds.

    Args:
        settings: As they were resolved.
        mechanism: Registered name.
        embedding: Name of the public vocabulary.
        fingerprint: Of its words and vectors.
        guarantee: The promise.
        exposure: Disclosed figures.
        is_secure: False when a seed was given.
        files: SHA-256 of each released file.
        warnings: What a reader of the released texts must know.
        retelling: Who wrote the texts, and how; None where words were replaced.
    """

    settings: WordSettings
    mechanism: str
    embedding: str
    fingerprint: str
    guarantee: Guarantee
    exposure: Exposure
    is_secure: bool
    files: Mapping[str, str]
    warnings: tuple[str, ...] = ()
    retelling: Mapping[str, JsonValue] | None = None

    @property
    def check(self) -> str | None:
        """The command that computes the certificate anew; None where a proof stands."""
        chosen = self.settings
        if "exponential" not in self.mechanism and self.retelling is None:
            return None
        limit = f" --vocabulary {chosen.vocabulary}" if chosen.vocabulary else ""
        if chosen.block:
            limit += f" --block {shlex.quote(_file_name(chosen.block))}"
        plain = "" if own_settings(chosen, ExponentialSettings).balanced else " --plain"
        named = chosen.mechanism
        law = "" if named == "exponential" else f" --mechanism {named}"
        return (
            f"publius certify --epsilon {chosen.rate!r} --metric {chosen.metric} "
            f"--embedding {self.embedding}{limit}{plain}{law}"
        )

    @property
    def statements(self) -> list[str]:
        """What is guaranteed and what was measured, in sentences."""
        warned = [] if self.is_secure else [say("insecure")]
        said = word_statements(self.guarantee, self.settings)
        writer = writer_of_words(self.guarantee, self.settings)
        return [*warned, *self.warnings, *said, writer]

    @property
    def document_loss(self) -> float | None:
        """Largest loss over the whole of the longest text, if any two may differ."""
        if self.exposure.longest is None:
            return self.guarantee.worst_loss
        return multiply_up(self._largest, self.exposure.longest)

    @property
    def author_loss(self) -> float | None:
        """Largest loss over everything that one author wrote here."""
        if self.exposure.busiest is None:
            return None
        return multiply_up(self._largest, self.exposure.busiest)

    @property
    def repeated(self) -> list[Repeated]:
        """Loss of a word by how often it stands; empty where texts are covered."""
        return repeated_losses(self.guarantee, self.settings)

    @property
    def _largest(self) -> float:
        return max(self.guarantee.worst_loss, self.guarantee.landmarks.unknown_loss)

    def _public_settings(self) -> dict[str, JsonValue]:
        """Return the settings without the folders of their files: they name people."""
        public: dict[str, JsonValue] = flat_settings(self.settings)
        for key, value in public.items():
            if isinstance(value, str) and ("/" in value or "\\" in value):
                public[key] = _file_name(value)
        return {**public, "embedding": self.embedding}

    def to_json(self) -> dict[str, JsonValue]:
        """Return the manifest."""
        packages = ("publius", "numpy", "scipy", "randomgen", "pyarrow")
        return {
            "publius": version("publius"),
            "versions": {name: version(name) for name in packages},
            "secure": self.is_secure,
            "mechanism": self.mechanism,
            "settings": self._public_settings(),
            "embedding": {"name": self.embedding, "fingerprint": self.fingerprint},
            "guarantee": self.guarantee.to_json(),
            "statements": list(self.statements),
            "losses": {
                "near_level": _finite(self.guarantee.near_level),
                "near_bound": _finite(self.guarantee.near_bound),
                "worst_pair": _finite(self.guarantee.worst_loss),
                "unknown_word": _finite(self.guarantee.landmarks.unknown_loss),
                "repeated_word": [found.to_json() for found in self.repeated],
                "longest_document": _finite(self.document_loss),
                "busiest_author": _finite(self.author_loss),
            },
            "counts": {**asdict(self.exposure)},
            "files": {**self.files},
            **({} if self.retelling is None else {"retelling": {**self.retelling}}),
        }


def _file_name(path: str) -> str:
    return path.replace("\\", "/").rstrip("/").rpartition("/")[2]


def _finite(value: float | None) -> float | None:
    """JSON has no infinity and no NaN: null says that there is no such number."""
    return value if value is not None and abs(value) < float("inf") else None
