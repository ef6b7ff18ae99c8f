"""The same small Llama in torch, with thin trainable matrices beside its weights."""

from collections.abc import Mapping
from importlib.util import find_spec
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from publius.language.models.causal.llama import CausalModel, Shape
from publius.retelling.adapter import KINDS, Adapter


class Layer(NamedTuple):
    """What one layer computes with: frozen weights, and thin matrices beside them."""

    weights: Mapping[str, Tensor]
    norms: tuple[Tensor, Tensor]
    thin: Mapping[str, tuple[Tensor, Tensor]]
    scale: float
    shape: Shape

    def linear(self, rows: Tensor, kind: str) -> Tensor:
        """Return rows times one weight with its thin matrices."""
        a, b = (part.to(rows.dtype) for part in self.thin[kind])
        return rows @ self.weights[kind].T + self.scale * ((rows @ a.T) @ b.T)


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
        self._pass = _pass

    def place(self, device: str, kind: torch.dtype) -> "Taught":
        """Move everything to a device, frozen weights in a number type."""
        self.frozen = {n: w.to(device, kind) for n, w in self.frozen.items()}
        # Fused kernels of one layer serve all of them, at every length.
        if device == "cuda" and find_spec("triton") is not None:
            self._pass = torch.compile(_pass, dynamic=True)
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
        weights = {kind: self.frozen[f"{name}{kind}.weight"] for kind in KINDS}
        norms = (
            self.frozen[f"{name}attn_norm.weight"],
            self.frozen[f"{name}ffn_norm.weight"],
        )
        thin = {
            kind: (self.a[_key(f"{name}{kind}")], self.b[_key(f"{name}{kind}")])
            for kind in KINDS
        }
        made: Tensor = self._pass(
            hidden, turn, Layer(weights, norms, thin, self.scale, self.shape)
        )
        return made

    def _normal(self, rows: Tensor, name: str) -> Tensor:
        return _normal(rows, self.frozen[f"{name}.weight"], self.shape.tiny)

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


def _pass(hidden: Tensor, turn: tuple[Tensor, Tensor], layer: Layer) -> Tensor:
    """Return what a layer makes of its rows."""
    shape, (count, length, _) = layer.shape, hidden.shape
    rows = _normal(hidden, layer.norms[0], shape.tiny)

    def heads(kind: str, number: int) -> Tensor:
        made = layer.linear(rows, kind).view(count, length, number, -1)
        return made.transpose(1, 2)

    query = _turned(heads("attn_q", shape.heads), turn)
    key = _turned(heads("attn_k", shape.shared), turn)
    value, times = heads("attn_v", shape.shared), shape.heads // shape.shared
    mixed = functional.scaled_dot_product_attention(
        query,
        key.repeat_interleave(times, 1),
        value.repeat_interleave(times, 1),
        is_causal=True,
    )
    mixed = mixed.transpose(1, 2).reshape(hidden.shape)
    hidden = hidden + layer.linear(mixed, "attn_output")
    rows = _normal(hidden, layer.norms[1], shape.tiny)
    gate = functional.silu(layer.linear(rows, "ffn_gate"))
    return hidden + layer.linear(gate * layer.linear(rows, "ffn_up"), "ffn_down")


def _normal(rows: Tensor, weight: Tensor, tiny: float) -> Tensor:
    wide = rows.float()
    scaled = wide * torch.rsqrt(wide.pow(2).mean(-1, keepdim=True) + tiny)
    return (scaled * weight.float()).to(rows.dtype)


def _key(name: str) -> str:
    return name.replace(".", "_")


def _turned(rows: Tensor, turn: tuple[Tensor, Tensor]) -> Tensor:
    cosine, sine = turn
    even, odd = rows[..., 0::2], rows[..., 1::2]
    return torch.stack(
        (even * cosine - odd * sine, even * sine + odd * cosine), -1
    ).flatten(-2)
