"""What a release of replaced words tells, to people and to machines."""

import shlex
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from importlib import import_module

from publius.core.config import WordSettings, own_settings
from publius.core.guarantee import Guarantee, JsonValue
from publius.core.stating import multiply_up
from publius.mechanisms.words.settings import ExponentialSettings
from publius.reporting.examples import WordExamples
from publius.reporting.rendering import Private, render
from publius.reporting.repeated import Repeated, repeated_losses
from publius.reporting.statements import (
    draws_alike,
    say,
    sum_warnings,
    word_statements,
    word_warnings,
    writer_of_words,
)
from publius.reporting.summary import Exposure, Summary
from publius.reporting.svg import odds_curve, unchanged_histogram


@dataclass(frozen=True, slots=True)
class WordFacts:
    """What a release of replaced words tells.

    Args:
        settings: As they were resolved.
        mechanism: Registered name.
        embedding: Name of the public vocabulary.
        fingerprint: Of its words and vectors.
        guarantee: Of one word, or of a whole text.
        exposure: Disclosed figures.
        warnings: What a reader of the released texts must know.
        retelling: Who wrote the texts, and how; None where words were replaced.
    """

    settings: WordSettings
    mechanism: str
    embedding: str
    fingerprint: str
    guarantee: Guarantee
    exposure: Exposure
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
        said = word_statements(self.guarantee, self.settings)
        if self.retelling is not None:
            return [*self.warnings, *said, say("writer.retold")]
        return [*self.warnings, *said, writer_of_words(self.guarantee, self.settings)]

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
    def sums(self) -> list[str]:
        """What must not be overlooked about whole texts and authors."""
        return sum_warnings(self.guarantee, self.document_loss, self.author_loss)

    @property
    def repeated(self) -> list[Repeated]:
        """Loss of a word by how often it stands; empty where texts are covered."""
        return repeated_losses(self.guarantee, self.settings)

    @property
    def _largest(self) -> float:
        return max(self.guarantee.worst_loss, self.guarantee.landmarks.unknown_loss)

    def _public_settings(self) -> dict[str, object]:
        """Return the settings without the folders of their files: they name people."""
        # Times and places are told without any word mechanism being loaded.
        given = import_module("publius.mechanisms.words.given")
        flat = given.flat_settings(self.settings)
        public: dict[str, object] = {k: _without_folder(v) for k, v in flat.items()}
        options = tuple((k, _without_folder(v)) for k, v in flat["options"])
        return {**public, "options": options, "embedding": self.embedding}

    @property
    def packages(self) -> tuple[str, ...]:
        """Packages whose versions the manifest names."""
        return ("publius", "numpy", "scipy", "randomgen", "pyarrow")

    def before(self) -> dict[str, object]:
        """Return settings and vocabulary."""
        vocabulary = {"name": self.embedding, "fingerprint": self.fingerprint}
        return {"settings": self._public_settings(), "embedding": vocabulary}

    def after(self) -> dict[str, object]:
        """Return losses and counts, and who retold the texts."""
        retold = {} if self.retelling is None else {"retelling": {**self.retelling}}
        return {
            "losses": {
                "near_level": self.guarantee.near_level,
                "near_bound": self.guarantee.near_bound,
                "worst_pair": self.guarantee.worst_loss,
                "unknown_word": self.guarantee.landmarks.unknown_loss,
                "repeated_word": [loss.to_json() for loss in self.repeated],
                "longest_document": self.document_loss,
                "busiest_author": self.author_loss,
            },
            "counts": asdict(self.exposure),
            **retold,
        }


def _without_folder(value: object) -> object:
    is_path = isinstance(value, str) and ("/" in value or "\\" in value)
    return _file_name(str(value)) if is_path else value


def _file_name(path: str) -> str:
    return path.replace("\\", "/").rstrip("/").rpartition("/")[2]


def render_page(
    summary: Summary[WordFacts], shown: WordExamples, private: Private | None = None
) -> str:
    """Return the report as HTML without any outside reference."""
    facts = summary.facts
    return render(
        "report.html.j2",
        summary,
        [
            *facts.warnings,
            *word_warnings(facts.guarantee, facts.mechanism),
            *facts.sums,
        ],
        private or Private(),
        shown=shown,
        histogram=unchanged_histogram(shown.profile.unchanged),
        curve=odds_curve(facts.guarantee),
        is_equal=draws_alike(facts.guarantee),
    )
