"""Pieces that every network is made of."""

import math

import torch
from torch import Tensor, nn


class Dropout(nn.Module):
    """Set entries to zero while training, from a stream of its own.

    torch's own layer draws from the global stream, which a run must not depend on.
    """

    def __init__(self, rate: float) -> None:
        super().__init__()
        self.rate = rate
        self.generator: torch.Generator | None = None

    def forward(self, x: Tensor) -> Tensor:
        """Return `x`, thinned while training."""
        if not self.training or self.rate == 0:
            return x
        kept = torch.empty_like(x).bernoulli_(1 - self.rate, generator=self.generator)
        return x * kept / (1 - self.rate)


def give_stream(network: nn.Module, generator: torch.Generator) -> None:
    """Let every dropout layer draw from `generator`."""
    for layer in network.modules():
        if isinstance(layer, Dropout):
            layer.generator = generator


def contract(mean: Tensor, bound: float) -> Tensor:
    """Return ``bound * tanh(||mean||) mean / ||mean||`` (eq. 6.15), smooth at 0."""
    length = torch.sqrt((mean * mean).sum(dim=-1, keepdim=True) + 1e-12)
    return bound * torch.tanh(length) * mean / length


def scaled(noisy: Tensor, sigma: Tensor, bound: float) -> Tensor:
    """Return noisy rows at about unit size, and the noise level as one more entry.

    The noise level is public, so the decoder may know how far to trust its input.
    """
    spread = torch.sqrt(bound * bound / noisy.shape[-1] + sigma * sigma)[:, None]
    return torch.cat([noisy / spread, torch.log(sigma)[:, None]], dim=-1)


def sinusoids(length: int, width: int) -> Tensor:
    """Return the position vectors of Vaswani et al. 2017."""
    position = torch.arange(length, dtype=torch.float32)[:, None]
    rate = torch.exp(torch.arange(0, width, 2) * (-math.log(10_000.0) / width))
    table = torch.zeros(length, width)
    table[:, 0::2] = torch.sin(position * rate)
    table[:, 1::2] = torch.cos(position * rate[: width // 2])
    return table
