"""What the language model was taught: two thin matrices beside each weight.

The weight W of a layer becomes ``W + scale * B @ A``. Files are safetensors: matrices
of 8 bits with a scale for each row, names and shapes; nothing in them can run.
"""

import hashlib
import json
import struct
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from publius.core.errors import DataError
from publius.language.models.causal.gguf import Array

KINDS = (
    "attn_q",
    "attn_k",
    "attn_v",
    "attn_output",
    "ffn_gate",
    "ffn_up",
    "ffn_down",
)
"""Weights of a layer that are taught."""
FORMAT = "publius-retelling.v2"
LARGEST_HEADER = 1 << 20
_DTYPES = {"I8": "<i1", "F32": "<f4"}


@dataclass(frozen=True, slots=True, eq=False)
class Adapter:
    """Thin matrices by the name of the weight that they are added to.

    Args:
        parts: Name of a weight → A of shape (rank, in) and B of shape (out, rank).
        scale: Factor of the product.
        facts: Public facts about the teaching.
    """

    parts: Mapping[str, tuple[Array, Array]]
    scale: float
    facts: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name, (a, b) in self.parts.items():
            fits = a.ndim == b.ndim == 2 and len(a) == b.shape[1]
            if not (fits and np.isfinite(a).all() and np.isfinite(b).all()):
                raise DataError(f"the adapter of {name} is damaged")

    def merged(self, weights: Mapping[str, Array]) -> dict[str, Array]:
        """Return the weights of a model with these added.

        Raises:
            DataError: The adapter is of another model.
        """
        unknown = set(self.parts) - set(weights)
        if unknown:
            raise DataError("the adapter was taught for another language model")
        return {name: self.added(name, weight) for name, weight in weights.items()}

    def added(self, name: str, weight: Array) -> Array:
        """Return one weight of a model with what was taught about it added."""
        if name not in self.parts:
            return weight
        a, b = self.parts[name]
        if weight.shape != (len(b), a.shape[1]):
            raise DataError("the adapter was taught for another language model")
        return weight + np.float32(self.scale) * (b @ a)


def pack(adapter: Adapter) -> bytes:
    """Return the bytes of a safetensors file."""
    header: dict[str, object] = {
        "__metadata__": {
            **adapter.facts,
            "format": FORMAT,
            "scale": str(adapter.scale),
        }
    }
    content, start = [], 0
    for name, pair in sorted(adapter.parts.items()):
        for kind, matrix in zip("ab", pair, strict=True):
            rounded, scale = _rounded(matrix)
            parts: list[tuple[str, str, NDArray[np.generic]]] = [
                ("", "I8", rounded),
                (".scale", "F32", scale),
            ]
            for suffix, dtype, part in parts:
                raw = part.tobytes()
                header[f"{name}.{kind}{suffix}"] = {
                    "dtype": dtype,
                    "shape": list(part.shape),
                    "data_offsets": [start, start + len(raw)],
                }
                content.append(raw)
                start += len(raw)
    head = json.dumps(header, separators=(",", ":")).encode()
    head += b" " * (-len(head) % 8)
    return struct.pack("<Q", len(head)) + head + b"".join(content)


def unpack(name: str, content: bytes) -> Adapter:
    """Return the adapter of a file that ``pack`` wrote; damage raises DataError."""
    try:
        (length,) = struct.unpack_from("<Q", content)
        if not length <= min(LARGEST_HEADER, len(content) - 8):
            raise DataError(f"{name} is not an adapter of a retelling")
        header = json.loads(content[8 : 8 + length])
        facts = {str(k): str(v) for k, v in header.pop("__metadata__").items()}
        if facts.pop("format") != FORMAT:
            raise DataError(f"{name} is an adapter of another kind")
        body = memoryview(content)[8 + length :]
        arrays = {key: _array(body, entry) for key, entry in header.items()}
        weights = {key.rpartition(".a")[0] for key in arrays if key.endswith(".a")}
        parts = {
            key: (_whole(arrays, f"{key}.a"), _whole(arrays, f"{key}.b"))
            for key in weights
        }
        return Adapter(parts, float(facts.pop("scale")), facts)
    except (KeyError, TypeError, ValueError, AttributeError, struct.error):
        raise DataError(f"{name} is not an adapter of a retelling") from None


def _rounded(matrix: Array) -> tuple[NDArray[np.int8], NDArray[np.float32]]:
    """Return a matrix in 8 bits, and the scale of each row."""
    scale = np.maximum(np.abs(matrix).max(axis=1), np.float32(1e-12)) / np.float32(127)
    return np.rint(matrix / scale[:, None]).astype(np.int8), scale.astype("<f4")


def _whole(arrays: Mapping[str, NDArray[np.generic]], name: str) -> Array:
    scale = arrays[f"{name}.scale"].astype(np.float32)
    return arrays[name].astype(np.float32) * scale[:, None]


def _array(body: memoryview, entry: Mapping[str, object]) -> NDArray[np.generic]:
    start, stop = (int(str(place)) for place in entry["data_offsets"])  # type: ignore[attr-defined]
    shape = tuple(int(str(size)) for size in entry["shape"])  # type: ignore[attr-defined]
    kind = _DTYPES[str(entry["dtype"])]
    return np.frombuffer(body[start:stop], dtype=kind).reshape(shape)


def read_adapter(path: Path) -> tuple[Adapter, str]:
    """Return an adapter and the fingerprint of its file."""
    try:
        content = path.read_bytes()
    except OSError:
        raise DataError(f"cannot read the adapter {path.name}") from None
    return unpack(path.name, content), hashlib.sha256(content).hexdigest()[:16]
