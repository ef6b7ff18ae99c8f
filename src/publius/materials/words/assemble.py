"""Settings → objects: the whole of a word release, put together."""

from dataclasses import dataclass, replace

import numpy as np

from publius.core.config import WordSettings, own_settings
from publius.core.errors import ParameterError
from publius.core.folded_space import space_of_law
from publius.core.guarantee import Guarantee, Scope
from publius.core.mechanism import Finite, Mechanism, SpotChecked
from publius.core.metric import Hyperbolic
from publius.core.space import Space, fingerprint, neighbour_distance
from publius.embeddings.embedding import Embedding
from publius.embeddings.like import has_like
from publius.embeddings.space_spec import DEFAULT_SPACE, LIKE
from publius.language.frequency import public_prior
from publius.language.stop_words import STOP_WORDS
from publius.language.tokenizer import Tokenizer
from publius.materials.form import Form
from publius.materials.words.bags import bag_guarantee
from publius.materials.words.consistent import Consistency
from publius.materials.words.forms import BagForm, TextForm, VectorForm
from publius.materials.words.oov import FunctionWords, OovPolicy
from publius.materials.words.sanitizer import REFUSED, Sanitizer
from publius.mechanisms.balance import Progress
from publius.mechanisms.remap import (
    Counts,
    Remapped,
    RemappedCounts,
    RemapTable,
    bayes_table,
)
from publius.mechanisms.spot_check import sampled
from publius.mechanisms.syntf import SynTF, TermChannel
from publius.mechanisms.words.block import blocked_words
from publius.mechanisms.words.cache_key import cache_key
from publius.mechanisms.words.entry import (
    WordMechanism,
    embedding_for,
    named_embedding,
)
from publius.mechanisms.words.given import word_settings
from publius.mechanisms.words.plugins import marked
from publius.mechanisms.words.settings import ExponentialSettings
from publius.mechanisms.words.syntf import (
    DEFAULT_TERMS,
    TERM_VOCABULARY,
    morphology,
    syntf,
)
from publius.mechanisms.words.table import WORD_MECHANISMS, word_entry
from publius.mechanisms.words.tables import (
    cache_array,
    cache_rows,
    cached_array,
    whole_balls,
)
from publius.storage.archive import Expected

RANKS = 10
"""A rank remap chooses among so many nearest words; the package ships that table."""


def _silent(_: str) -> None:
    """Discard progress messages."""


def resolved(settings: WordSettings) -> WordSettings:
    """Fill in the metric, and turn a level against near words into epsilon."""
    settings = replace(settings, metric=settings.metric or _usual_metric(settings))
    _check_folding(settings)
    _check_block(settings)
    if settings.level is None:
        return replace(settings, epsilon=settings.rate)
    if not word_entry(settings.mechanism).has_level:
        raise ParameterError(
            f"{settings.mechanism} guarantees nothing between words in general, so "
            "no level says which ε is meant; give --epsilon"
        )
    near = neighbour_distance(space_of_law(word_space(settings)), settings.neighbours)
    if not near > 0:
        raise ParameterError(
            "a level needs a vocabulary of more than one distinct word"
        )
    return replace(settings, epsilon=settings.level / near, level=None)


def _check_folding(settings: WordSettings) -> None:
    """Refuse what would write words that a like space never puts out."""
    if settings.metric.partition(":")[0] != LIKE:
        return
    if not word_entry(settings.mechanism).folds:
        raise ParameterError(
            f"{settings.mechanism} does not draw on the metric 'like'; choose "
            "--mechanism exponential, or another --metric"
        )
    if settings.remap != "none":
        raise ParameterError(
            "a remap may write words that the metric 'like' never puts out; leave out "
            "--remap, or choose another --metric"
        )


def _check_block(settings: WordSettings) -> None:
    """Refuse a block list that would not be obeyed."""
    if not settings.block:
        return
    own = word_entry(settings.mechanism).embedding
    if settings.form == "tf" or own is not named_embedding:
        raise ParameterError("--block has no meaning for SynTF; leave it out")
    passes = settings.form == "text" and settings.function_words == "keep"
    stop_words = blocked_words(settings) & _stop_words(settings)
    if passes and settings.protect == "content" and stop_words:
        raise ParameterError(
            f"the block list holds stop words ({len(stop_words)}), which pass as they "
            "are; add --protect all or --function-words drop, or take them off"
        )


def _usual_metric(settings: WordSettings) -> str:
    """Return ``like`` where it can be drawn on, else the mechanism's own metric.

    A remap may write words that a like space never puts out; vectors that are
    hyperbolic keep their own metric.
    """
    entry = word_entry(settings.mechanism)
    if entry.metric != DEFAULT_SPACE or settings.form == "tf":
        return entry.metric
    # Which words are blocked does not decide the metric.
    embedding = entry.embedding(replace(settings, block=""))
    if entry.folds and settings.remap == "none" and has_like(embedding):
        return LIKE
    own = embedding.metric.id
    return own if own == Hyperbolic.id else entry.metric


def word_space(settings: WordSettings) -> Space:
    """Return the words under the metric of resolved settings."""
    return word_entry(settings.mechanism).space(word_embedding(settings), settings)


