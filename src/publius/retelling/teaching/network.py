"""The same small Llama in torch, with thin trainable matrices beside its weights."""

from collections.abc import Mapping

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from publius.language.models.causal.llama import CausalModel
from publius.retelling.adapter import KINDS, Adapter


class Taught(nn.Module):
    """A frozen model with an adapter.

    Args:
        model: The published weights.
        rank: Rows of the thin matrices.
        scale: Factor of their product.
    """

    def __init__(self, model: CausalModel, rank: int, scale: float) -> None:
        super().__init__()
        self.shape, self.scale = model.shape, scale
        self.frozen = {
            name: torch.from_numpy(np.ascontiguousarray(weight))
            for name, weight in model.weights.items()
        }
        self.names = [
            f"blk.{layer}.{kind}"
            for layer in range(model.shape.layers)
            for kind in KINDS
        ]
        draw = torch.Generator().manual_seed(0)
        self.a, self.b = nn.ParameterDict(), nn.ParameterDict()
        for name in self.names:
            out, into = self.frozen[f"{name}.weight"].shape
            start = torch.randn(rank, into, generator=draw) / into**0.5
            self.a[_key(name)] = nn.Parameter(start)
            # Zeros: the model begins as it was published.
            self.b[_key(name)] = nn.Parameter(torch.zeros(out, rank))

    def place(self, device: str, kind: torch.dtype) -> "Taught":
        """Move everything to a device, frozen weights in a number type."""
        self.frozen = {n: w.to(device, kind) for n, w in self.frozen.items()}
        self.kind = kind
        return self.to(device)

    def loss(self, before: Tensor, wanted: Tensor, counted: Tensor) -> Tensor:
        """Return the mean surprise of the counted pieces."""
        hidden = self._hidden(before)[counted]
        table = self.frozen.get("output.weight", self.frozen["token_embd.weight"])
        scores = (hidden @ table.T).float()
        return functional.cross_entropy(scores, wanted[counted])

    def _hidden(self, ids: Tensor) -> Tensor:
        hidden = self.frozen["token_embd.weight"][ids]
        turn = self._rotation(ids.shape[1], hidden)
        for layer in range(self.shape.layers):
            hidden = self._layer(hidden, f"blk.{layer}.", turn)
        return self._normal(hidden, "output_norm")

    def _layer(self, hidden: Tensor, name: str, turn: tuple[Tensor, Tensor]) -> Tensor:
        count, length, _ = hidden.shape
        rows = self._normal(hidden, f"{name}attn_norm")

        def heads(kind: str, number: int) -> Tensor:
            made = self._linear(rows, f"{name}attn_{kind}")
            return made.view(count, length, number, -1).transpose(1, 2)

        query = _turned(heads("q", self.shape.heads), turn)
        key = _turned(heads("k", self.shape.shared), turn)
        value, times = (
            heads("v", self.shape.shared),
            self.shape.heads // self.shape.shared,
        )
        mixed = functional.scaled_dot_product_attention(
            query,
            key.repeat_interleave(times, 1),
            value.repeat_interleave(times, 1),
            is_causal=True,
        )
        mixed = mixed.transpose(1, 2).reshape(hidden.shape)
        hidden = hidden + self._linear(mixed, f"{name}attn_output")
        rows = self._normal(hidden, f"{name}ffn_norm")
        gate = functional.silu(self._linear(rows, f"{name}ffn_gate"))
        gate = gate * self._linear(rows, f"{name}ffn_up")
        return hidden + self._linear(gate, f"{name}ffn_down")

    def _linear(self, rows: Tensor, name: str) -> Tensor:
        whole = rows @ self.frozen[f"{name}.weight"].T
        a, b = (part[_key(name)].to(self.kind) for part in (self.a, self.b))
        return whole + self.scale * ((rows @ a.T) @ b.T)

    def _normal(self, rows: Tensor, name: str) -> Tensor:
        wide = rows.float()
        square = wide.pow(2).mean(-1, keepdim=True)
        scaled = wide * torch.rsqrt(square + self.shape.tiny)
        return (scaled * self.frozen[f"{name}.weight"].float()).to(rows.dtype)

    def _rotation(self, length: int, like: Tensor) -> tuple[Tensor, Tensor]:
        size = self.shape.width // self.shape.heads
        pace = self.shape.base ** (-torch.arange(0, size, 2, device=like.device) / size)
        angle = torch.arange(length, device=like.device)[:, None] * pace
        return torch.cos(angle).to(like.dtype), torch.sin(angle).to(like.dtype)

    def adapter(self, facts: Mapping[str, str]) -> Adapter:
        """Return what was taught."""
        parts = {
            f"{name}.weight": (
                self.a[_key(name)].detach().float().cpu().numpy(),
                self.b[_key(name)].detach().float().cpu().numpy(),
            )
            for name in self.names
        }
        return Adapter(parts, self.scale, facts)


def _key(name: str) -> str:
    return name.replace(".", "_")


def _turned(rows: Tensor, turn: tuple[Tensor, Tensor]) -> Tensor:
    cosine, sine = turn
    even, odd = rows[..., 0::2], rows[..., 1::2]
    return torch.stack(
        (even * cosine - odd * sine, even * sine + odd * cosine), -1
    ).flatten(-2)
