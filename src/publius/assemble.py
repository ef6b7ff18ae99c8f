"""Names → objects: the only file that knows every component."""

import json
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from functools import lru_cache
from pathlib import Path

import numpy as np

from publius.config import WordSettings
from publius.core.arrays import BoolArray, IdArray
from publius.core.errors import (
    DataError,
    ParameterError,
    UnknownNameError,
)
from publius.core.guarantee import Guarantee
from publius.core.mechanism import Finite, Mechanism
from publius.core.metric import Hyperbolic
from publius.core.space import (
    PointSpace,
    Space,
    fingerprint,
    neighbour_distance,
)
from publius.embeddings.catalogue import load_embedding
from publius.embeddings.embedding import Embedding
from publius.embeddings.folders import cache_folder
from publius.embeddings.poincare import HyperbolicNearest
from publius.embeddings.space_spec import DEFAULT_SPACE
from publius.engines.words import BagForm, Form, TextForm, VectorForm
from publius.mechanisms.balance import Progress
from publius.mechanisms.custext import CusText, Groups
from publius.mechanisms.exponential import Exponential
from publius.mechanisms.graded import Graded, losses_between
from publius.mechanisms.laplace import Laplace
from publius.mechanisms.mahalanobis import Ellipse, Mahalanobis, MahalanobisMetric
from publius.mechanisms.nearest_word import NearestWord
from publius.mechanisms.projection import (
    ProjectedLaplace,
    ProjectedMetric,
    Projection,
)
from publius.mechanisms.remap import Remapped, RemapTable, bayes_table
from publius.mechanisms.riemannian_laplace import RiemannianLaplace
from publius.mechanisms.santext import SanText
from publius.mechanisms.santext_plus import SanTextPlus, SubSpace
from publius.mechanisms.syntf import CosineRatings, SynTF, TermChannel
from publius.mechanisms.tangent_laplace import TangentLaplace
from publius.public_tables import (
    calibrated,
    keep_array,
    kept_array,
    plain_certificate,
    whole_balls,
)
from publius.sanitize.bags import bag_guarantee
from publius.sanitize.oov import FunctionWords, OovPolicy
from publius.sanitize.sanitizer import Sanitizer
from publius.text.bigrams import letter_bigrams
from publius.text.frequency import inverse_frequency, public_prior
from publius.text.morphology import Morphology
from publius.text.tokenizer import Tokenizer, fold
from publius.text.wordnet import WordNet

WordMechanism = Mechanism[IdArray, IdArray]
HyperbolicNoise = TangentLaplace | RiemannianLaplace
Build = Callable[[Embedding, WordSettings, Progress], WordMechanism]

RANKS = 10
"""A rank remap chooses among so many nearest words; the package ships that table."""

DEFAULT_TERMS = 100
"""Length of a SynTF vector when none is asked for."""

IDF_STEPS = 1024
"""Inverse frequencies are whole numbers up to this, so that terms are drawn exactly."""

WORDNET_FOLDERS = (Path("/usr/share/wordnet"), Path("/usr/local/share/wordnet"))

TERM_VOCABULARY = 10_000
"""Words of a SynTF vocabulary when none is asked for."""


def _silent(_: str) -> None:
    """Tell nobody."""


@dataclass(frozen=True, slots=True)
class WordEntry:
    """A word mechanism by name.

    Args:
        metric: Its default metric.
        build: Builds it from an embedding and settings.
        space: Returns the words under a metric that its promise may be written in.
    """

    metric: str
    build: Build
    space: Callable[[Embedding, WordSettings], Space] = lambda embedding, settings: (
        embedding.space(settings.metric)
    )


@lru_cache(maxsize=4)
def embedding_for(name: str, vocabulary: int | None) -> Embedding:
    """Load an embedding once per process."""
    return load_embedding(name, vocabulary)


def word_entry(name: str) -> WordEntry:
    """Look a word mechanism up, with or without its version."""
    short = name.removesuffix(".v1").replace("_", "-")
    if short not in WORD_MECHANISMS:
        raise UnknownNameError("word mechanism", name, WORD_MECHANISMS)
    return WORD_MECHANISMS[short]


