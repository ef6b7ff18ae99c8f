"""SynTF from settings: its vocabulary, ratings, term weights and word forms."""

import numpy as np

from publius.core.config import WordSettings, own_settings
from publius.core.errors import ParameterError
from publius.embeddings.embedding import Embedding
from publius.embeddings.wordnet import open_wordnet
from publius.language.bigrams import letter_bigrams
from publius.language.frequency import inverse_frequency, public_prior
from publius.language.morphology import Morphology
from publius.language.tokenizer import fold
from publius.mechanisms.balance import Progress
from publius.mechanisms.syntf import CosineRatings, SynTF, TermChannel
from publius.mechanisms.words.entry import WordMechanism, embedding_for
from publius.mechanisms.words.settings import SynTFSettings

DEFAULT_TERMS = 100
"""Length of a SynTF vector when none is asked for."""

IDF_STEPS = 1024
"""Inverse frequencies are whole numbers up to this, so that terms are drawn exactly."""

TERM_VOCABULARY = 10_000
"""Words of a SynTF vocabulary when none is asked for."""


def terms_of(settings: WordSettings) -> SynTFSettings:
    """Return how terms are rated, formed and weighted."""
    return own_settings(settings, SynTFSettings)


def syntf_embedding(settings: WordSettings) -> Embedding:
    """Return the vocabulary of SynTF's vectors."""
    words, own = settings.vocabulary or TERM_VOCABULARY, terms_of(settings)
    if own.morphology != "lemma" and not own.synonyms:
        return embedding_for(settings.embedding, words)
    whole, net = embedding_for(settings.embedding, None), open_wordnet(own.wordnet)
    chosen = dict.fromkeys(whole.vocabulary.words[:words])
    if own.synonyms:
        for word in list(chosen):
            chosen.update(dict.fromkeys(sorted(net.synonyms(word))))
    if own.morphology == "lemma":
        chosen = dict.fromkeys(net.lemma(fold(word)) for word in chosen)
    return whole.restricted(list(chosen))


def syntf(settings: WordSettings) -> tuple[SynTF, Embedding]:
    """Build SynTF and the vocabulary of its vectors."""
    embedding, own = syntf_embedding(settings), terms_of(settings)
    ratings = CosineRatings(
        embedding.vectors,
        letter_bigrams(embedding.vocabulary.words) if own.overlap > 0 else None,
        own.overlap,
        embedding.fingerprint,
    )
    weights = None
    if own.weighting == "tf-idf":
        prior = public_prior(embedding.vocabulary.words, settings.prior)
        weights = np.rint(inverse_frequency(prior) * IDF_STEPS).astype(np.int64)
        weights = np.maximum(weights, 1)
    length = settings.length or DEFAULT_TERMS
    return SynTF(ratings, settings.rate, length, weights), embedding


def syntf_term(_: Embedding, settings: WordSettings, __: Progress) -> WordMechanism:
    """Build one step of SynTF: a term in, a substitute out."""
    if settings.metric != "discrete":
        raise ParameterError("syntf is local: its metric is discrete")
    return TermChannel(syntf(settings)[0])


def morphology(settings: WordSettings) -> Morphology:
    """Return in which form words are looked up as terms."""
    own = terms_of(settings)
    is_lemma = own.morphology == "lemma"
    lemma = open_wordnet(own.wordnet).lemma if is_lemma else str
    return Morphology(own.morphology, lemma)
