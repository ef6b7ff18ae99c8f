"""Settings → a retelling that can write."""

import importlib.util
import os
from dataclasses import replace
from functools import lru_cache
from importlib import import_module
from pathlib import Path

from publius.core.config import WordSettings
from publius.core.errors import FetchError, ParameterError
from publius.embeddings.like import like_table
from publius.embeddings.space_spec import LIKE
from publius.language.models.causal import (
    has_language_model,
    load_language_model,
    read_model,
)
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
from publius.retelling.writer import Decoder as AnyDecoder
from publius.storage.shipped import shipped_bytes

BASE = "smollm2-135m"
ENDS = (END_OF_TEXT, END_OF_TURN)
SHIPPED = Path(__file__).parent / "shipped" / "retelling.safetensors"
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
    if not settings.adapter:
        need_adapter()
    need_language_model()
    if settings.adapter == PLAIN:
        plain = Decoder(load_language_model(), ENDS)
        return PlainWriter(plain, sampling, settings.order, BASE)
    decoder, mark = _taught(settings.adapter, settings.device)
    return TaughtWriter(
        decoder,
        sampling,
        settings.epsilon,
        settings.order,
        f"{BASE}+{mark}",
        settings.candidates,
    )


@lru_cache(maxsize=1)
def _taught(path: str, device: str) -> tuple[AnyDecoder, str]:
    """Return a decoder with an adapter, and the fingerprint of the adapter."""
    file = Path(path) if path else SHIPPED
    if file == SHIPPED:
        shipped_bytes(file)  # raises if it is not the adapter of this version
    adapter, mark = read_adapter(file)
    base = load_language_model()
    ends = (*ENDS, *base.tokenizer.encode("\n"))
    if importlib.util.find_spec("torch") is None:
        if device == "cuda":
            raise ParameterError("a GPU needs torch: pip install publius[torch]")
        weights = adapter.merged(base.weights)
        return Decoder(replace(base, weights=weights), ends), mark
    # Read when torch is loaded: threads that wait would keep cores busy.
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    late = import_module("publius.retelling.torch_decoder")
    decoder: AnyDecoder = late.TorchDecoder(base, ends, late.chosen(device), adapter)
    # The decoder has a copy: half a gigabyte need not stay.
    read_model.cache_clear()
    return decoder, mark


def need_language_model() -> None:
    """Raise if the model that the writer builds on is not on this machine."""
    if not has_language_model():
        raise FetchError(
            "the language model that writes is not on this machine; get it with: "
            "publius retelling get"
        )


def need_adapter() -> None:
    """Raise if the package that holds the shipped adapter is not there."""
    if not SHIPPED.exists():
        raise FetchError(
            "what the writer was taught comes in a package of its own; get it with: "
            "pip install publius-retelling (or give --adapter FILE, or --server with "
            "a model on your machine)"
        )
