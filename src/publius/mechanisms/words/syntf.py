"""SynTF from settings: its vocabulary, ratings, term weights and word forms."""

import numpy as np

from publius.core.config import WordSettings
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

DEFAULT_TERMS = 100
"""Length of a SynTF vector when none is asked for."""

IDF_STEPS = 1024
"""Inverse frequencies are whole numbers up to this, so that terms are drawn exactly."""

TERM_VOCABULARY = 10_000
"""Words of a SynTF vocabulary when none is asked for."""


def syntf_embedding(settings: WordSettings) -> Embedding:
    """Return the vocabulary of SynTF's vectors."""
    words = settings.vocabulary or TERM_VOCABULARY
    if settings.morphology != "lemma" and not settings.synonyms:
        return embedding_for(settings.embedding, words)
    whole, net = embedding_for(settings.embedding, None), open_wordnet(settings.wordnet)
    chosen = dict.fromkeys(whole.vocabulary.words[:words])
    if settings.synonyms:
        for word in list(chosen):
            chosen.update(dict.fromkeys(sorted(net.synonyms(word))))
    if settings.morphology == "lemma":
        chosen = dict.fromkeys(net.lemma(fold(word)) for word in chosen)
    return whole.restricted(list(chosen))


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


def syntf_term(_: Embedding, settings: WordSettings, __: Progress) -> WordMechanism:
    """Build one step of SynTF: a term in, a substitute out."""
    if settings.metric != "discrete":
        raise ParameterError("syntf is local: its metric is discrete")
    return TermChannel(syntf(settings)[0])


def morphology(settings: WordSettings) -> Morphology:
    """Return in which form words are looked up as terms."""
    is_lemma = settings.morphology == "lemma"
    lemma = open_wordnet(settings.wordnet).lemma if is_lemma else str
    return Morphology(settings.morphology, lemma)
