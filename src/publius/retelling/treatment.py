"""Texts are written anew from their noisy content words."""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path

import pyarrow as pa

from publius.accounting.spending import Bill, Cost
from publius.core.arrays import IdArray, Rng
from publius.core.guarantee import Guarantee, JsonValue, Scope
from publius.materials.form import Form, Released
from publius.materials.treatment import (
    Outcome,
    Seen,
    disclosed_texts,
    refuse_geojson,
)
from publius.materials.words.forms import charged, one_each, released_texts, texts_of
from publius.materials.words.remarks import text_remarks
from publius.reporting.page import render_page
from publius.reporting.story import tell
from publius.reporting.summary import ReleaseSummary
from publius.retelling.assemble import retelling_of, word_settings
from publius.retelling.retelling import INVENTED, NAME, Retelling
from publius.retelling.server import checked_address
from publius.retelling.settings import PLAIN, RetellSettings
from publius.tables.shards import Cut
from publius.tables.source import Source

ROWS = 64
"""Texts of a shard. Passages of a shard are written side by side, so that a shard must
not end where the secret texts reach some size."""


@dataclass(frozen=True, slots=True, eq=False)
class RetellForm:
    """Whole texts that were written anew."""

    retelling: Retelling

    def fields(self, protected: Sequence[pa.Field]) -> list[pa.Field]:
        """Return the text column."""
        return [pa.field(protected[0].name, pa.large_string())]

    def release(
        self, rows: pa.RecordBatch, rng: Rng, *, first_row: int = 1
    ) -> Released:
        """Retell texts."""
        del first_row
        retold = self.retelling.release(texts_of(rows), rng)
        column = pa.array(retold.texts, pa.large_string())
        return released_texts(rows, [column], self.costs(rows))

    def remarks(self, rows: pa.RecordBatch) -> list[str]:
        """Say whether these are English texts, the only ones that a model knows."""
        return text_remarks(texts_of(rows))

    def costs(self, rows: pa.RecordBatch) -> IdArray:
        """Count content words, or one for a text of fixed number."""
        if self.retelling.cut.words is not None:
            return one_each(rows)
        return charged(self.retelling.count(texts_of(rows)), rows.column(0))


def _form(settings: RetellSettings) -> Form:
    return RetellForm(retelling_of(settings))


@dataclass(frozen=True, slots=True)
class RetellTreatment:
    """A retelling whose model is not loaded yet."""

    settings: RetellSettings

    @classmethod
    def of(cls, settings: RetellSettings) -> "RetellTreatment":
        """Refuse a server elsewhere before anything is opened."""
        if settings.server:
            checked_address(settings.server, allow_remote=settings.allow_remote)
        return cls(settings)

    @property
    def is_typed(self) -> bool:
        """Whether protected columns may hold something else than strings."""
        return False

    @property
    def needs_rows(self) -> bool:
        """Whether a release without a row is refused."""
        return False

    def refuse(self, file_format: str) -> None:
        """Refuse points on a map."""
        refuse_geojson(file_format)

    def job(self) -> dict[str, object]:
        """Return the settings."""
        return {"settings": asdict(self.settings)}

    def prepare(
        self, _source: Source, stage: Callable[[str], None]
    ) -> "PreparedRetelling":
        """Build the mechanism and load the model."""
        return PreparedRetelling(self.settings, retelling_of(self.settings, stage))


@dataclass(frozen=True, slots=True, eq=False)
class PreparedRetelling:
    """A retelling that can write."""

    settings: RetellSettings
    retelling: Retelling

    @property
    def form(self) -> RetellForm:
        """The shape in which texts leave."""
        return RetellForm(self.retelling)

    @property
    def make_form(self) -> Callable[[], Form]:
        """Builds the form anew in another process."""
        return partial(_form, self.settings)

    @property
    def tells_length(self) -> bool:
        """Whether a retold text tells how many content words its original had."""
        return self.settings.words is None

    @property
    def cut(self) -> Cut:
        """After how many rows a shard ends, whatever they hold."""
        return Cut(rows=ROWS, size=1 << 62)

    def disclosed(self, source: Source) -> Scope:
        """Say what a released table tells, whatever the mechanism is."""
        return disclosed_texts(source, tells_length=self.tells_length)

    @property
    def _promised(self) -> Guarantee:
        return self.retelling.guarantee()

    def bill(self) -> Bill:
        """Return the loss of one word, known or not, or of one whole text."""
        promised = self._promised
        unknown = promised.landmarks.unknown_loss
        cost = Cost.of(promised, near=promised.near_bound, unknown=unknown)
        return Bill(NAME, promised, cost)

    def summary(self, outcome: Outcome) -> ReleaseSummary:
        """Return the facts about the release."""
        embedding = self.retelling.embedding
        return ReleaseSummary(
            settings=word_settings(self.settings),
            mechanism=NAME,
            embedding=embedding.name,
            fingerprint=embedding.fingerprint,
            guarantee=self._promised.covering(outcome.scope),
            exposure=outcome.exposure,
            is_secure=outcome.is_secure,
            files=outcome.files,
            warnings=(INVENTED,),
            retelling=_public(self.settings, self.retelling.writer.name),
        )

    def beside(self, summary: ReleaseSummary, seen: Seen) -> dict[str, bytes]:
        """Return the report."""
        words = self.retelling.embedding.vocabulary.words
        story = tell(self.retelling.mechanism, words)
        return {"report.html": render_page(summary, story, seen.private).encode()}


def _public(settings: RetellSettings, writer: str) -> dict[str, JsonValue]:
    """Return the settings without addresses and paths, which tell about people."""
    path = settings.adapter
    shown = path if path in ("", PLAIN) else Path(path).name
    public = replace(settings, adapter=shown, server="")
    return {**asdict(public), "writer": writer, "invented": True}
