"""Words are replaced one by one."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

from publius.accounting.spending import Bill, Cost
from publius.core.config import WordSettings
from publius.core.errors import ParameterError
from publius.core.guarantee import Scope
from publius.materials.form import Form
from publius.materials.treatment import (
    Outcome,
    Seen,
    disclosed_texts,
    refuse_geojson,
)
from publius.materials.words.assemble import (
    DEFAULT_TERMS,
    TERM_VOCABULARY,
    Plan,
    plan,
    prepare,
    resolved,
)
from publius.mechanisms.words.given import flat_settings
from publius.mechanisms.words.lists import digests_of_lists
from publius.reporting.page import render_page
from publius.reporting.story import tell
from publius.reporting.summary import ReleaseSummary
from publius.tables.shards import Cut
from publius.tables.source import Source

SMALL_INPUT = 2_000_000
"""Inputs beyond this many bytes are worth preparing the whole public table for."""


@dataclass(frozen=True, slots=True)
class WordTreatment:
    """A word mechanism that is not built yet.

    Args:
        settings: With every default put in.
    """

    settings: WordSettings

    @classmethod
    def of(cls, settings: WordSettings) -> "WordTreatment":
        """Put the defaults in; refuse settings that would not be obeyed."""
        if settings.form == "tf":
            _refuse_idle(settings)
        return cls(_as_drawn(resolved(settings)))

    @property
    def is_typed(self) -> bool:
        """Whether protected columns may hold something else than strings."""
        return False

    @property
    def needs_rows(self) -> bool:
        """Whether a release without a row is refused."""
        return False

    def refuse(self, file_format: str) -> None:
        """Refuse term vectors in a format without lists, and points on a map."""
        refuse_geojson(file_format)
        if self.settings.form == "tf" and file_format not in ("parquet", "jsonl"):
            raise ParameterError("term vectors need --format parquet or jsonl")

    def job(self) -> dict[str, object]:
        """Return the settings."""
        job: dict[str, object] = {"settings": flat_settings(self.settings)}
        lists = digests_of_lists(self.settings)
        return job | {"lists": lists} if lists else job

    def prepare(self, source: Source, stage: Callable[[str], None]) -> "PreparedWords":
        """Build the mechanism; for a large input with its whole public table."""
        stage("preparing the mechanism")
        size = source.size_bytes
        if size is None or size >= SMALL_INPUT:
            prepare(self.settings)
        return PreparedWords(self.settings, plan(self.settings, stage))


@dataclass(frozen=True, slots=True, eq=False)
class PreparedWords:
    """A word mechanism that can draw."""

    settings: WordSettings
    planned: Plan

    @property
    def form(self) -> Form:
        """The shape in which texts leave."""
        return self.planned.form

    @property
    def make_form(self) -> Callable[[], Form]:
        """Builds the form anew in another process."""
        return partial(_word_form, self.settings)

    @property
    def tells_length(self) -> bool:
        """Whether a released text tells how long its original was."""
        form, length = self.settings.form, self.settings.length
        return form == "text" or (form == "bag" and not length)

    @property
    def cut(self) -> Cut:
        """After how much a shard ends."""
        return Cut()

    def disclosed(self, source: Source) -> Scope:
        """Say what a released table tells, whatever the mechanism is."""
        return disclosed_texts(source, tells_length=self.tells_length)

    def bill(self) -> Bill:
        """Return the loss of one word, known or not, or of one whole text."""
        promise = self.planned.promise
        unknown = promise.landmarks.unknown_loss
        cost = Cost.of(promise, near=promise.near_bound, unknown=unknown)
        return Bill(self.planned.mechanism, promise, cost)

    def summary(self, outcome: Outcome) -> ReleaseSummary:
        """Return the facts about the release."""
        planned = self.planned
        return ReleaseSummary(
            settings=self.settings,
            mechanism=planned.mechanism,
            embedding=planned.embedding.name,
            fingerprint=planned.embedding.fingerprint,
            guarantee=planned.promise.covering(outcome.scope),
            exposure=outcome.exposure,
            is_secure=outcome.is_secure,
            files=outcome.files,
        )

    def beside(self, summary: ReleaseSummary, seen: Seen) -> dict[str, bytes]:
        """Return the report, and the vocabulary of term vectors."""
        words = self.planned.embedding.vocabulary.words
        story = tell(self.planned.channel, words)
        found = {"report.html": render_page(summary, story, seen.private).encode()}
        if self.settings.form == "tf":
            found["vocabulary.txt"] = ("\n".join(words) + "\n").encode()
        return found


def _word_form(settings: WordSettings) -> Form:
    return plan(settings).form


def _as_drawn(settings: WordSettings) -> WordSettings:
    """Return the settings with what term vectors put in the place of their defaults."""
    if settings.form != "tf":
        return settings
    return replace(
        settings,
        mechanism="syntf",
        metric="",
        length=settings.length or DEFAULT_TERMS,
        vocabulary=settings.vocabulary or TERM_VOCABULARY,
    )


def _refuse_idle(settings: WordSettings) -> None:
    """Refuse settings that term vectors would not obey."""
    given = {
        "mechanism": settings.mechanism != WordSettings().mechanism,
        "metric": settings.metric != "",
        "level": settings.level is not None,
    }
    for name, is_given in given.items():
        if is_given:
            raise ParameterError(
                f"--{name} has no meaning for term vectors, which SynTF draws; "
                "leave it out"
            )
