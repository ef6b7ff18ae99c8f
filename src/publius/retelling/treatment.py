"""Texts are written anew from their noisy content words."""

import re
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import ClassVar

import pyarrow as pa

from publius.core.arrays import IdArray, Rng
from publius.core.errors import ParameterError
from publius.core.guarantee import JsonValue
from publius.materials.form import Form, Released
from publius.materials.treatment import (
    Prepared,
    Seen,
    disclosed_texts,
    refuse_geojson,
)
from publius.materials.words.forms import charged, one_each, released_texts, texts_of
from publius.materials.words.remarks import text_remarks
from publius.materials.words.treatment import word_charge
from publius.mechanisms.words.lists import digests_of_lists
from publius.reporting.examples import tell
from publius.reporting.summary import Summary
from publius.reporting.words import WordFacts, render_page
from publius.retelling.assemble import retelling_of, word_settings
from publius.retelling.retelling import INVENTED, Retelling
from publius.retelling.server import checked_address, is_elsewhere, without_folder
from publius.retelling.settings import PLAIN, TIDIED, RetellSettings
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

    is_typed: ClassVar[bool] = False
    needs_rows: ClassVar[bool] = False

    settings: RetellSettings

    @classmethod
    def of(cls, settings: RetellSettings, *, resumes: bool) -> "RetellTreatment":
        """Refuse a server elsewhere before anything is opened.

        Raises:
            ParameterError: It is not allowed, or would be sent a second draw.
        """
        if settings.server:
            checked_address(settings.server, allow_remote=settings.allow_remote)
        if resumes and _is_sent_away(settings):
            raise ParameterError(
                "--resume draws anew what was not committed, and words of it were sent "
                "to another machine; begin anew with --force, which is a second "
                "release for whoever runs that machine"
            )
        return cls(settings)

    def refuse(self, file_format: str) -> None:
        """Refuse points on a map."""
        refuse_geojson(file_format)

    def job(self) -> dict[str, object]:
        """Return the settings; earlier laws know no tidying and draw as they did.

        Where all words are drawn and none is blocked, a job is what it was before
        that could be asked for.
        """
        settings = asdict(self.settings)
        if self.settings.law != TIDIED:
            del settings["tidy"]
        if self.settings.most_words is None:
            del settings["most_words"]
        if not self.settings.skip_common:
            del settings["skip_common"]
        if not self.settings.block:
            del settings["block"]
            return {"settings": settings}
        lists = digests_of_lists(word_settings(self.settings))
        return {"settings": settings, "lists": lists}

    def prepare(
        self, _source: Source, stage: Callable[[str], None]
    ) -> Prepared[WordFacts]:
        """Build the mechanism and load the model."""
        return _prepared(self.settings, retelling_of(self.settings, stage))


def _is_sent_away(settings: RetellSettings) -> bool:
    return bool(settings.server) and is_elsewhere(settings.server)


def _prepared(settings: RetellSettings, retelling: Retelling) -> Prepared[WordFacts]:
    tells_length, embedding = settings.words is None, retelling.embedding
    return Prepared(
        form=RetellForm(retelling),
        make_form=partial(_form, settings),
        charge=word_charge(retelling.name, retelling.guarantee()),
        disclosed=partial(disclosed_texts, tells_length=tells_length),
        facts=partial(
            WordFacts,
            word_settings(settings),
            retelling.name,
            embedding.name,
            embedding.fingerprint,
            warnings=(INVENTED,),
            retelling=public_settings(settings, retelling.writer.name),
        ),
        beside=partial(_beside, retelling),
        # After how many rows a shard ends must not depend on what they hold.
        cut=Cut(rows=ROWS, size=1 << 62),
        tells_length=tells_length,
        is_seen_early=_is_sent_away(settings),
        is_writing=True,
    )


def _beside(
    retelling: Retelling, summary: Summary[WordFacts], seen: Seen
) -> dict[str, bytes]:
    """Return the report."""
    shown = tell(retelling.mechanism, retelling.embedding.vocabulary.words)
    return {"report.html": render_page(summary, shown, seen.private).encode()}


def public_settings(settings: RetellSettings, writer: str) -> dict[str, JsonValue]:
    """Return the settings without addresses and paths, which tell about people."""
    path = settings.adapter
    shown = path if path in ("", PLAIN) else Path(path).name
    model = without_folder(settings.model)
    own = Path(settings.local_model).name
    public = replace(settings, adapter=shown, server="", model=model, local_model=own)
    public = replace(public, tidy=settings.law == TIDIED)
    public = replace(public, block=re.split(r"[/\\]", settings.block)[-1])
    if not settings.is_taught:
        public = replace(public, use_words=0.0)  # no other writer favours words
    return {**asdict(public), "writer": writer, "invented": True}
