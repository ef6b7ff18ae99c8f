"""Settings → a retelling that can write."""

from dataclasses import replace
from functools import lru_cache
from pathlib import Path

from publius.core.config import WordSettings
from publius.core.errors import ParameterError
from publius.embeddings.like import like_table
from publius.embeddings.space_spec import LIKE
from publius.language.models.causal import load_language_model
from publius.language.models.causal.llama import CausalModel
from publius.materials.words.assemble import resolved, word_embedding, word_mechanism
from publius.mechanisms.balance import Progress
from publius.mechanisms.folded import Folded
from publius.retelling.adapter import read_adapter
from publius.retelling.decoder import Decoder, Sampling
from publius.retelling.retelling import Cut, Retelling
from publius.retelling.server import ServerWriter, checked_address
from publius.retelling.settings import PLAIN, RetellSettings
from publius.retelling.writer import (
    END_OF_TEXT,
    END_OF_TURN,
    PlainWriter,
    TaughtWriter,
    Writer,
)

BASE = "smollm2-135m"
PIECES_OF_A_WORD = 5
"""A passage ends after so many pieces for each of its words: a public bound."""


def word_settings(settings: RetellSettings) -> WordSettings:
    """Return how the content words are drawn."""
    return resolved(WordSettings(epsilon=settings.epsilon, metric=LIKE))


def retelling_of(
    settings: RetellSettings, progress: Progress = lambda _: None
) -> Retelling:
    """Build a retelling, with the model that writes it."""
    words = word_settings(settings)
    embedding = word_embedding(words)
    mechanism = word_mechanism(words, progress)
    if not isinstance(mechanism, Folded):
        raise ParameterError("a retelling draws its words on the metric 'like'")
    cut = Cut(settings.order, settings.passage, settings.words)
    progress("loading the language model")
    writer = writer_of(settings)
    return Retelling(embedding, like_table(embedding), mechanism, writer, cut)


def writer_of(settings: RetellSettings) -> Writer:
    """Return who writes: a server, the taught model, or the model as it is."""
    sampling = Sampling(
        temperature=settings.temperature, longest=settings.passage * PIECES_OF_A_WORD
    )
    if settings.server:
        address = checked_address(settings.server, allow_remote=settings.allow_remote)
        return ServerWriter(address, settings.model, sampling, settings.order)
    ends = END_OF_TEXT, END_OF_TURN
    if not settings.adapter:
        raise ParameterError(
            "a retelling needs a writer: teach one with publius retelling train and "
            "give its file as --adapter, or give --server with a model on your "
            "machine; --adapter none asks the small model untaught, which writes "
            "fluently and loses the sense"
        )
    if settings.adapter == PLAIN:
        decoder = Decoder(load_language_model(), ends)
        return PlainWriter(decoder, sampling, settings.order, BASE)
    model, mark = _taught(settings.adapter)
    decoder = Decoder(model, (*ends, *model.tokenizer.encode("\n")))
    name = f"{BASE}+{mark}"
    return TaughtWriter(decoder, sampling, settings.epsilon, settings.order, name)


@lru_cache(maxsize=1)
def _taught(path: str) -> tuple[CausalModel, str]:
    adapter, mark = read_adapter(Path(path))
    base = load_language_model()
    return replace(base, weights=adapter.merged(base.weights)), mark