def resolved(settings: WordSettings) -> WordSettings:
    """Fill in the metric, and turn a level against near words into epsilon."""
    metric = settings.metric or word_entry(settings.mechanism).metric
    settings = replace(settings, metric=metric)
    if settings.level is None:
        return settings
    near = neighbour_distance(word_space(settings), settings.neighbours)
    if not near > 0:
        raise ParameterError(
            "a level needs a vocabulary of more than one distinct word"
        )
    return replace(settings, epsilon=settings.level / near, level=None)


def word_space(settings: WordSettings) -> Space:
    """Return the words under the metric of resolved settings."""
    return word_entry(settings.mechanism).space(word_embedding(settings), settings)


def _exponential(
    embedding: Embedding, settings: WordSettings, progress: Progress
) -> WordMechanism:
    return _calibrated_exponential(embedding, settings, progress)


def _calibrated_exponential(
    embedding: Embedding, settings: WordSettings, progress: Progress
) -> Exponential:
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


def _mahalanobis(
    embedding: Embedding, settings: WordSettings, _: Progress
) -> WordMechanism:
    ellipse = Ellipse.of(embedding.vectors, settings.mix)
    if settings.metric == "euclidean":
        noise = Mahalanobis.for_euclidean(settings.epsilon, ellipse)
        return NearestWord(noise, embedding.vectors, embedding, embedding.fingerprint)
    return NearestWord(
        Mahalanobis(settings.epsilon, ellipse),
        embedding.vectors,
        embedding,
        embedding.fingerprint,
        MahalanobisMetric(ellipse),
    )


def _hyperbolic(noise: Callable[[float, int], HyperbolicNoise]) -> Build:
    """Build a mechanism on points of the Poincaré ball, read back as a word."""

    def build(
        embedding: Embedding, settings: WordSettings, _: Progress
    ) -> WordMechanism:
        if settings.metric != Hyperbolic.id:
            raise ParameterError(
                f"{settings.mechanism} is hyperbolic; it has no metric "
                f"{settings.metric!r}"
            )
        return NearestWord(
            noise(settings.epsilon, embedding.dim),
            embedding.vectors,
            HyperbolicNearest(embedding.vectors),
            embedding.fingerprint,
            Hyperbolic(),
        )

    return build


def _mahalanobis_space(embedding: Embedding, settings: WordSettings) -> Space:
    if settings.metric not in ("mahalanobis", "euclidean"):
        raise ParameterError(
            "mahalanobis promises in the metric mahalanobis or euclidean, not "
            f"{settings.metric!r}"
        )
    if settings.metric == "euclidean":
        return embedding.space("euclidean")
    metric = MahalanobisMetric(Ellipse.of(embedding.vectors, settings.mix))
    return PointSpace(embedding.vectors, metric, embedding.fingerprint)


def _projection(
    embedding: Embedding, settings: WordSettings, _: Progress
) -> WordMechanism:
    public = Projection.random(embedding.dim, min(settings.projected, embedding.dim))
    index = Embedding(embedding.vocabulary, public(embedding.vectors))
    if settings.metric == "euclidean":
        noise = ProjectedLaplace.for_euclidean(settings.epsilon, public)
        return NearestWord(noise, embedding.vectors, index, embedding.fingerprint)
    return NearestWord(
        ProjectedLaplace(settings.epsilon, public),
        embedding.vectors,
        index,
        embedding.fingerprint,
        ProjectedMetric(public),
    )


def _projection_space(embedding: Embedding, settings: WordSettings) -> Space:
    if settings.metric not in ("projected", "euclidean"):
        raise ParameterError(
            "projection promises in the metric projected or euclidean, not "
            f"{settings.metric!r}"
        )
    if settings.metric == "euclidean":
        return embedding.space("euclidean")
    public = Projection.random(embedding.dim, min(settings.projected, embedding.dim))
    return PointSpace(embedding.vectors, ProjectedMetric(public), embedding.fingerprint)


def _santext(
    embedding: Embedding, settings: WordSettings, progress: Progress
) -> WordMechanism:
    space = embedding.space(settings.metric)
    progress("certifying SanText")
    found = plain_certificate(space, settings.epsilon / 2, SanText.name)
    return SanText.certified(space, found, whole_balls(space, only_kept=True))


