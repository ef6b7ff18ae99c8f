"""What the language model was taught: two thin matrices beside each weight.

The weight W of a layer becomes ``W + scale * B @ A``. Files are safetensors of float16:
names, shapes and numbers; nothing in them can run.
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
FORMAT = "publius-retelling.v1"
LARGEST_HEADER = 1 << 20


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
        made = dict(weights)
        for name, (a, b) in self.parts.items():
            if name not in made or made[name].shape != (len(b), a.shape[1]):
                raise DataError("the adapter was taught for another language model")
            made[name] = made[name] + np.float32(self.scale) * (b @ a)
        return made


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
            raw = np.ascontiguousarray(matrix, dtype="<f2").tobytes()
            header[f"{name}.{kind}"] = {
                "dtype": "F16",
                "shape": list(matrix.shape),
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
        weights = {key.rpartition(".")[0] for key in arrays}
        parts = {key: (arrays[f"{key}.a"], arrays[f"{key}.b"]) for key in weights}
        return Adapter(parts, float(facts.pop("scale")), facts)
    except (KeyError, TypeError, ValueError, AttributeError, struct.error):
        raise DataError(f"{name} is not an adapter of a retelling") from None


def _array(body: memoryview, entry: Mapping[str, object]) -> Array:
    start, stop = (int(str(place)) for place in entry["data_offsets"])  # type: ignore[attr-defined]
    shape = tuple(int(str(size)) for size in entry["shape"])  # type: ignore[attr-defined]
    if entry["dtype"] != "F16":
        raise ValueError
    raw: NDArray[np.float16] = np.frombuffer(body[start:stop], dtype="<f2")
    return raw.reshape(shape).astype(np.float32)


def read_adapter(path: Path) -> tuple[Adapter, str]:
    """Return an adapter and the fingerprint of its file."""
    try:
        content = path.read_bytes()
    except OSError:
        raise DataError(f"cannot read the adapter {path.name}") from None
    return unpack(path.name, content), hashlib.sha256(content).hexdigest()[:16]
