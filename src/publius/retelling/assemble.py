"""Settings → a retelling that can write."""

import ctypes
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
    language_model_mark,
    load_language_model,
    open_language_model,
    read_model,
)
from publius.materials.words.assemble import resolved, word_embedding, word_mechanism
from publius.mechanisms.balance import Progress
from publius.mechanisms.folded_exponential import FoldedExponential
from publius.mechanisms.words.block import blocked_words
from publius.retelling.adapter import Adapter, read_adapter
from publius.retelling.block_list import BlockList
from publius.retelling.decoder import Decoder, Sampling
from publius.retelling.eight_bits.tables import tables_of
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
    words = WordSettings(epsilon=settings.epsilon, metric=LIKE)
    if settings.block:
        # No stop word passes a retelling: a list may hold some.
        words = replace(words, block=settings.block, function_words="drop")
    return resolved(words)


def block_list(settings: RetellSettings) -> BlockList | None:
    """Return the words that no text may hold, if there is a list."""
    if not settings.block:
        return None
    return BlockList.of(blocked_words(word_settings(settings)))


def cut_of(settings: RetellSettings) -> Cut:
    """Return which words are drawn, and how they become passages."""
    return Cut(
        settings.order,
        settings.passage,
        settings.words,
        settings.most_words,
        settings.skip_common,
    )


def retelling_of(
    settings: RetellSettings, progress: Progress = lambda _: None
) -> Retelling:
    """Build a retelling, with the model that writes it."""
    words = word_settings(settings)
    embedding = word_embedding(words)
    mechanism = word_mechanism(words, progress)
    if not isinstance(mechanism, FoldedExponential):
        raise ParameterError("a retelling draws its words on the metric 'like'")
    if settings.skip_common >= embedding.size:
        raise ParameterError(
            f"skip_common must be less than the {embedding.size:,} words of the "
            f"vocabulary, got {settings.skip_common:,}"
        )
    cut = cut_of(settings)
    progress("loading the language model")
    writer = writer_of(settings)
    table = like_table(embedding)
    return Retelling(
        embedding,
        table,
        mechanism,
        writer,
        cut,
        settings.law,
        block_list(settings),
    )


def writer_of(settings: RetellSettings) -> Writer:
    """Return who writes: a server, a model of the owner, or ours, taught or not."""
    sampling = Sampling(
        temperature=settings.temperature,
        longest=settings.passage * PIECES_OF_A_WORD,
        blocked=block_list(settings),
    )
    if settings.server:
        address = checked_address(settings.server, allow_remote=settings.allow_remote)
        return ServerWriter(
            address, settings.model, sampling, settings.order, settings.candidates
        )
    if settings.local_model:
        return _local_writer(settings, sampling)
    if not settings.adapter:
        need_adapter()
    need_language_model()
    decoder, mark = _decoder(settings.adapter, settings.device)
    if settings.adapter == PLAIN:
        return PlainWriter(decoder, sampling, settings.order, BASE, settings.candidates)
    return TaughtWriter(
        decoder,
        sampling,
        settings.epsilon,
        settings.order,
        f"{BASE}+{mark}",
        settings.candidates,
        settings.use_words,
    )


def _local_writer(settings: RetellSettings, sampling: Sampling) -> Writer:
    for package in ("torch", "transformers"):
        if importlib.util.find_spec(package) is None:
            raise FetchError(
                f"a model of your own needs {package}: pip install "
                "'publius[local-model]'"
            )
    late = import_module("publius.retelling.local_model")
    model = late.open_model(settings.local_model, settings.device)
    writer: Writer = late.LocalWriter(
        model, sampling, settings.order, settings.candidates
    )
    return writer


@lru_cache(maxsize=1)
def _decoder(path: str, device: str) -> tuple[AnyDecoder, str]:
    """Return who continues prompts here, and the fingerprint of its adapter.

    A GPU with torch; else the runtime for integers, else torch, else NumPy.
    """
    ends: tuple[int, ...] = ENDS
    adapter, mark = Adapter({}, 1.0), ""
    if path != PLAIN:
        file = Path(path) if path else SHIPPED
        if file == SHIPPED:
            shipped_bytes(file)  # raises if it is not the adapter of this version
        adapter, mark = read_adapter(file)
        ends = (*ENDS, *open_language_model().tokenizer.encode("\n"))
    has_torch = importlib.util.find_spec("torch") is not None
    if device == "cuda" and not has_torch:
        raise ParameterError("a GPU needs torch: pip install publius[torch]")
    is_for_gpu = device == "cuda" or (device == "auto" and has_torch and has_gpu())
    has_runtime = importlib.util.find_spec("onnxruntime") is not None
    if has_runtime and not is_for_gpu:
        return _in_integers(adapter, mark, ends), mark
    base = load_language_model()
    if not has_torch:
        weights = adapter.merged(base.weights)
        return Decoder(replace(base, weights=weights), ends), mark
    # Read when torch is loaded: threads that wait would keep cores busy.
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    late = import_module("publius.retelling.torch_decoder")
    decoder: AnyDecoder = late.TorchDecoder(base, ends, late.chosen(device), adapter)
    # The decoder has a copy: half a gigabyte need not stay.
    read_model.cache_clear()
    return decoder, mark


def _in_integers(adapter: Adapter, mark: str, ends: tuple[int, ...]) -> AnyDecoder:
    """Return a decoder over tables of 8-bit integers, which are kept on this machine.

    The key of the tables names the digests of model and adapter.
    """
    model = open_language_model()
    key = f"{language_model_mark()[:16]}-{mark}"
    tables = tables_of(model, adapter, key)
    late = import_module("publius.retelling.eight_bits.decoder")
    decoder: AnyDecoder = late.EightBitDecoder(model, tables, ends)
    return decoder


def has_gpu() -> bool:
    """Say whether a driver for GPUs is here; torch is asked only then, being heavy."""
    name = "nvcuda.dll" if os.name == "nt" else "libcuda.so.1"
    try:
        ctypes.CDLL(name)
    except OSError:
        return False
    return True


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
            "pip install 'publius[retell]' (or give --adapter FILE, or --server with "
            "a model on your machine)"
        )