def _santext_plus(
    embedding: Embedding, settings: WordSettings, progress: Progress
) -> WordMechanism:
    space = embedding.space(settings.metric)
    flags = sensitive_words(embedding, settings)
    progress("certifying SanText+")
    inside = SubSpace(space, np.flatnonzero(flags).astype(np.int64))
    found = plain_certificate(inside, settings.epsilon / 2, SanTextPlus.name)
    return SanTextPlus(space, settings.epsilon, flags, settings.replaced, found)


def sensitive_words(embedding: Embedding, settings: WordSettings) -> BoolArray:
    """Return which words are sensitive: those of a public list, or the rarest ones."""
    flags = np.zeros(embedding.size, dtype=bool)
    if settings.sensitive_words:
        try:
            listed = Path(settings.sensitive_words).read_text("utf-8").split()
        except (OSError, UnicodeDecodeError):
            raise DataError("the list of sensitive words cannot be read") from None
        ids = embedding.vocabulary.encode([fold(word) for word in listed])
        flags[ids[ids >= 0]] = True
    else:
        flags[embedding.size - round(settings.sensitive * embedding.size) :] = True
    if not flags.any():
        raise DataError("no word of the vocabulary is sensitive")
    return flags


def _custext(
    embedding: Embedding, settings: WordSettings, progress: Progress
) -> WordMechanism:
    space = embedding.space(settings.metric)
    progress("forming groups")
    return CusText(space, settings.epsilon, Groups.greedy(space, settings.group))


def _graded(
    embedding: Embedding, settings: WordSettings, progress: Progress
) -> WordMechanism:
    strict = settings.sensitive_epsilon or settings.epsilon / 2
    if not strict <= settings.epsilon:
        raise ParameterError("sensitive-epsilon must be at most epsilon")
    parts = tuple(
        _calibrated_exponential(embedding, replace(settings, epsilon=value), progress)
        for value in (strict, settings.epsilon)
    )
    grades = np.where(sensitive_words(embedding, settings), 0, 1).astype(np.int64)
    progress("comparing grades")
    key = _public_key(settings, embedding, fingerprint(grades))
    kept = kept_array("grades", key, (len(parts), len(parts)))
    losses = losses_between(parts, grades) if kept is None else kept
    if kept is None:
        keep_array("grades", key, losses)
    return Graded(parts, grades, losses)


def _syntf_term(_: Embedding, settings: WordSettings, __: Progress) -> WordMechanism:
    if settings.metric != "discrete":
        raise ParameterError("syntf is local: its metric is discrete")
    return TermChannel(syntf(settings)[0])


WORD_MECHANISMS: dict[str, WordEntry] = {
    "custext": WordEntry("euclidean", _custext),
    "exponential": WordEntry(DEFAULT_SPACE, _exponential),
    "graded": WordEntry(DEFAULT_SPACE, _graded),
    "laplace": WordEntry("euclidean", _laplace),
    "mahalanobis": WordEntry("mahalanobis", _mahalanobis, _mahalanobis_space),
    "projection": WordEntry("euclidean", _projection, _projection_space),
    "riemannian-laplace": WordEntry("hyperbolic", _hyperbolic(RiemannianLaplace)),
    "santext": WordEntry("euclidean", _santext),
    "santext-plus": WordEntry("euclidean", _santext_plus),
    "syntf": WordEntry("discrete", _syntf_term),
    "tangent-laplace": WordEntry("hyperbolic", _hyperbolic(TangentLaplace)),
}


def word_mechanism(
    settings: WordSettings, progress: Progress = _silent
) -> WordMechanism:
    """Build the word mechanism that the settings name, with its remap."""
    settings = resolved(settings)
    embedding = word_embedding(settings)
    built = word_entry(settings.mechanism).build(embedding, settings, progress)
    if settings.remap == "none":
        return built
    if not isinstance(built, Finite):
        raise ParameterError(
            f"a remap needs a finite mechanism; {settings.mechanism} is not"
        )
    progress("forming the remap")
    return Remapped(built, _remap_table(built, embedding, settings))


def word_embedding(settings: WordSettings) -> Embedding:
    """Return the vocabulary that the word mechanism of the settings puts out."""
    if word_entry(settings.mechanism).build is _syntf_term:
        return syntf_embedding(settings)
    return embedding_for(settings.embedding, settings.vocabulary)