def word_mechanism(
    settings: WordSettings, progress: Progress = _silent
) -> WordMechanism:
    """Build the word mechanism that the settings name, with its remap."""
    settings = resolved(settings)
    embedding = word_embedding(settings)
    entry = word_entry(settings.mechanism)
    built = entry.build(embedding, settings, progress)
    if isinstance(built, SpotChecked):
        progress("checking the law against its certificate")
        built.spot_check(sampled(built.size))
    built = marked(built, entry)
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
    return word_entry(settings.mechanism).embedding(settings)


def _remap_table(
    mechanism: Finite, embedding: Embedding, settings: WordSettings
) -> RemapTable:
    if settings.remap == "rank":
        near = embedding.neighbours(min(RANKS, embedding.size - 1))
        return RemapTable.by_rank(near, settings.spread)
    prior = public_prior(embedding.vocabulary.words, settings.prior)
    key = cache_key(settings, embedding, fingerprint(prior))
    ids = Expected("i", (embedding.size,), 0, embedding.size - 1)
    choices = cached_array("remaps", key, ids)
    if choices is not None:
        return RemapTable.fixed("bayes", choices.astype(np.int64))
    table = bayes_table(mechanism, prior, embedding.vectors, embedding)
    cache_array("remaps", key, table.choices[:, 0])
    return table


def sanitizer(settings: WordSettings, progress: Progress = _silent) -> Sanitizer:
    """Build the sanitizer that the settings describe."""
    settings = resolved(settings)
    mechanism = word_mechanism(settings, progress)
    return Sanitizer(
        word_tokenizer(settings),
        word_embedding(settings),
        mechanism,
        OovPolicy(settings.oov),
        FunctionWords(settings.function_words),
        Consistency(settings.consistent),
    )


def _stop_words(settings: WordSettings) -> frozenset[str]:
    """Return the public list of words that pass."""
    own = word_embedding(replace(settings, block="")).language.stop_words
    return STOP_WORDS if own is None else own


def word_tokenizer(settings: WordSettings) -> Tokenizer:
    """Return what cuts a text into words, and knows which of them pass."""
    return Tokenizer(
        _stop_words(settings),
        protect_all=settings.protect == "all",
        collocations=settings.collocations,
    )


@dataclass(frozen=True, slots=True, eq=False)
class Plan:
    """Everything that a word release is made of.

    Args:
        form: The shape in which texts leave.
        embedding: The public vocabulary.
        channel: Replaces one word; what a report shows about public words.
        mechanism: Registered name of what is applied.
        guarantee: What may be said about the result.
    """

    form: Form
    embedding: Embedding
    channel: WordMechanism
    mechanism: str
    guarantee: Guarantee


def plan(settings: WordSettings, progress: Progress = _silent) -> Plan:
    """Build a release from its settings."""
    if settings.form == "tf":
        return _vector_plan(settings)
    cleaner = sanitizer(settings, progress)
    form: Form = TextForm(cleaner)
    guarantee = cleaner.guarantee()
    if settings.form == "bag":
        length = settings.length or None
        form, guarantee = BagForm(cleaner, length), bag_guarantee(guarantee, length)
    name = cleaner.mechanism.name
    return Plan(form, cleaner.embedding, cleaner.mechanism, name, guarantee)


def _vector_plan(settings: WordSettings) -> Plan:
    vectors = term_vectors(settings)
    oov = OovPolicy(settings.oov)
    if oov is OovPolicy.MASK:
        raise ParameterError("term vectors have no mask; use --oov uniform or refuse")
    form = VectorForm(
        word_tokenizer(settings),
        vectors.embedding.vocabulary,
        oov,
        vectors.mechanism,
        morphology(settings),
    )
    name, guarantee = vectors.mechanism.name, vectors.mechanism.guarantee()
    if oov is OovPolicy.REFUSE:
        guarantee = guarantee.covering(Scope(uncovered=(REFUSED,)))
    return Plan(form, vectors.embedding, vectors.channel, name, guarantee)


@dataclass(frozen=True, slots=True, eq=False)
class TermVectors:
    """SynTF with its remap.

    Args:
        syntf: The mechanism without the remap.
        mechanism: Draws vectors.
        channel: Replaces one term.
        embedding: The vocabulary of the vectors.
    """

    syntf: SynTF
    mechanism: Mechanism[Counts, Counts]
    channel: WordMechanism
    embedding: Embedding


def term_vectors(settings: WordSettings) -> TermVectors:
    """Build SynTF from settings, with its remap."""
    made, embedding = syntf(settings)
    channel = TermChannel(made)
    if settings.remap == "none":
        return TermVectors(made, made, channel, embedding)
    table = _remap_table(channel, embedding, settings)
    remapped = RemappedCounts(made, table)
    return TermVectors(made, remapped, Remapped(channel, table), embedding)


def prepare(settings: WordSettings) -> None:
    """Form the whole public table once, where later steps and workers find it."""
    settings = resolved(settings)
    entry = word_entry(settings.mechanism)
    if settings.form == "tf" or not entry.draws_from_balls:
        return
    space = space_of_law(word_space(settings))
    balls = whole_balls(space)
    if entry.caches_sums:
        own = own_settings(settings, ExponentialSettings)
        cache_rows(space, settings.rate, balls, balanced=own.balanced)


__all__ = [
    "DEFAULT_TERMS",
    "TERM_VOCABULARY",
    "WORD_MECHANISMS",
    "Plan",
    "WordMechanism",
    "embedding_for",
    "plan",
    "prepare",
    "resolved",
    "sanitizer",
    "term_vectors",
    "word_embedding",
    "word_entry",
    "word_mechanism",
    "word_settings",
    "word_space",
]
