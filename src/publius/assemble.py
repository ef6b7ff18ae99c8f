"""Names → objects: the only file that knows every component."""

import shutil
import tempfile
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

from publius.config import WordSettings
from publius.core.arrays import IdArray
from publius.core.errors import DataError, ParameterError, UnknownNameError
from publius.core.guarantee import Guarantee
from publius.core.mechanism import Mechanism
from publius.core.space import Balls, Layered, Space, neighbour_distance
from publius.embeddings.catalogue import load_embedding
from publius.embeddings.embedding import Embedding
from publius.embeddings.folders import cache_folder
from publius.embeddings.space_spec import DEFAULT_SPACE
from publius.engines.words import BagForm, Form, TextForm, VectorForm
from publius.mechanisms import prepared
from publius.mechanisms.balance import Progress, Workshop, calibrate
from publius.mechanisms.ball_law import all_balls, open_balls, save_balls
from publius.mechanisms.exponential import Exponential
from publius.mechanisms.laplace import Laplace
from publius.mechanisms.nearest_word import NearestWord
from publius.mechanisms.syntf import CosineRatings, SynTF, TermChannel
from publius.sanitize.bags import bag_guarantee
from publius.sanitize.oov import FunctionWords, OovPolicy
from publius.sanitize.sanitizer import Sanitizer
from publius.text.bigrams import letter_bigrams
from publius.text.tokenizer import Tokenizer

WordMechanism = Mechanism[IdArray, IdArray]
Build = Callable[[Embedding, WordSettings, Progress], WordMechanism]

DEFAULT_TERMS = 100
"""Length of a SynTF vector when none is asked for."""

TERM_VOCABULARY = 10_000
"""Words of a SynTF vocabulary when none is asked for."""


def _silent(_: str) -> None:
    """Tell nobody."""


@dataclass(frozen=True, slots=True)
class WordEntry:
    """A word mechanism by name: its default metric and how to build it."""

    metric: str
    build: Build


@lru_cache(maxsize=4)
def embedding_for(name: str, vocabulary: int | None) -> Embedding:
    """Load an embedding once per process."""
    return load_embedding(name, vocabulary)


def word_entry(name: str) -> WordEntry:
    """Look a word mechanism up, with or without its version."""
    short = name.removesuffix(".v1")
    if short not in WORD_MECHANISMS:
        raise UnknownNameError("word mechanism", name, WORD_MECHANISMS)
    return WORD_MECHANISMS[short]


def resolved(settings: WordSettings) -> WordSettings:
    """Fill in the metric, and turn a level against near words into epsilon."""
    metric = settings.metric or word_entry(settings.mechanism).metric
    settings = replace(settings, metric=metric)
    if settings.level is None:
        return settings
    embedding = embedding_for(settings.embedding, settings.vocabulary)
    near = neighbour_distance(embedding.space(metric), settings.neighbours)
    if not near > 0:
        raise ParameterError(
            "a level needs a vocabulary of more than one distinct word"
        )
    return replace(settings, epsilon=settings.level / near, level=None)


def calibrated(
    space: Space, settings: WordSettings, progress: Progress = _silent
) -> prepared.Calibration:
    """Return decay and certificate for ε: shipped, from the cache, or computed."""
    name = prepared.file_name(space.id, settings.epsilon, balanced=settings.balanced)
    cache = cache_folder() / "calibrations"
    found = prepared.find(name, space.size, (prepared.SHIPPED, cache))
    if found is None:
        workshop = Workshop.of(space, whole_balls(space, only_kept=True))
        found = calibrate(
            workshop, settings.epsilon, balanced=settings.balanced, progress=progress
        )
        # A full or read-only cache costs time in the next run and nothing else.
        with suppress(OSError):
            prepared.save(cache, name, found)
    return found


def whole_balls(space: Space, *, only_kept: bool = False) -> Balls | None:
    """Return the prepared balls of a layered space, from the cache when they are there.

    Args:
        space: The public space.
        only_kept: Do not form and keep them if the cache has none.
    """
    if not isinstance(space, Layered):
        return None
    folder = cache_folder() / "balls" / space.id.replace(":", "-")
    with suppress(DataError):
        kept = open_balls(folder)
        if len(kept.bounds) == space.size:
            return kept
    if only_kept:
        return None
    balls = all_balls(space)
    with suppress(OSError):
        _keep_balls(balls, folder)
    return balls