def _remap_table(
    mechanism: Finite, embedding: Embedding, settings: WordSettings
) -> RemapTable:
    if settings.remap == "rank":
        near = embedding.neighbours(min(RANKS, embedding.size - 1))
        return RemapTable.by_rank(near, settings.spread)
    prior = public_prior(embedding.vocabulary.words, settings.prior)
    key = _public_key(settings, embedding, fingerprint(prior))
    kept = kept_array("remaps", key, (embedding.size,))
    if kept is not None:
        return RemapTable.fixed("bayes", kept.astype(np.int64))
    table = bayes_table(mechanism, prior, embedding.vectors, embedding)
    keep_array("remaps", key, table.choices[:, 0])
    return table


def _public_key(settings: WordSettings, embedding: Embedding, extra: str) -> str:
    """Return a file name for a table that depends on public things only."""
    handled = {
        name: value
        for name, value in asdict(settings).items()
        if name not in ("oov", "protect", "function_words", "form", "length", "remap")
    }
    text = json.dumps(handled, sort_keys=True, default=float)
    return fingerprint(text, embedding.fingerprint, extra)


def sanitizer(settings: WordSettings, progress: Progress = _silent) -> Sanitizer:
    """Build the sanitizer that the settings describe."""
    return Sanitizer(
        Tokenizer(protect_all=settings.protect == "all"),
        word_embedding(settings),
        word_mechanism(settings, progress),
        OovPolicy(settings.oov),
        FunctionWords(settings.function_words),
    )


def syntf_embedding(settings: WordSettings) -> Embedding:
    """Return the vocabulary of SynTF's vectors."""
    words = settings.vocabulary or TERM_VOCABULARY
    if settings.morphology != "lemma" and not settings.synonyms:
        return embedding_for(settings.embedding, words)
    whole, net = embedding_for(settings.embedding, None), wordnet(settings.wordnet)
    chosen = dict.fromkeys(whole.vocabulary.words[:words])
    if settings.synonyms:
        for word in list(chosen):
            chosen.update(dict.fromkeys(sorted(net.synonyms(word))))
    if settings.morphology == "lemma":
        chosen = dict.fromkeys(net.lemma(fold(word)) for word in chosen)
    return whole.restricted(list(chosen))


@lru_cache(maxsize=2)
def wordnet(folder: str) -> WordNet:
    """Read WordNet from a folder, or from the usual places."""
    usual = (cache_folder() / "wordnet", *WORDNET_FOLDERS)
    places = (Path(folder),) if folder else usual
    for place in places:
        if (place / "index.noun").is_file():
            return WordNet.read(place)
    raise DataError(
        "WordNet is not on this machine; install the Debian package wordnet-base, or "
        "name the folder of its index.noun in the setting wordnet"
    )


def syntf(settings: WordSettings) -> tuple[SynTF, Embedding]:
    """Build SynTF and the vocabulary of its vectors."""
    embedding = syntf_embedding(settings)
    ratings = CosineRatings(
        embedding.vectors,
        letter_bigrams(embedding.vocabulary.words) if settings.overlap > 0 else None,
        settings.overlap,
        embedding.fingerprint,
    )
    weights = None
    if settings.weighting == "tf-idf":
        prior = public_prior(embedding.vocabulary.words, settings.prior)
        weights = np.rint(inverse_frequency(prior) * IDF_STEPS).astype(np.int64)
        weights = np.maximum(weights, 1)
    length = settings.length or DEFAULT_TERMS
    return SynTF(ratings, settings.epsilon, length, weights), embedding


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
    is_lemma = settings.morphology == "lemma"
    lemma = wordnet(settings.wordnet).lemma if is_lemma else str
    morphology = Morphology(settings.morphology, lemma)
    form = VectorForm(tokenizer, embedding.vocabulary, oov, mechanism, morphology)
    promise = mechanism.guarantee()
    if oov is OovPolicy.MASK:
        raise ParameterError("term vectors have no mask; use --oov uniform or refuse")
    return Plan(form, embedding, TermChannel(mechanism), mechanism.name, promise)


def prepare(settings: WordSettings) -> None:
    """Form the whole public table once, where later steps and workers find it."""
    if settings.form != "tf" and settings.mechanism.startswith("exponential"):
        embedding = embedding_for(settings.embedding, settings.vocabulary)
        whole_balls(embedding.space(settings.metric))
