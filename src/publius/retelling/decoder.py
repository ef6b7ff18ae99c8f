"""Write text with a small Llama in NumPy: many prompts at a time, piece after piece.

Keys and values of earlier pieces are cached: a step costs one pass for one piece.
Every prompt has its own row of random numbers, drawn beforehand: how much randomness is
used depends on the number of prompts only.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from publius.core.arrays import FloatArray, Rng, positive
from publius.core.errors import ParameterError
from publius.language.models.causal.byte_pairs import BytePairs
from publius.language.models.causal.gguf import Array
from publius.language.models.causal.llama import CausalModel, turned
from publius.retelling.block_guard import Guard, guard_of
from publius.retelling.block_list import BlockList
from publius.retelling.word_bias import Wanted, WordBias, bias_of

PIECES = 64
"""Only so many likeliest pieces may be drawn, whatever their probability."""


@dataclass(frozen=True, slots=True)
class Sampling:
    """How pieces are drawn.

    Args:
        temperature: Below 1 prefers likely pieces; > 0.
        share: Draw among the likeliest pieces that together have this probability.
        longest: Pieces after which a passage ends in any case.
        batch: Prompts that are written side by side.
        blocked: Words that may not be written.
    """

    temperature: float = 0.5
    share: float = 0.95
    longest: int = 72
    batch: int = 64
    blocked: BlockList | None = None

    def __post_init__(self) -> None:
        positive("temperature", self.temperature)
        if not 0 < self.share <= 1:
            raise ParameterError(f"share must lie in (0, 1], got {self.share}")


Steering = tuple[WordBias | None, Guard | None]
"""What is favoured, then what is barred: a barred piece stays so."""


@dataclass(frozen=True, slots=True, eq=False)
class _Memory:
    """Keys and values of the pieces so far; ``(layers, rows, heads, places, size)``."""

    keys: Array
    values: Array
    length: NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Decoder:
    """Continue prompts by a model.

    Args:
        model: The language model, with what it was taught merged in.
        ends: Pieces that end a passage.
    """

    model: CausalModel
    ends: tuple[int, ...]

    @property
    def tokenizer(self) -> BytePairs:
        """Of the model."""
        return self.model.tokenizer

    def write(
        self,
        prompts: Sequence[Sequence[int]],
        sampling: Sampling,
        rng: Rng,
        wanted: Wanted | None = None,
    ) -> list[str]:
        """Return one continuation per prompt, which is given in pieces."""
        chance = rng.random((len(prompts), sampling.longest))
        texts = []
        for start in range(0, len(prompts), sampling.batch):
            rows = range(len(prompts))[start : start + sampling.batch]
            pieces = [list(prompts[row]) for row in rows]
            bias = bias_of(wanted, rows, self.tokenizer, self.ends)
            guard = guard_of(sampling.blocked, self.tokenizer, self.ends, len(pieces))
            drawn = self._batch(pieces, chance[rows], sampling, (bias, guard))
            texts += [self.model.tokenizer.decode(own).strip() for own in drawn]
        return texts

    def _batch(
        self,
        prompts: list[list[int]],
        chance: FloatArray,
        sampling: Sampling,
        steering: Steering,
    ) -> list[list[int]]:
        memory = self._memory(prompts, sampling.longest)
        hidden = self._read(prompts, memory)
        drawn: list[list[int]] = [[] for _ in prompts]
        open_rows = np.arange(len(prompts))
        for step in range(sampling.longest):
            best, scores = likeliest(hidden @ self._table().T)
            best, scores = steered(steering, open_rows, best, scores)
            piece = drawn_among(best, scores, chance[open_rows, step], sampling)
            noted(steering, open_rows, piece)
            for row, own in zip(open_rows.tolist(), piece.tolist(), strict=True):
                drawn[row].append(own)
            going = ~np.isin(piece, self.ends)
            open_rows = open_rows[going]
            if not len(open_rows) or step + 1 == sampling.longest:
                break
            hidden = self._step(piece[going], open_rows, memory)
        return [own[:-1] if own[-1] in self.ends else own for own in drawn]

    def _table(self) -> Array:
        weights = self.model.weights
        return weights.get("output.weight", weights["token_embd.weight"])

    def _memory(self, prompts: list[list[int]], longest: int) -> _Memory:
        shape = self.model.shape
        places = max(map(len, prompts)) + longest
        size = shape.width // shape.heads
        cells = (shape.layers, len(prompts), shape.shared, places, size)
        length = np.zeros(len(prompts), dtype=np.int64)
        return _Memory(np.zeros(cells, np.float32), np.zeros(cells, np.float32), length)

    def _read(self, prompts: list[list[int]], memory: _Memory) -> Array:
        """Read whole prompts; return the last hidden row of each."""
        longest = max(map(len, prompts))
        ids = np.zeros((len(prompts), longest), dtype=np.int64)
        for row, own in enumerate(prompts):
            ids[row, : len(own)] = own
        length = np.array([len(own) for own in prompts])
        memory.length[:] = length
        place = np.broadcast_to(np.arange(longest), ids.shape)
        # What fills a short prompt stands behind it, where nothing looks at it.
        mask = np.where(np.tri(longest, dtype=bool), 0.0, -1e9).astype(np.float32)
        hidden = self.model.weights["token_embd.weight"][ids]
        rows = np.arange(len(prompts))
        for layer in range(self.model.shape.layers):
            hidden = self._layer(layer, hidden, place, rows, memory, mask)
        last = hidden[np.arange(len(prompts)), length - 1]
        return self.model.normal(last, "output_norm")

    def _step(
        self, piece: NDArray[np.int64], rows: NDArray[np.int64], memory: _Memory
    ) -> Array:
        """Read one more piece of some rows; return their hidden rows."""
        place = memory.length[rows][:, None]
        memory.length[rows] += 1
        reach = int(memory.length[rows].max())
        open_places = np.arange(reach) <= place
        mask = np.where(open_places, 0.0, -1e9).astype(np.float32)[:, None, None, :]
        hidden = self.model.weights["token_embd.weight"][piece][:, None, :]
        for layer in range(self.model.shape.layers):
            hidden = self._layer(layer, hidden, place, rows, memory, mask)
        return self.model.normal(hidden[:, 0], "output_norm")

    def _layer(
        self,
        layer: int,
        hidden: Array,
        place: NDArray[np.int64],
        rows: NDArray[np.int64],
        memory: _Memory,
        mask: Array,
    ) -> Array:
        model, name = self.model, f"blk.{layer}."
        shape, (count, length, _) = model.shape, hidden.shape
        inner = model.normal(hidden, f"{name}attn_norm")
        turn = model.rotation(place)

        def heads(kind: str, number: int) -> Array:
            made = model.linear(inner, f"{name}attn_{kind}")
            return made.reshape(count, length, number, -1).transpose(0, 2, 1, 3)

        query = turned(heads("q", shape.heads), turn)
        cells = rows[:, None], slice(None), place
        memory.keys[layer][cells] = turned(heads("k", shape.shared), turn).swapaxes(
            1, 2
        )
        memory.values[layer][cells] = heads("v", shape.shared).swapaxes(1, 2)
        reach = int(place.max()) + 1
        key = memory.keys[layer][rows, :, :reach]
        value = memory.values[layer][rows, :, :reach]
        mixed = _attend(query, key, value, mask)
        hidden = hidden + model.linear(
            mixed.transpose(0, 2, 1, 3).reshape(hidden.shape), f"{name}attn_output"
        )
        return model.fed_forward(hidden, name)


def _attend(query: Array, key: Array, value: Array, mask: Array) -> Array:
    """Mix values; each head of keys serves several heads of queries."""
    count, heads, length, size = query.shape
    shared = key.shape[1]
    grouped = query.reshape(count, shared, heads // shared * length, size)
    score = grouped @ key.swapaxes(2, 3)
    score /= np.float32(np.sqrt(size))
    wide = score.reshape(count, heads, length, -1)
    wide += mask
    wide -= wide.max(axis=-1, keepdims=True)
    np.exp(wide, out=wide)
    wide /= wide.sum(axis=-1, keepdims=True)
    mixed = wide.reshape(score.shape) @ value
    made: Array = mixed.reshape(count, heads, length, size).astype(np.float32)
    return made


def likeliest(scores: Array) -> tuple[NDArray[np.int64], Array]:
    """Return the likeliest pieces of each row with their scores, the highest first."""
    best = np.argpartition(-scores, PIECES, axis=1)[:, :PIECES]
    value = np.take_along_axis(scores, best, axis=1)
    order = np.argsort(-value, axis=1, kind="stable")
    best = np.take_along_axis(best, order, axis=1)
    return best, np.take_along_axis(value, order, axis=1)


def steered(
    steering: Steering,
    rows: NDArray[np.int64],
    pieces: NDArray[np.int64],
    scores: Array,
) -> tuple[NDArray[np.int64], Array]:
    """Return likely pieces of each row with their new scores, the highest first."""
    for one in steering:
        if one is not None:
            pieces, scores = one.favour(rows, pieces, scores)
    return pieces, scores


def noted(
    steering: Steering, rows: NDArray[np.int64], pieces: NDArray[np.int64]
) -> None:
    """Tell what steers which piece was drawn for each row."""
    for one in steering:
        if one is not None:
            one.take(rows, pieces)


def drawn_among(
    best: NDArray[np.int64], scores: Array, chance: FloatArray, sampling: Sampling
) -> NDArray[np.int64]:
    """Draw one of the likeliest pieces of each row, the likeliest of all first."""
    value = scores.astype(np.float64)
    weight = np.exp((value - value[:, :1]) / sampling.temperature)
    weight /= weight.sum(axis=1, keepdims=True)
    before = np.cumsum(weight, axis=1) - weight
    weight[before >= sampling.share] = 0
    edges = np.cumsum(weight, axis=1)
    place = (edges <= (chance * edges[:, -1])[:, None]).sum(axis=1)
    place = np.minimum(place, best.shape[1] - 1)
    return best[np.arange(len(best)), place].astype(np.int64)