def _keep_balls(balls: Balls, folder: Path) -> None:
    folder.parent.mkdir(parents=True, exist_ok=True)
    partial = Path(tempfile.mkdtemp(prefix=".balls.", dir=folder.parent))
    try:
        save_balls(balls, partial)
        if folder.exists():
            shutil.rmtree(folder)
        partial.replace(folder)
    except OSError:
        shutil.rmtree(partial, ignore_errors=True)
        raise


def _exponential(
    embedding: Embedding, settings: WordSettings, progress: Progress
) -> WordMechanism:
    space = embedding.space(settings.metric)
    decay, certificate = calibrated(space, settings, progress)
    return Exponential(space, decay, certificate, whole_balls(space, only_kept=True))


def _laplace(
    embedding: Embedding, settings: WordSettings, _: Progress
) -> WordMechanism:
    if settings.metric != "euclidean":
        raise ParameterError(
            f"laplace is euclidean; it has no metric {settings.metric!r}"
        )
    noise = Laplace(settings.epsilon, embedding.dim)
    return NearestWord(noise, embedding.vectors, embedding, embedding.fingerprint)


WORD_MECHANISMS: dict[str, WordEntry] = {
    "exponential": WordEntry(DEFAULT_SPACE, _exponential),
    "laplace": WordEntry("euclidean", _laplace),
}


def word_mechanism(
    settings: WordSettings, progress: Progress = _silent
) -> WordMechanism:
    """Build the word mechanism that the settings name."""
    settings = resolved(settings)
    embedding = embedding_for(settings.embedding, settings.vocabulary)
    return word_entry(settings.mechanism).build(embedding, settings, progress)


def sanitizer(settings: WordSettings, progress: Progress = _silent) -> Sanitizer:
    """Build the sanitizer that the settings describe."""
    return Sanitizer(
        Tokenizer(protect_all=settings.protect == "all"),
        embedding_for(settings.embedding, settings.vocabulary),
        word_mechanism(settings, progress),
        OovPolicy(settings.oov),
        FunctionWords(settings.function_words),
    )


def syntf(settings: WordSettings) -> tuple[SynTF, Embedding]:
    """Build SynTF and the vocabulary of its vectors."""
    words = settings.vocabulary or TERM_VOCABULARY
    embedding = embedding_for(settings.embedding, words)
    ratings = CosineRatings(
        embedding.vectors,
        letter_bigrams(embedding.vocabulary.words) if settings.overlap > 0 else None,
        settings.overlap,
        embedding.fingerprint,
    )
    return SynTF(ratings, settings.epsilon, settings.length or DEFAULT_TERMS), embedding


@dataclass(frozen=True, slots=True, eq=False)
class Plan:
    """Everything that a word release is made of.

    Args:
        form: The shape in which texts leave.
        embedding: The public vocabulary.
        channel: Replaces one word; what a report shows about public words.
        mechanism: Registered name of what is applied.
        promise: What may be said about the result.
    """

    form: Form
    embedding: Embedding
    channel: WordMechanism
    mechanism: str
    promise: Guarantee


def plan(settings: WordSettings, progress: Progress = _silent) -> Plan:
    """Build a release from its settings."""
    if settings.form == "tf":
        return _vector_plan(settings)
    cleaner = sanitizer(settings, progress)
    form: Form = TextForm(cleaner)
    promise = cleaner.guarantee()
    if settings.form == "bag":
        length = settings.length or None
        form, promise = BagForm(cleaner, length), bag_guarantee(promise, length)
    name = cleaner.mechanism.name
    return Plan(form, cleaner.embedding, cleaner.mechanism, name, promise)


def _vector_plan(settings: WordSettings) -> Plan:
    mechanism, embedding = syntf(settings)
    tokenizer = Tokenizer(protect_all=settings.protect == "all")
    oov = OovPolicy(settings.oov)
    form = VectorForm(tokenizer, embedding.vocabulary, oov, mechanism)
    promise = mechanism.guarantee()
    if oov is OovPolicy.MASK:
        raise ParameterError("term vectors have no mask; use --oov uniform or refuse")
    return Plan(form, embedding, TermChannel(mechanism), mechanism.name, promise)


def prepare(settings: WordSettings) -> None:
    """Form the whole public table once, where later steps and workers find it."""
    if settings.form != "tf" and settings.mechanism.startswith("exponential"):
        embedding = embedding_for(settings.embedding, settings.vocabulary)
        whole_balls(embedding.space(settings.metric))
