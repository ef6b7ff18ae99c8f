"""Words are replaced one by one."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import ClassVar

from publius.accounting.spending import Charge, Cost
from publius.core.config import WordSettings
from publius.core.errors import ParameterError
from publius.core.guarantee import Guarantee
from publius.materials.form import Form
from publius.materials.treatment import (
    Prepared,
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
from publius.reporting.examples import tell
from publius.reporting.summary import Summary
from publius.reporting.words import WordFacts, render_page
from publius.tables.formats.table import TYPED
from publius.tables.source import Source

SMALL_INPUT = 2_000_000
"""Inputs beyond this many bytes are worth preparing the whole public table for."""


@dataclass(frozen=True, slots=True)
class WordTreatment:
    """A word mechanism that is not built yet.

    Args:
        settings: With every default put in.
    """

    is_typed: ClassVar[bool] = False
    needs_rows: ClassVar[bool] = False

    settings: WordSettings

    @classmethod
    def of(cls, settings: WordSettings) -> "WordTreatment":
        """Put the defaults in; refuse settings that would not be obeyed."""
        if settings.form == "tf":
            _refuse_idle(settings)
        return cls(_as_drawn(resolved(settings)))

    def refuse(self, file_format: str) -> None:
        """Refuse term vectors in a format without lists, and points on a map."""
        refuse_geojson(file_format)
        if self.settings.form == "tf" and file_format not in TYPED:
            *others, last = sorted(TYPED, reverse=True)
            names = f"{', '.join(others)} or {last}"
            raise ParameterError(f"term vectors need --format {names}")

    def job(self) -> dict[str, object]:
        """Return the settings."""
        job: dict[str, object] = {"settings": flat_settings(self.settings)}
        lists = digests_of_lists(self.settings)
        return job | {"lists": lists} if lists else job

    def prepare(
        self, source: Source, stage: Callable[[str], None]
    ) -> Prepared[WordFacts]:
        """Build the mechanism; for a large input with its whole public table."""
        stage("preparing the mechanism")
        size = source.size_bytes
        if size is None or size >= SMALL_INPUT:
            prepare(self.settings)
        return _prepared(self.settings, plan(self.settings, stage))


def _prepared(settings: WordSettings, planned: Plan) -> Prepared[WordFacts]:
    form, length = settings.form, settings.length
    tells_length = form == "text" or (form == "bag" and not length)
    return Prepared(
        form=planned.form,
        make_form=partial(_word_form, settings),
        charge=word_charge(planned.mechanism, planned.guarantee),
        disclosed=partial(disclosed_texts, tells_length=tells_length),
        facts=partial(
            WordFacts,
            settings,
            planned.mechanism,
            planned.embedding.name,
            planned.embedding.fingerprint,
        ),
        beside=partial(_beside, planned),
        tells_length=tells_length,
        is_on_gpu=any(
            getattr(own, "device", "").startswith("cuda") for own in settings.own
        ),
    )


def word_charge(mechanism: str, guarantee: Guarantee) -> Charge:
    """Return the loss of one word, known or not, or of one whole text."""
    unknown = guarantee.landmarks.unknown_loss
    cost = Cost.of(guarantee, near=guarantee.near_bound, unknown=unknown)
    return Charge(mechanism, guarantee, cost)


def _beside(planned: Plan, summary: Summary[WordFacts], seen: Seen) -> dict[str, bytes]:
    """Return the report, and the vocabulary of term vectors."""
    words = planned.embedding.vocabulary.words
    shown = tell(planned.channel, words)
    files = {"report.html": render_page(summary, shown, seen.private).encode()}
    if summary.facts.settings.form == "tf":
        files["vocabulary.txt"] = ("\n".join(words) + "\n").encode()
    return files


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
