"""The forward pass of a small Llama in NumPy: how probable is each next piece?"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import scipy
from numpy.typing import NDArray

from publius.core.arrays import FloatArray
from publius.language.models.causal.byte_pairs import BytePairs
from publius.language.models.causal.gguf import Array, Gguf
from publius.numerics.parallel import map_blocks

BATCH_PIECES = 1024
"""Pieces that one batch holds; longer ones do not fit into the cache."""


@dataclass(frozen=True, slots=True)
class Shape:
    """Sizes of a model.

    Args:
        layers: Number of layers.
        heads: Heads of queries.
        shared: Heads of keys and values.
        width: Of a hidden row.
        base: Of the rotary positions.
        tiny: Added to the mean square before its root.
    """

    layers: int
    heads: int
    shared: int
    width: int
    base: float
    tiny: float

    @classmethod
    def of(cls, file: Gguf) -> "Shape":
        """Read the sizes from the settings of a file."""

        def number(name: str) -> float:
            return float(file.settings[f"llama.{name}"])  # type: ignore[arg-type]

        return cls(
            int(number("block_count")),
            int(number("attention.head_count")),
            int(number("attention.head_count_kv")),
            int(number("embedding_length")),
            number("rope.freq_base"),
            number("attention.layer_norm_rms_epsilon"),
        )


@dataclass(frozen=True, slots=True, eq=False)
class CausalModel:
    """Give the probability of every piece after those before it.

    Args:
        weights: By the names of GGUF.
        shape: Sizes.
        tokenizer: Of the published model.
        begin: Number of the piece that stands before every text.
        length: Pieces of a text that are looked at.
    """

    weights: Mapping[str, Array]
    shape: Shape
    tokenizer: BytePairs
    begin: int
    length: int = 128

    def surprise(self, texts: Sequence[str]) -> FloatArray:
        """Return the mean negative log-probability per piece; NaN for no piece."""
        pieces = [self.tokenizer.encode(text)[: self.length] for text in texts]
        order = np.argsort([len(p) for p in pieces], kind="stable")
        order = order[np.array([len(pieces[i]) > 0 for i in order], dtype=bool)]
        batches, start = [], 0
        while start < len(order):
            # Texts of like length share a batch, so that little is spent on filling.
            stop = start + 1
            while (
                stop < len(order)
                and (stop - start + 1) * (len(pieces[order[stop]]) + 1) <= BATCH_PIECES
            ):
                stop += 1
            batches.append(order[start:stop])
            start = stop
        surprises = np.full(len(texts), np.nan)
        done = map_blocks(lambda rows: self._batch([pieces[i] for i in rows]), batches)
        for rows, values in zip(batches, done, strict=True):
            surprises[rows] = values
        return surprises

    def _batch(self, pieces: list[list[int]]) -> FloatArray:
        longest = max(map(len, pieces))
        ids = np.full((len(pieces), longest), self.begin)
        for row, numbers in enumerate(pieces):
            ids[row, : len(numbers)] = numbers
        before = np.hstack([np.full((len(ids), 1), self.begin), ids[:, :-1]])
        # What fills a short text stands behind it, where nothing looks at it.
        log_probability = self.log_probability(before, ids)
        inside = np.arange(longest) < np.array([len(p) for p in pieces])[:, None]
        return -(log_probability * inside).sum(axis=1) / inside.sum(axis=1)

    def log_probability(
        self, before: NDArray[np.int64], ids: NDArray[np.int64]
    ) -> FloatArray:
        """Return the log-probability of `ids` after the pieces up to `before`."""
        hidden = self.weights["token_embd.weight"][before]
        turn = self.rotation(np.arange(before.shape[1])[None, :])
        for layer in range(self.shape.layers):
            hidden = self._layer(hidden, f"blk.{layer}.", turn)
        rows = self.normal(hidden, "output_norm").reshape(-1, self.shape.width)
        table = self.weights.get("output.weight", self.weights["token_embd.weight"])
        wanted = ids.reshape(-1)
        values = np.empty(len(wanted))
        for start in range(0, len(wanted), BATCH_PIECES):
            part = slice(start, start + BATCH_PIECES)
            scores = rows[part] @ table.T
            own = scores[np.arange(len(scores)), wanted[part]]
            values[part] = own - scipy.special.logsumexp(scores, axis=1)
        return values.reshape(ids.shape)

    def _layer(self, hidden: Array, name: str, turn: tuple[Array, Array]) -> Array:
        count, length, _ = hidden.shape
        heads, shared = self.shape.heads, self.shape.shared
        rows = self.normal(hidden, f"{name}attn_norm")

        def part(kind: str, number: int) -> Array:
            made = self.linear(rows, f"{name}attn_{kind}")
            return made.reshape(count, length, number, -1).transpose(0, 2, 1, 3)

        query = turned(part("q", heads), turn)
        # Each head of keys and values serves several heads of queries.
        key, value = (
            np.repeat(array, heads // shared, axis=1)
            for array in (turned(part("k", shared), turn), part("v", shared))
        )
        score = query @ key.transpose(0, 1, 3, 2)
        score /= np.float32(np.sqrt(query.shape[-1]))
        score += np.triu(np.full((length, length), -1e9, np.float32), 1)
        score = np.exp(score - score.max(axis=-1, keepdims=True))
        score /= score.sum(axis=-1, keepdims=True)
        mixed = (score @ value).transpose(0, 2, 1, 3).reshape(hidden.shape)
        hidden = hidden + self.linear(mixed, f"{name}attn_output")
        return self.fed_forward(hidden, name)

    def fed_forward(self, hidden: Array, name: str) -> Array:
        """Return hidden rows after the second half of a layer."""
        rows = self.normal(hidden, f"{name}ffn_norm")
        gate = self.linear(rows, f"{name}ffn_gate")
        gate *= scipy.special.expit(gate)
        gate *= self.linear(rows, f"{name}ffn_up")
        return hidden + self.linear(gate, f"{name}ffn_down")

    def linear(self, rows: Array, name: str) -> Array:
        """Return rows times the transposed weights of a name."""
        weight = self.weights[f"{name}.weight"]
        made: Array = rows.reshape(-1, rows.shape[-1]) @ weight.T
        return made.reshape(*rows.shape[:-1], len(weight))

    def normal(self, rows: Array, name: str) -> Array:
        """Return rows at a root mean square of 1, times the weights of a name."""
        square = (rows * rows).mean(axis=-1, keepdims=True)
        scaled: Array = rows / np.sqrt(square + np.float32(self.shape.tiny))
        return scaled * self.weights[f"{name}.weight"]

    def rotation(self, place: NDArray[np.int64]) -> tuple[Array, Array]:
        """Return cosine and sine of the angle of places and pairs of columns.

        Args:
            place: ``(rows, length)``; the result has an axis for heads between them.
        """
        size = self.shape.width // self.shape.heads
        pace = self.shape.base ** (-np.arange(0, size, 2) / size)
        angle = place[:, None, :, None] * pace
        return np.cos(angle).astype(np.float32), np.sin(angle).astype(np.float32)


def turned(rows: Array, turn: tuple[Array, Array]) -> Array:
    """Rotate neighbouring columns, which GGUF keeps side by side."""
    cosine, sine = turn
    even, odd = rows[..., 0::2], rows[..., 1::2]
    rotated = np.empty_like(rows)
    rotated[..., 0::2] = even * cosine - odd * sine
    rotated[..., 1::2] = even * sine + odd * cosine
    return rotated
