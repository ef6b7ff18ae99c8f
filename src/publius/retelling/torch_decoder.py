"""Write text with the same small Llama in torch: on a GPU, or faster on a CPU.

Prompts are sorted by their length, which is a fact of released words, and filled up on
the left, so that every row of a batch stands at the same place. Randomness is that of
the release, drawn beforehand as for the NumPy decoder.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn import functional

from publius.core.arrays import Rng
from publius.core.errors import ParameterError
from publius.language.models.causal.llama import CausalModel
from publius.retelling.adapter import Adapter
from publius.retelling.block_guard import Guard, guard_of
from publius.retelling.decoder import PIECES, Sampling
from publius.retelling.torch_bias import DeviceBias
from publius.retelling.word_bias import Wanted

BATCH = {"cuda": 2048, "cpu": 64}
"""Prompts that are written side by side."""
KIND = torch.bfloat16
"""Half the memory, and the fastest on processors that multiply it."""
RUN = 128
"""Pieces that are looked at together for the likeliest ones."""
EVERY = 8
"""Steps between looks at which rows have ended."""


_Steering = tuple[DeviceBias | None, Guard | None]


@dataclass(slots=True, eq=False)
class _State:
    """What a batch remembers: keys and values, the first real place, the last piece."""

    keys: Tensor
    values: Tensor
    first: Tensor
    rows: Tensor
    length: int

    def only(self, going: Tensor) -> None:
        """Forget rows that have ended."""
        self.keys, self.values = self.keys[:, going], self.values[:, going]
        self.first, self.rows = self.first[going], self.rows[going]


def chosen(device: str) -> str:
    """Return cpu or cuda; auto takes a GPU where there is one."""
    if device == "auto":
        return "cuda" if torch.cuda.is_available() else "cpu"
    if device == "cuda" and not torch.cuda.is_available():
        raise ParameterError("there is no GPU that torch can use; leave --device out")
    return device


class TorchDecoder:
    """Continue prompts by a model.

    Args:
        model: The published language model; its weights are copied, not kept.
        ends: Pieces that end a passage.
        device: cpu or cuda.
        adapter: What the model was taught.
    """

    def __init__(
        self,
        model: CausalModel,
        ends: tuple[int, ...],
        device: str,
        adapter: Adapter | None = None,
    ) -> None:
        self.shape, self.tokenizer = model.shape, model.tokenizer
        self.ends, self.device = ends, device
        self._adapter, self._weights = adapter or Adapter({}, 1.0), model.weights
        self.kind = KIND
        shape = self.shape
        self.size = shape.width // shape.heads
        self.layers = [self._layer_of(layer) for layer in range(shape.layers)]
        self.embedded = self._tensor("token_embd.weight")
        self.table = (
            self._tensor("output.weight")
            if "output.weight" in self._weights
            else self.embedded
        )
        self.last = self._tensor("output_norm.weight")
        self._weights = {}

    def _tensor(self, *names: str) -> Tensor:
        parts = [
            torch.from_numpy(self._adapter.added(name, self._weights[name]))
            for name in names
        ]
        return torch.cat(parts).to(self.device, self.kind)

    def _layer_of(self, layer: int) -> dict[str, Tensor]:
        name = f"blk.{layer}."
        attention = [f"{name}attn_{kind}.weight" for kind in "qkv"]
        return {
            "before": self._tensor(f"{name}attn_norm.weight"),
            "attention": self._tensor(*attention),
            "output": self._tensor(f"{name}attn_output.weight"),
            "between": self._tensor(f"{name}ffn_norm.weight"),
            "wide": self._tensor(f"{name}ffn_gate.weight", f"{name}ffn_up.weight"),
            "narrow": self._tensor(f"{name}ffn_down.weight"),
        }

    def write(
        self,
        prompts: Sequence[Sequence[int]],
        sampling: Sampling,
        rng: Rng,
        wanted: Wanted | None = None,
    ) -> list[str]:
        """Return one continuation per prompt, which is given in pieces."""
        chance = rng.random((len(prompts), sampling.longest))
        order = sorted(range(len(prompts)), key=lambda row: len(prompts[row]))
        texts = [""] * len(prompts)
        step = BATCH[self.device]
        for start in range(0, len(order), step):
            rows = order[start : start + step]
            own = [list(prompts[row]) for row in rows]
            bias = self._bias(wanted, rows)
            guard = guard_of(sampling.blocked, self.tokenizer, self.ends, len(rows))
            drawn = self._batch(
                own, torch.from_numpy(chance[rows]), sampling, (bias, guard)
            )
            for row, pieces in zip(rows, drawn, strict=True):
                texts[row] = self.tokenizer.decode(pieces).strip()
        return texts

    def _bias(self, wanted: Wanted | None, rows: list[int]) -> DeviceBias | None:
        if wanted is None:
            return None
        return DeviceBias(wanted.only(rows), self.tokenizer, self.ends, self.device)

    @torch.inference_mode()
    def _batch(
        self,
        prompts: list[list[int]],
        chance: Tensor,
        sampling: Sampling,
        steering: _Steering = (None, None),
    ) -> list[list[int]]:
        chance = chance.to(self.device, torch.float32)
        ends = torch.tensor(self.ends, device=self.device)
        state, hidden = self._read(prompts, sampling.longest)
        drawn = torch.full(
            (len(prompts), sampling.longest), self.ends[0], device=self.device
        )
        ended = torch.zeros(len(prompts), dtype=torch.bool, device=self.device)
        for step in range(sampling.longest):
            value, best = likeliest(hidden @ self.table.T)
            value, best = _steered(value, best, state.rows, steering)
            piece = _drawn(value, best, chance[state.rows, step], sampling)
            _note(state.rows, piece, steering)
            drawn[state.rows, step] = torch.where(ended, self.ends[0], piece)
            ended = ended | torch.isin(piece, ends)
            if step % EVERY == EVERY - 1:
                going = torch.nonzero(~ended)[:, 0]
                if not len(going):
                    break
                state.only(going)
                piece, ended = piece[going], ended[going]
            if step + 1 < sampling.longest:
                hidden = self._step(piece, state)
        return [_until(own, self.ends) for own in drawn.tolist()]

    def _read(self, prompts: list[list[int]], longest: int) -> tuple[_State, Tensor]:
        """Read whole prompts; return the last hidden row of each."""
        width, shape = max(map(len, prompts)), self.shape
        ids = torch.zeros(len(prompts), width, dtype=torch.long)
        for row, own in enumerate(prompts):
            ids[row, width - len(own) :] = torch.tensor(own)
        first = torch.tensor([width - len(own) for own in prompts], device=self.device)
        cells = (shape.layers, len(prompts), shape.shared, width + longest, self.size)
        keys, values = (
            torch.zeros(cells, dtype=self.kind, device=self.device) for _ in range(2)
        )
        rows = torch.arange(len(prompts), device=self.device)
        state = _State(keys, values, first, rows, 0)
        place = torch.arange(width, device=self.device)
        seen = (place[None, :] >= first[:, None])[:, None, None, :]
        seen = seen & (place[:, None] >= place[None, :])
        # A place that sees nothing would give NaN: filling looks at itself.
        seen = seen | torch.eye(width, dtype=torch.bool, device=self.device)
        hidden = self._pass(ids.to(self.device), state, seen)
        return state, hidden[:, -1]

    def _step(self, piece: Tensor, state: _State) -> Tensor:
        """Read one more piece of every row; return their hidden rows."""
        place = torch.arange(state.length + 1, device=self.device)
        seen = (place[None, :] >= state.first[:, None])[:, None, None, :]
        return self._pass(piece[:, None], state, seen)[:, 0]

    def _pass(self, ids: Tensor, state: _State, seen: Tensor) -> Tensor:
        shape, (count, length) = self.shape, ids.shape
        start, stop = state.length, state.length + length
        hidden = self.embedded[ids]
        turn = self._rotation(start, stop, state.first)
        sizes = [shape.heads, shape.shared, shape.shared]
        for layer, weights in enumerate(self.layers):
            rows = self._normal(hidden, weights["before"])
            heads = functional.linear(rows, weights["attention"])
            heads = heads.view(count, length, -1, self.size).transpose(1, 2)
            query, key, value = torch.split(heads, sizes, dim=1)
            state.keys[layer, :, :, start:stop] = _turned(key, turn)
            state.values[layer, :, :, start:stop] = value
            mixed = _attend(
                _turned(query, turn),
                state.keys[layer, :, :, :stop],
                state.values[layer, :, :, :stop],
                seen,
            )
            mixed = mixed.transpose(1, 2).reshape(count, length, -1)
            hidden = hidden + functional.linear(mixed, weights["output"])
            rows = self._normal(hidden, weights["between"])
            gate, up = functional.linear(rows, weights["wide"]).chunk(2, dim=-1)
            hidden = hidden + functional.linear(
                functional.silu(gate) * up, weights["narrow"]
            )
        state.length = stop
        return self._normal(hidden, self.last)

    def _normal(self, rows: Tensor, weight: Tensor) -> Tensor:
        return functional.rms_norm(rows, weight.shape, weight, self.shape.tiny)

    def _rotation(self, start: int, stop: int, first: Tensor) -> tuple[Tensor, Tensor]:
        half = torch.arange(0, self.size, 2, device=self.device)
        pace = self.shape.base ** (-half / self.size)
        place = torch.arange(start, stop, device=self.device)[None, :] - first[:, None]
        angle = place[:, None, :, None] * pace
        return torch.cos(angle).to(self.kind), torch.sin(angle).to(self.kind)


def _turned(rows: Tensor, turn: tuple[Tensor, Tensor]) -> Tensor:
    cosine, sine = turn
    even, odd = rows[..., 0::2], rows[..., 1::2]
    made = torch.stack((even * cosine - odd * sine, even * sine + odd * cosine), -1)
    return made.flatten(-2)


def _attend(query: Tensor, key: Tensor, value: Tensor, seen: Tensor) -> Tensor:
    """Mix values; each head of keys serves several heads of queries.

    Written out: with a mask and shared heads torch's own function copies all keys.
    """
    count, heads, length, size = query.shape
    shared = key.shape[1]
    grouped = query.reshape(count, shared, heads // shared * length, size)
    score = torch.matmul(grouped, key.transpose(2, 3)).float() * size**-0.5
    mask = seen.repeat(1, 1, heads // shared, 1)
    weight = torch.softmax(score.masked_fill(~mask, -torch.inf), dim=-1)
    mixed = torch.matmul(weight.to(value.dtype), value)
    return mixed.reshape(count, heads, length, size)


def likeliest(scores: Tensor) -> tuple[Tensor, Tensor]:
    """Return the largest scores of each row, the highest first, and their pieces.

    They stand in those of the runs of pieces whose largest scores are the largest: to
    sort among these is several times as fast as among all pieces.
    """
    rows, size = scores.shape
    if size % RUN or size <= PIECES * RUN:
        value, best = torch.topk(scores, min(PIECES, size), dim=1)
        return value.float(), best
    runs = scores.view(rows, -1, RUN)
    place = torch.topk(runs.amax(dim=2), PIECES, dim=1).indices
    some = runs.gather(1, place[:, :, None].expand(-1, -1, RUN)).flatten(1)
    value, best = torch.topk(some, PIECES, dim=1)
    return value.float(), place.gather(1, best // RUN) * RUN + best % RUN


def _steered(
    value: Tensor, best: Tensor, rows: Tensor, steering: _Steering
) -> tuple[Tensor, Tensor]:
    """Return scores and their pieces, the highest first, barred pieces last.

    A block list is looked up on the processor; without one no step waits for it.
    """
    bias, guard = steering
    if bias is None and guard is None:
        return value, best
    if bias is not None:
        value = value + bias.added(rows, best)
    if guard is not None:
        barred = guard.barred(rows.cpu().numpy(), best.cpu().numpy())
        out = torch.from_numpy(barred).to(value.device)
        value = value.masked_fill(out, -torch.inf)
    value, order = torch.sort(value, dim=1, descending=True, stable=True)
    return value, best.gather(1, order)


def _note(rows: Tensor, piece: Tensor, steering: _Steering) -> None:
    bias, guard = steering
    if bias is not None:
        bias.take(rows, piece)
    if guard is not None:
        guard.take(rows.cpu().numpy(), piece.cpu().numpy())


def _drawn(value: Tensor, best: Tensor, chance: Tensor, sampling: Sampling) -> Tensor:
    """Draw a piece per row among the likeliest ones, as the NumPy decoder does."""
    weight = torch.softmax(value / sampling.temperature, dim=1)
    before = torch.cumsum(weight, dim=1) - weight
    weight = torch.where(before >= sampling.share, 0.0, weight)
    edges = torch.cumsum(weight, dim=1)
    place = (edges <= (chance * edges[:, -1])[:, None]).sum(dim=1)
    place = place.clamp(max=best.shape[1] - 1)
    return best.gather(1, place[:, None])[:, 0]


def _until(pieces: list[int], ends: tuple[int, ...]) -> list[int]:
    stop = next((i for i, piece in enumerate(pieces) if piece in ends), len(pieces))
    return pieces[:stop]
