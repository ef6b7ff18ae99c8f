"""Whole sentences are rewritten by an autoencoder."""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from functools import lru_cache, partial
from typing import ClassVar

import pyarrow as pa

from publius import autoencoder
from publius.accounting.gaussian import asked_sigma
from publius.accounting.spending import Charge, Cost
from publius.core.arrays import IdArray, Rng
from publius.core.errors import ParameterError
from publius.core.rng import seeded
from publius.materials.form import Released
from publius.materials.sentences.settings import SentenceSettings
from publius.materials.treatment import (
    Prepared,
    Seen,
    disclosed_texts,
    refuse_geojson,
)
from publius.materials.words.forms import charged, one_each, released_texts, texts_of
from publius.materials.words.remarks import text_remarks
from publius.reporting.rendering import Example
from publius.reporting.sentences import SentenceFacts, render_sentences
from publius.reporting.summary import Summary
from publius.tables.source import Source

MECHANISM = "dp-vae.v1"
PUBLIC = (
    "The acting was terrible and the plot made no sense.",
    "I really loved this movie, it was funny and touching.",
    "Our economy is growing and unemployment has fallen.",
    "We must strengthen our schools and support our teachers.",
)
"""Sentences that a report shows before and after."""

NONE = "(no sentence)"


@dataclass(frozen=True, slots=True, eq=False)
class SentenceForm:
    """Whole texts whose sentences are rewritten.

    Args:
        model: Rewrites them.
        sigma: Deviation of its noise.
        decoding: How words are chosen.
        sentences: Of every text; None for as many as it has.
    """

    model: "autoencoder.SentenceVAE"
    sigma: float
    decoding: "autoencoder.Decoding"
    sentences: int | None = None

    def fields(self, protected: Sequence[pa.Field]) -> list[pa.Field]:
        """Return the text column."""
        return [pa.field(protected[0].name, pa.large_string())]

    def release(
        self, rows: pa.RecordBatch, rng: Rng, *, first_row: int = 1
    ) -> Released:
        """Rewrite texts."""
        del first_row
        out = self.model.rewrite(
            texts_of(rows),
            rng,
            sigma=self.sigma,
            decoding=self.decoding,
            sentences=self.sentences,
        )
        costs = one_each(rows) if self.sentences is not None else out.sentences
        column = pa.array(out.texts, pa.large_string())
        return released_texts(rows, [column], costs)

    def remarks(self, rows: pa.RecordBatch) -> list[str]:
        """Say whether these are English texts, the only ones that a model knows."""
        return text_remarks(texts_of(rows))

    def costs(self, rows: pa.RecordBatch) -> IdArray:
        """Count sentences, or one for a text of fixed number."""
        if self.sentences is not None:
            return one_each(rows)
        return charged(self.model.count(texts_of(rows)), rows.column(0))


@lru_cache(maxsize=2)
def _loaded(model: str, device: str) -> "autoencoder.SentenceVAE":
    return autoencoder.SentenceVAE.load(model, device=device)


def sentence_form(settings: SentenceSettings) -> SentenceForm:
    """Load the model and find its noise; kinds without a guarantee are refused."""
    model = _loaded(settings.model, settings.device)
    if model.shape.kind != "dp-vae":
        raise ParameterError(
            f"a model of kind {model.shape.kind} guarantees nothing end to end and "
            "cannot make a release; publius autoencoder rewrite runs it"
        )
    count = settings.sentences or 1
    sigma = asked_sigma(
        settings.sigma,
        settings.epsilon,
        settings.delta,
        sensitivity=2 * model.shape.bound,
        count=count if settings.per == "text" else 1,
    )
    decoding = autoencoder.Decoding(settings.decoding)
    return SentenceForm(model, sigma, decoding, settings.sentences)


@dataclass(frozen=True, slots=True)
class SentenceTreatment:
    """An autoencoder that is not loaded yet."""

    is_typed: ClassVar[bool] = False
    needs_rows: ClassVar[bool] = False

    settings: SentenceSettings

    def refuse(self, file_format: str) -> None:
        """Refuse points on a map."""
        refuse_geojson(file_format)

    def job(self) -> dict[str, object]:
        """Return the settings and the model's fingerprint; the device may change."""
        return {
            "settings": asdict(replace(self.settings, device="auto")),
            "model": sentence_form(self.settings).model.fingerprint,
        }

    def prepare(
        self, _source: Source, stage: Callable[[str], None]
    ) -> Prepared[SentenceFacts]:
        """Load the model."""
        stage("loading the model")
        return _prepared(self.settings, sentence_form(self.settings))


def _prepared(
    settings: SentenceSettings, form: SentenceForm
) -> Prepared[SentenceFacts]:
    tells_length = settings.sentences is None
    guarantee = form.model.guarantee(form.sigma, form.sentences)
    return Prepared(
        form=form,
        make_form=partial(sentence_form, settings),
        charge=Charge(MECHANISM, guarantee, Cost.of(guarantee)),
        disclosed=partial(disclosed_texts, tells_length=tells_length),
        facts=partial(
            SentenceFacts,
            MECHANISM,
            _model_name(settings),
            form.model.fingerprint,
            _public(settings, form),
            settings.delta,
        ),
        beside=partial(_beside, form),
        tells_length=tells_length,
        is_on_gpu=settings.device != "cpu",
    )


def _beside(
    form: SentenceForm, summary: Summary[SentenceFacts], seen: Seen
) -> dict[str, bytes]:
    """Return the report, which shows public sentences before and after."""
    # A fixed public stream: these sentences are no secret and no release.
    rewrite = partial(form.model.rewrite, rng=seeded(0), sigma=form.sigma)
    shown = rewrite(PUBLIC, decoding=form.decoding).texts
    public = [Example(*pair) for pair in zip(PUBLIC, shown, strict=True)]
    if form.sentences is not None:
        filled = rewrite([""], decoding=form.decoding, sentences=1).texts
        public.append(Example(NONE, filled[0]))
    return {"report.html": render_sentences(summary, public, seen.private).encode()}


def _public(
    settings: SentenceSettings, form: SentenceForm
) -> dict[str, str | int | float | bool | None]:
    """Return the settings without the path of a model, which tells about a person."""
    return {
        "sigma": form.sigma,
        "epsilon": settings.epsilon,
        "per": settings.per,
        "delta": settings.delta,
        "sentences": settings.sentences,
        "bound": form.model.shape.bound,
        "decoding": settings.decoding,
        "model": _model_name(settings),
    }


def _model_name(settings: SentenceSettings) -> str:
    return settings.model if settings.model == "default" else "own"
