"""Whole sentences are rewritten by an autoencoder."""

from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from functools import lru_cache, partial

import pyarrow as pa

from publius import autoencoder
from publius.accounting.gaussian import USUAL_DELTA, asked_sigma, checked_delta
from publius.core.arrays import IdArray, Rng, positive
from publius.core.errors import ParameterError
from publius.core.rng import seeded
from publius.engines.words import Form
from publius.release.treatment import Outcome
from publius.reporting.rendering import Example, Private
from publius.reporting.sentences import SentenceSummary, render_sentences

MECHANISM = "dp-vae.v1"
PUBLIC = (
    "The acting was terrible and the plot made no sense.",
    "I really loved this movie, it was funny and touching.",
    "Our economy is growing and unemployment has fallen.",
    "We must strengthen our schools and support our teachers.",
)
"""Sentences that a report shows before and after."""


@dataclass(frozen=True, slots=True)
class SentenceSettings:
    """How sentences are rewritten.

    Args:
        sigma: Deviation of the noise; None if `epsilon` decides it.
        epsilon: ε of one sentence at `delta`, instead of `sigma`.
        delta: At which every ε is stated; in (0, 1).
        model: ``default`` or the path of a trained model.
        decoding: greedy, beam, top-k or nucleus.
        device: auto, cpu or cuda.
    """

    sigma: float | None = None
    epsilon: float | None = None
    delta: float = USUAL_DELTA
    model: str = "default"
    decoding: str = "greedy"
    device: str = "auto"

    def __post_init__(self) -> None:
        asked_sigma(self.sigma, self.epsilon, self.delta, sensitivity=1.0)
        checked_delta(self.delta)
        autoencoder.Decoding(self.decoding)


@dataclass(frozen=True, slots=True, eq=False)
class SentenceForm:
    """Whole texts whose sentences are rewritten."""

    model: "autoencoder.SentenceVAE"
    sigma: float
    decoding: "autoencoder.Decoding"

    def fields(self, text: str) -> list[pa.Field]:
        """Return the text column."""
        return [pa.field(text, pa.large_string())]

    def columns(self, texts: list[str], rng: Rng) -> tuple[list[pa.Array], IdArray]:
        """Rewrite texts; each of their sentences spends one promise."""
        out = self.model.rewrite(texts, rng, sigma=self.sigma, decoding=self.decoding)
        return [pa.array(out.texts, pa.large_string())], out.sentences

    def costs(self, texts: list[str]) -> IdArray:
        """Count sentences."""
        return self.model.count(texts)


@lru_cache(maxsize=2)
def _loaded(model: str, device: str) -> "autoencoder.SentenceVAE":
    return autoencoder.SentenceVAE.load(model, device=device)


def sentence_form(settings: SentenceSettings) -> SentenceForm:
    """Load the model and find its noise; kinds without a promise are refused."""
    model = _loaded(settings.model, settings.device)
    if model.shape.kind != "dp-vae":
        raise ParameterError(
            f"a model of kind {model.shape.kind} promises nothing end to end and "
            "cannot make a release; publius autoencoder rewrite runs it"
        )
    sigma = asked_sigma(
        settings.sigma,
        settings.epsilon,
        settings.delta,
        sensitivity=2 * model.shape.bound,
    )
    return SentenceForm(model, sigma, autoencoder.Decoding(settings.decoding))


def _form(settings: SentenceSettings) -> Form:
    return sentence_form(settings)


@dataclass(frozen=True, slots=True)
class SentenceTreatment:
    """An autoencoder that is not loaded yet."""

    settings: SentenceSettings

    def refuse(self, file_format: str) -> None:
        """Refuse nothing: sentences fit every format."""

    def job(self) -> dict[str, object]:
        """Return the settings and the model's fingerprint; the device may change."""
        return {
            "settings": asdict(replace(self.settings, device="auto")),
            "model": sentence_form(self.settings).model.fingerprint,
        }

    def prepare(
        self, _size_bytes: int | None, stage: Callable[[str], None]
    ) -> "PreparedSentences":
        """Load the model."""
        stage("loading the model")
        return PreparedSentences(self.settings, sentence_form(self.settings))


@dataclass(frozen=True, slots=True, eq=False)
class PreparedSentences:
    """An autoencoder that can rewrite."""

    settings: SentenceSettings
    form: SentenceForm

    @property
    def make_form(self) -> Callable[[], Form]:
        """Builds the form anew in another process."""
        return partial(_form, self.settings)

    @property
    def tells_length(self) -> bool:
        """A rewritten text has as many sentences as its original."""
        return True

    def summary(self, outcome: Outcome) -> SentenceSummary:
        """Return the facts about the release."""
        model = self.form.model
        return SentenceSummary(
            mechanism=MECHANISM,
            model=_model_name(self.settings),
            fingerprint=model.fingerprint,
            settings=_public(self.settings, self.form),
            delta=self.settings.delta,
            guarantee=model.guarantee(self.form.sigma).covering(outcome.scope),
            exposure=outcome.exposure,
            is_secure=outcome.is_secure,
            files=outcome.files,
        )

    def beside(self, summary: SentenceSummary, private: Private) -> dict[str, bytes]:
        """Return the report, which shows public sentences before and after."""
        form = self.form
        # A fixed public stream: these sentences are no secret and no release.
        shown = form.model.rewrite(
            PUBLIC, seeded(0), sigma=form.sigma, decoding=form.decoding
        )
        pairs = zip(PUBLIC, shown.texts, strict=True)
        public = [Example(before, after) for before, after in pairs]
        return {"report.html": render_sentences(summary, public, private).encode()}


def _public(
    settings: SentenceSettings, form: SentenceForm
) -> dict[str, str | int | float | bool | None]:
    """Return the settings without the path of a model, which tells about a person."""
    return {
        "sigma": positive("sigma", form.sigma),
        "epsilon": settings.epsilon,
        "delta": settings.delta,
        "bound": form.model.shape.bound,
        "decoding": settings.decoding,
        "model": _model_name(settings),
    }


def _model_name(settings: SentenceSettings) -> str:
    return settings.model if settings.model == "default" else "own"
