"""The forward pass of a BERT encoder in NumPy, mean pooled."""

import json
import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import scipy
from numpy.typing import NDArray

from publius.core.arrays import FloatArray
from publius.core.errors import DataError
from publius.language.models.encoder.wordpiece import WordPiece

Weights = Mapping[str, NDArray[np.float32]]
BATCH = 32
TINY = 1e-12


@dataclass(frozen=True, slots=True, eq=False)
class Encoder:
    """Turn texts into unit vectors.

    Args:
        weights: By the names of the published model.
        tokenizer: Of the published model.
        heads: Attention heads of a layer.
    """

    weights: Weights
    tokenizer: WordPiece
    heads: int = 12

    @property
    def layers(self) -> int:
        """Number of layers."""
        return sum(
            name.endswith("attention.self.query.weight") for name in self.weights
        )

    def __call__(self, texts: Sequence[str]) -> FloatArray:
        """Return one unit row per text."""
        pieces = [self.tokenizer.encode(text) for text in texts]
        width = self.weights["embeddings.word_embeddings.weight"].shape[1]
        vectors = np.zeros((len(texts), width))
        # Texts of like length share a batch, so that little is spent on filling.
        order = np.argsort([len(p) for p in pieces], kind="stable")
        for start in range(0, len(order), BATCH):
            rows = order[start : start + BATCH]
            vectors[rows] = self._encode([pieces[i] for i in rows])
        return vectors

    def _encode(self, pieces: list[list[int]]) -> FloatArray:
        longest = max(map(len, pieces))
        ids = np.full((len(pieces), longest), self.tokenizer.pad)
        mask = np.zeros((len(pieces), longest), dtype=np.float32)
        for row, numbers in enumerate(pieces):
            ids[row, : len(numbers)] = numbers
            mask[row, : len(numbers)] = 1
        w = self.weights
        hidden = (
            w["embeddings.word_embeddings.weight"][ids]
            + w["embeddings.position_embeddings.weight"][:longest]
            + w["embeddings.token_type_embeddings.weight"][0]
        )
        hidden = self._normal(hidden, "embeddings.LayerNorm")
        for layer in range(self.layers):
            hidden = self._layer(hidden, mask, f"encoder.layer.{layer}.")
        total = (hidden * mask[:, :, None]).sum(axis=1) / mask.sum(axis=1)[:, None]
        return total / np.maximum(np.linalg.norm(total, axis=1, keepdims=True), TINY)

    def _layer(
        self, hidden: NDArray[np.float32], mask: NDArray[np.float32], name: str
    ) -> NDArray[np.float32]:
        count, length, width = hidden.shape
        shape = (count, length, self.heads, width // self.heads)

        def head(part: str) -> NDArray[np.float32]:
            rows = self._linear(hidden, f"{name}attention.self.{part}")
            return rows.reshape(shape).transpose(0, 2, 1, 3)

        score = head("query") @ head("key").transpose(0, 1, 3, 2)
        score /= np.float32(np.sqrt(shape[-1]))
        score += (mask[:, None, None, :] - 1) * np.float32(1e4)
        score = np.exp(score - score.max(axis=-1, keepdims=True))
        score /= score.sum(axis=-1, keepdims=True)
        mixed = (score @ head("value")).transpose(0, 2, 1, 3).reshape(hidden.shape)
        mixed = self._linear(mixed, f"{name}attention.output.dense")
        hidden = self._normal(hidden + mixed, f"{name}attention.output.LayerNorm")
        inner = self._linear(hidden, f"{name}intermediate.dense")
        inner = (
            inner
            * np.float32(0.5)
            * (1 + scipy.special.erf(inner / np.float32(np.sqrt(2))))
        )
        outer = self._linear(inner, f"{name}output.dense")
        return self._normal(hidden + outer, f"{name}output.LayerNorm")

    def _linear(self, rows: NDArray[np.float32], name: str) -> NDArray[np.float32]:
        weight = self.weights[f"{name}.weight"]
        # One large product is three times as fast as one per text.
        product: NDArray[np.float32] = rows.reshape(-1, rows.shape[-1]) @ weight.T
        product += self.weights[f"{name}.bias"]
        return product.reshape(*rows.shape[:-1], len(weight))

    def _normal(self, rows: NDArray[np.float32], name: str) -> NDArray[np.float32]:
        centred = rows - rows.mean(axis=-1, keepdims=True)
        spread = np.sqrt((centred * centred).mean(axis=-1, keepdims=True) + TINY)
        scaled: NDArray[np.float32] = centred / spread
        scaled *= self.weights[f"{name}.weight"]
        scaled += self.weights[f"{name}.bias"]
        return scaled


def read_safetensors(path: Path) -> dict[str, NDArray[np.float32]]:
    """Return the float32 arrays of a safetensors file."""
    try:
        with path.open("rb") as stream:
            (size,) = struct.unpack("<Q", stream.read(8))
            if not size < path.stat().st_size:
                raise DataError(f"{path.name} is damaged: its header is too long")
            header = json.loads(stream.read(size))
            table = np.frombuffer(stream.read(), dtype=np.uint8)
        arrays = {}
        for name, about in header.items():
            if name == "__metadata__" or about["dtype"] != "F32":
                continue
            start, stop = about["data_offsets"]
            # A copy: BLAS does not multiply arrays that are not aligned.
            flat = table[start:stop].copy().view(np.float32)
            arrays[name] = flat.reshape(about["shape"])
    except (KeyError, TypeError, ValueError, struct.error) as broken:
        raise DataError(
            f"cannot read {path.name}: {type(broken).__name__} in the file"
        ) from None
    return arrays
