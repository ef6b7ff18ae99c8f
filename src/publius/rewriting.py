"""A release of rewritten sentences: a table of secret texts in, a folder out."""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from functools import lru_cache, partial
from pathlib import Path

import pyarrow as pa

from publius import autoencoder
from publius.accounting.gaussian import USUAL_DELTA, asked_sigma, checked_delta
from publius.core.arrays import IdArray, Rng, positive
from publius.core.errors import ParameterError
from publius.core.rng import seeded
from publius.corpus.columns import Columns
from publius.corpus.folder import ReleaseFolder
from publius.corpus.read import open_source
from publius.corpus.source import Source
from publius.engines.words import Form, release_schema
from publius.release import Run, Watch, disclosed, sha256_of
from publius.reporting.page import Example
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


@dataclass(frozen=True, slots=True)
class SentenceRequest:
    """Everything that a release of sentences is asked for.

    Args:
        path: File or folder, or ``-`` for standard input.
        out: Folder to write.
        columns: Text column, author column, columns that leave unprotected.
        settings: How sentences are rewritten.
        seed: For tests only; marks the release as insecure.
        workers: Number of processes.
        resume: Continue an interrupted run.
        format: Of ``data.*``; ``same`` for the input's own.
        input_format: Of the input when its name does not tell.
        encoding: Of a text input.
        show_examples: Put real lines into the report, which then is not publishable.
    """

    path: str
    out: Path
    columns: Columns
    settings: SentenceSettings
    seed: int | None = None
    workers: int = 1
    resume: bool = False
    format: str = "parquet"
    input_format: str | None = None
    encoding: str = "utf-8"
    show_examples: bool = False


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


def release_sentences(
    request: SentenceRequest, watch: Watch | None = None
) -> SentenceSummary:
    """Run a release of rewritten sentences from its input to its report.

    Raises:
        PubliusError: With one line that says what to do; nothing half-written is left
            behind that could be taken for a release.
    """
    watch = watch or Watch()
    watch.stage("loading the model")
    form = sentence_form(request.settings)
    source = open_source(
        request.path,
        columns=request.columns,
        input_format=request.input_format,
        encoding=request.encoding,
    )
    file_format = _file_format(request, source)
    job = _job(request, form, source)
    with ReleaseFolder.create(request.out, job, resume=request.resume) as folder:
        run = Run(request, source, folder, watch)
        schema = release_schema(form, source.text, source.schema, source.columns.keep)
        count = run.release(form, partial(_form, request.settings))
        watch.stage("writing")
        path = folder.write_release(file_format, shards=count, schema=schema)
        summary = SentenceSummary(
            mechanism=MECHANISM,
            model=_model_name(request.settings),
            fingerprint=form.model.fingerprint,
            settings=_public(request.settings, form),
            delta=request.settings.delta,
            guarantee=form.model.guarantee(form.sigma).covering(disclosed(source)),
            exposure=run.exposure(tells_length=True),
            is_secure=request.seed is None,
            files={path.name: sha256_of(path)},
        )
        _write_beside(folder, summary, form, run.examples)
        folder.finish()
    return summary


def _write_beside(
    folder: ReleaseFolder,
    summary: SentenceSummary,
    form: SentenceForm,
    examples: Sequence[Example],
) -> None:
    # A fixed public stream: these sentences are no secret and no release.
    shown = form.model.rewrite(
        PUBLIC, seeded(0), sigma=form.sigma, decoding=form.decoding
    )
    pairs = zip(PUBLIC, shown.texts, strict=True)
    public = [Example(before, after) for before, after in pairs]
    page = render_sentences(summary, public, examples)
    folder.write_file("report.html", page.encode())
    manifest = json.dumps(
        summary.to_json(), indent=1, sort_keys=True, ensure_ascii=False
    )
    folder.write_file("manifest.json", manifest.encode() + b"\n")


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


def _job(
    request: SentenceRequest, form: SentenceForm, source: Source
) -> dict[str, object]:
    """Return what must not change when a run is resumed; no secret is in it."""
    identity = source.identity
    return {
        "settings": asdict(replace(request.settings, device="auto")),
        "model": form.model.fingerprint,
        "columns": asdict(source.columns),
        "seed": request.seed,
        "input": None if identity is None else asdict(identity),
    }


def _file_format(request: SentenceRequest, source: Source) -> str:
    own = {"folder": "parquet"}.get(source.format, source.format)
    file_format = own if request.format == "same" else request.format
    if file_format == "txt" and source.columns.keep:
        raise ParameterError("--format txt has no place for kept columns")
    return file_format
