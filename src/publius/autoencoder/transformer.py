"""Transformer encoder and decoder of similar size: the alternative to the thesis."""

from collections.abc import Iterator

import torch
import torch.nn.functional as F  # noqa: N812 - the field's name
from torch import Tensor, nn

from publius.autoencoder.architecture import Architecture
from publius.autoencoder.gru import State
from publius.autoencoder.layers import Dropout, sinusoids

HEAD = 32
"""Entries of one attention head."""

PREFIX = 4
"""Positions before the first word at which the decoder finds its condition."""


class Block(nn.Module):
    """Attention, then a two-layer network, each on normalised input."""

    def __init__(self, shape: Architecture, rate: float) -> None:
        super().__init__()
        self.heads = max(1, shape.width // HEAD)
        self.before_attention = nn.LayerNorm(shape.width)
        self.attend = nn.Linear(shape.width, 3 * shape.width)
        self.mix = nn.Linear(shape.width, shape.width)
        self.before_inner = nn.LayerNorm(shape.width)
        self.inner = nn.Linear(shape.width, shape.hidden)
        self.outer = nn.Linear(shape.hidden, shape.width)
        self.thin = Dropout(rate)

    def project(self, x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Return queries, keys and values of each head."""
        rows, length, width = x.shape
        parts = self.attend(self.before_attention(x))
        parts = parts.reshape(rows, length, 3, self.heads, width // self.heads)
        query, key, value = parts.permute(2, 0, 3, 1, 4)
        return query, key, value

    def finish(self, x: Tensor, attended: Tensor) -> Tensor:
        """Mix the heads and apply the inner network."""
        joined = attended.transpose(1, 2).reshape(x.shape)
        x = x + self.thin(self.mix(joined))
        inner = F.gelu(self.inner(self.before_inner(x)))
        return x + self.thin(self.outer(inner))


def blocks_of(modules: nn.ModuleList) -> Iterator[Block]:
    """Yield the blocks of a list whose members torch types as any module."""
    for module in modules:
        if isinstance(module, Block):
            yield module


class TransformerEncoder(nn.Module):
    """Attention in both directions; a learnt weight sums the positions up."""

    positions: Tensor

    def __init__(self, shape: Architecture, rate: float) -> None:
        super().__init__()
        self.size = shape.width
        self.thin = Dropout(rate)
        positions = sinusoids(shape.max_tokens + 2, shape.width)
        self.register_buffer("positions", positions, persistent=False)
        self.blocks = nn.ModuleList(
            Block(shape, rate) for _ in range(shape.encoder_layers)
        )
        self.end = nn.LayerNorm(shape.width)
        self.weigh = nn.Linear(shape.width, 1)

    def forward(self, vectors: Tensor, lengths: Tensor) -> Tensor:
        """Return one summary per row."""
        length = vectors.shape[1]
        x = self.thin(vectors + self.positions[:length])
        place = torch.arange(length, device=x.device)[None]
        is_word = place < lengths.to(x.device)[:, None]
        for block in blocks_of(self.blocks):
            query, key, value = block.project(x)
            attended = F.scaled_dot_product_attention(
                query, key, value, attn_mask=is_word[:, None, None]
            )
            x = block.finish(x, attended)
        x = self.end(x)
        weight = self.weigh(x)[..., 0].float().masked_fill(~is_word, float("-inf"))
        return (torch.softmax(weight, dim=1)[..., None] * x).sum(dim=1)


class TransformerDecoder(nn.Module):
    """Causal attention over the condition and the words so far."""

    positions: Tensor

    def __init__(self, shape: Architecture, rate: float) -> None:
        super().__init__()
        self.width = shape.width
        self.thin = Dropout(rate)
        self.prefix = nn.Linear(shape.condition, PREFIX * shape.width)
        self.everywhere = nn.Linear(shape.condition, shape.width)
        positions = sinusoids(shape.max_tokens + 2 + PREFIX, shape.width)
        self.register_buffer("positions", positions, persistent=False)
        self.blocks = nn.ModuleList(
            Block(shape, rate) for _ in range(shape.decoder_layers)
        )
        self.end = nn.LayerNorm(shape.width)

    def start(self, condition: Tensor) -> State:
        """Return the state before the first step: the condition's own positions."""
        memory = self.prefix(condition).reshape(len(condition), PREFIX, self.width)
        empty: list[Tensor] = []
        _, cached = self._read(memory, empty)
        return (self.everywhere(condition), *cached)

    def advance(self, vectors: Tensor, state: State) -> tuple[Tensor, State]:
        """Read some more vectors; return an output for each of them."""
        everywhere, *cached = state
        x, cached = self._read(vectors + everywhere[:, None], cached)
        return self.end(x), (everywhere, *cached)

    def _read(self, x: Tensor, cached: list[Tensor]) -> tuple[Tensor, list[Tensor]]:
        past = cached[0].shape[2] if cached else 0
        length = x.shape[1]
        x = self.thin(x + self.positions[past : past + length])
        # The condition may see all of itself; a word sees what came before it.
        total = torch.ones(length, past + length, dtype=torch.bool, device=x.device)
        mask = total.tril(past) if cached else total
        remembered = []
        for number, block in enumerate(blocks_of(self.blocks)):
            query, key, value = block.project(x)
            if cached:
                key = torch.cat([cached[2 * number], key], dim=2)
                value = torch.cat([cached[2 * number + 1], value], dim=2)
            attended = F.scaled_dot_product_attention(query, key, value, attn_mask=mask)
            x = block.finish(x, attended)
            remembered += [key, value]
        return x, remembered
