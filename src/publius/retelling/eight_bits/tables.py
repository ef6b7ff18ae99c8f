"""The weights of a small Llama as 8-bit integers, formed once and mapped afterwards.

Each column of a weight has a scale of its own. Numbers of a row of activations are
rounded to 8 bits in the same way while the model runs, and products of integers are
summed exactly: what else is in a batch, or which processor multiplies, changes nothing.
"""

import mmap
from collections.abc import Mapping
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from publius.language.models.causal.gguf import Array
from publius.language.models.causal.llama import CausalModel
from publius.retelling.adapter import Adapter
from publius.storage.cache import map_cached_array, write_cached_array

Tables = Mapping[str, NDArray[Any]]

LARGEST = 63
"""Of a rounded weight. Processors without exact instructions add two products of 8 bits
in 16 bits: 2 * 255 * 63 fits, 2 * 255 * 127 would be cut off."""
PARTS = {
    "qkv": ("attn_q", "attn_k", "attn_v"),
    "output": ("attn_output",),
    "gate": ("ffn_gate",),
    "up": ("ffn_up",),
    "down": ("ffn_down",),
}
"""Name of a table → weights of a layer that stand in it side by side."""
KIND, VERSION = "retelling", "eight-bits.v1"
_ALIGNED = 64
_BLOCK = 4096


def layout(model: CausalModel) -> dict[str, tuple[type[np.generic], tuple[int, ...]]]:
    """Return type and shape of every table; a fact of the public model."""
    shape, width = model.shape, model.shape.width
    inner = len(model.weights["blk.0.ffn_gate.weight"])
    shared = shape.shared * (width // shape.heads)
    sizes = {
        "qkv": (width, width + 2 * shared),
        "output": (width, width),
        "gate": (width, inner),
        "up": (width, inner),
        "down": (inner, width),
    }
    made: dict[str, tuple[type[np.generic], tuple[int, ...]]] = {}
    for layer in range(shape.layers):
        for name, size in sizes.items():
            made[f"{layer}.{name}"] = np.int8, size
            made[f"{layer}.{name}.scale"] = np.float32, size[1:]
        for name in ("before", "between"):
            made[f"{layer}.{name}"] = np.float32, (width,)
    pieces = len(model.tokenizer.pieces)
    made["last"] = np.float32, (width,)
    made["head"] = np.int8, (width, pieces)
    made["embedded"] = np.int8, (pieces, width)
    made["head.scale"] = made["embedded.scale"] = np.float32, (pieces,)
    return made


def tables_of(model: CausalModel, adapter: Adapter, key: str = "") -> Tables:
    """Return the tables of a taught model: mapped if they were kept, else formed.

    Args:
        model: Whose weights may be read from their file one by one.
        adapter: What the model was taught.
        key: Of model and adapter, under which the tables are kept; empty keeps none.
    """
    name = f"{VERSION}-{key}.npy"
    places, size = _places(model)
    flat: NDArray[Any] | None = map_cached_array(KIND, name) if key else None
    if flat is None or flat.dtype != np.uint8 or flat.shape != (size,):
        flat = np.zeros(size, dtype=np.uint8)
        _fill(model, adapter, _views(flat, places))
        if key:
            write_cached_array(KIND, name, flat)
            kept = map_cached_array(KIND, name)
            # A cache that cannot be written costs memory and nothing else.
            flat = flat if kept is None else kept
    return _views(flat, places)


def lay_aside(tables: Tables) -> None:
    """Give back the memory of mapped tables; they are read again where they are used.

    The runtime keeps a copy of weights in an order of its own.
    """
    owner: object = next(iter(tables.values()))
    while owner is not None and not isinstance(owner, mmap.mmap):
        owner = getattr(owner, "obj", getattr(owner, "base", None))
    if owner is not None and hasattr(owner, "madvise"):
        owner.madvise(mmap.MADV_DONTNEED)


_Places = dict[str, tuple[int, type[np.generic], tuple[int, ...]]]


def _places(model: CausalModel) -> tuple[_Places, int]:
    """Return where each table starts, and how many bytes all have."""
    found: _Places = {}
    start = 0
    for name, (dtype, shape) in layout(model).items():
        found[name] = start, dtype, shape
        size = prod(shape) * np.dtype(dtype).itemsize
        start += -(-size // _ALIGNED) * _ALIGNED
    return found, start


def _views(flat: NDArray[np.generic], places: _Places) -> Tables:
    return {
        name: np.frombuffer(flat.data, dtype, prod(shape), start).reshape(shape)
        for name, (start, dtype, shape) in places.items()
    }


def _fill(model: CausalModel, adapter: Adapter, into: Tables) -> None:
    """Round one layer after another, so that only one stands in memory as it was."""

    def whole(name: str) -> Array:
        return adapter.added(f"{name}.weight", model.weights[f"{name}.weight"])

    for layer in range(model.shape.layers):
        for name, parts in PARTS.items():
            rows = np.vstack([whole(f"blk.{layer}.{part}") for part in parts])
            _round(rows, into[f"{layer}.{name}"].T, into[f"{layer}.{name}.scale"])
        into[f"{layer}.before"][...] = whole(f"blk.{layer}.attn_norm")
        into[f"{layer}.between"][...] = whole(f"blk.{layer}.ffn_norm")
    into["last"][...] = whole("output_norm")
    embedded = whole("token_embd")
    _round(embedded, into["embedded"], into["embedded.scale"])
    head = whole("output") if "output.weight" in model.weights else embedded
    _round(head, into["head"].T, into["head.scale"])


def _round(rows: Array, into: NDArray[Any], scales: NDArray[Any]) -> None:
    """Round rows to integers, each with its own scale; a block of rows at a time."""
    for start in range(0, len(rows), _BLOCK):
        part = slice(start, start + _BLOCK)
        largest = np.maximum(np.abs(rows[part]).max(axis=1), np.float32(1e-12))
        scales[part] = largest / np.float32(LARGEST)
        into[part] = np.rint(rows[part] / scales[part][:, None])
