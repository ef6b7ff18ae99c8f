"""Models as files: safetensors only, nothing in them can run."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save
from torch import Tensor

from publius.core.errors import DataError, ParameterError
from publius.storage.atomic import write_bytes

FORMAT = "publius-autoencoder"
VERSION = "1"
PRECISIONS = ("float32", "float16", "int8")

_PICKLES = (b"\x80", b"PK\x03\x04")
"""How files of ``torch.save`` and ``pickle`` begin."""


@dataclass(frozen=True, slots=True, eq=False)
class Stored:
    """What a file holds.

    Args:
        weights: By name, as float32.
        texts: JSON of the parts that are no weights.
        fingerprint: Of the whole file.
    """

    weights: dict[str, Tensor]
    texts: dict[str, str]
    fingerprint: str


def write(
    path: Path,
    weights: Mapping[str, Tensor],
    texts: Mapping[str, str],
    *,
    precision: str = "float32",
) -> None:
    """Write weights and texts so that a reader sees a whole file or none."""
    if precision not in PRECISIONS:
        raise ParameterError(f"precision must be {' or '.join(PRECISIONS)}")
    packed: dict[str, Tensor] = {}
    for name, tensor in weights.items():
        packed |= _packed(name, tensor.detach().cpu(), precision)
    content = save(packed, {"format": FORMAT, "version": VERSION, **texts})
    write_bytes(path, content)


def read(path: Path) -> Stored:
    """Read a file; pickled code and other versions are refused, not tried."""
    if not path.is_file():
        raise DataError(f"there is no model {path.name!r}")
    content = path.read_bytes()
    # A safetensors file begins with the length of its header, perhaps like a pickle.
    if content.startswith(_PICKLES) and content[8:9] != b"{":
        raise DataError(
            f"{path.name} may hold pickled code, which would run when it is read; "
            "only safetensors files of Publius are read"
        )
    try:
        with safe_open(path, "pt") as opened:
            texts = dict(opened.metadata() or {})
            _check_version(path, texts)
            stored = {name: opened.get_tensor(name) for name in opened.keys()}  # noqa: SIM118
    except SafetensorError:
        raise DataError(f"{path.name} is not a whole safetensors file") from None
    return Stored(_unpacked(stored), texts, hashlib.sha256(content).hexdigest()[:12])


def text_of(stored: Stored, name: str) -> str:
    """Return one of the texts, or raise if the file has none of that name."""
    if name not in stored.texts:
        raise DataError(f"the model file lacks its {name}")
    return stored.texts[name]


def number_of(stored: Stored, name: str) -> float:
    """Return one of the numbers stored as text."""
    try:
        return float(json.loads(text_of(stored, name)))
    except (TypeError, ValueError) as error:
        raise DataError(f"the model file has a broken {name}") from error


def _check_version(path: Path, texts: Mapping[str, str]) -> None:
    if texts.get("format") != FORMAT:
        raise DataError(f"{path.name} is no sentence autoencoder of Publius")
    if texts.get("version") != VERSION:
        raise DataError(
            f"{path.name} has version {texts.get('version', 'none')}; this release of "
            f"Publius reads version {VERSION}: train the model again"
        )


def _packed(name: str, tensor: Tensor, precision: str) -> dict[str, Tensor]:
    if precision == "float32" or not tensor.is_floating_point():
        return {name: tensor.contiguous()}
    if precision == "float16" or tensor.ndim != 2:
        return {name: tensor.half().contiguous()}
    # One scale per row: the largest entry of a row becomes 127.
    scale = tensor.abs().amax(dim=1, keepdim=True).clamp(min=1e-12) / 127
    small = torch.round(tensor / scale).to(torch.int8)
    return {name: small.contiguous(), f"{name}/scale": scale.float().contiguous()}


def _unpacked(stored: Mapping[str, Tensor]) -> dict[str, Tensor]:
    weights = {}
    for name, tensor in stored.items():
        if name.endswith("/scale"):
            continue
        scale = stored.get(f"{name}/scale")
        full = tensor.float() if tensor.is_floating_point() else tensor
        weights[name] = full if scale is None else full.float() * scale
        if not torch.isfinite(weights[name]).all():
            raise DataError(f"the model file is damaged: {name} is not finite")
    return weights
