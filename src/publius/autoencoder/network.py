"""The whole network: words → sentence vector → words."""

import math
from collections.abc import Callable
from dataclasses import dataclass

import torch
import torch.nn.functional as F  # noqa: N812 - the field's name
from torch import Tensor, nn

from publius.autoencoder.architecture import BLANK, PAD, Architecture
from publius.autoencoder.gru import GruDecoder, GruEncoder, State
from publius.autoencoder.layers import contract, scaled
from publius.autoencoder.transformer import TransformerDecoder, TransformerEncoder

Encoder = GruEncoder | TransformerEncoder
Decoder = GruDecoder | TransformerDecoder

_ENCODERS: dict[str, Callable[[Architecture, float], Encoder]] = {
    "gru": GruEncoder,
    "transformer": TransformerEncoder,
}
_DECODERS: dict[str, Callable[[Architecture, float], Decoder]] = {
    "gru": GruDecoder,
    "transformer": TransformerDecoder,
}


@dataclass(frozen=True, slots=True)
class Posterior:
    """What the encoder says about each sentence.

    Args:
        mean: Of the vector that is noised, before its contraction.
        log_variance: Of that vector where the encoder chooses it; None if it is fixed.
        content: Mean of the content vector of an AAE.
        content_log_variance: Its variance, always chosen by the encoder.
    """

    mean: Tensor
    log_variance: Tensor | None
    content: Tensor | None = None
    content_log_variance: Tensor | None = None


class SentenceNetwork(nn.Module):
    """Encoder, heads of the vectors, decoder.

    Args:
        shape: Sizes and kind.
        rate: Dropout while training.
    """

    encoder: Encoder
    decoder: Decoder
    unseen: Tensor
    """Sub-words that the encoder does not see."""

    def __init__(self, shape: Architecture, rate: float = 0.0) -> None:
        super().__init__()
        self.shape = shape
        self.words = nn.Embedding(shape.vocabulary, shape.width)
        nn.init.normal_(self.words.weight, std=shape.width**-0.5)
        self.encoder = _ENCODERS[shape.network](shape, rate)
        self.decoder = _DECODERS[shape.network](shape, rate)
        self.bias = nn.Parameter(torch.zeros(shape.vocabulary))
        unseen = torch.zeros(shape.vocabulary, dtype=torch.bool)
        self.register_buffer("unseen", unseen, persistent=shape.content_only)
        size = self.encoder.size
        self.mean = nn.Linear(size, shape.noised)
        self.log_variance = (
            None if shape.is_contracted else nn.Linear(size, shape.noised)
        )
        adversarial = shape.is_adversarial
        self.content = nn.Linear(size, shape.latent) if adversarial else None
        self.content_log_variance = (
            nn.Linear(size, shape.latent) if adversarial else None
        )

    def adopt(self, other: "SentenceNetwork") -> None:
        """Begin with the weights of another network, as far as sizes agree.

        The content vector of an AAE begins as the other's sentence vector. Rows and
        columns that the other lacks, those of an author vector, keep their values.
        """
        own, given = self.state_dict(), dict(other.state_dict())
        if self.content is not None and other.content is None:
            for part in ("weight", "bias"):
                given[f"content.{part}"] = given.pop(f"mean.{part}")
        for name, value in own.items():
            if name not in given or given[name].ndim != value.ndim:
                continue
            sizes = zip(value.shape, given[name].shape, strict=True)
            common = tuple(slice(min(pair)) for pair in sizes)
            value[common] = given[name][common]
        self.load_state_dict(own)

    def encode(self, tokens: Tensor, lengths: Tensor) -> Posterior:
        """Return what the encoder says about rows of sub-words."""
        if self.shape.content_only:
            tokens, lengths = self._content(tokens)
        summary = self.encoder(self._vectors(tokens), lengths).float()
        return Posterior(
            self.mean(summary),
            None if self.log_variance is None else self.log_variance(summary),
            None if self.content is None else self.content(summary),
            None
            if self.content_log_variance is None
            else self.content_log_variance(summary),
        )

    def contracted(self, mean: Tensor) -> Tensor:
        """Return the mean as it is noised: inside the ball if the kind asks for it."""
        return contract(mean, self.shape.bound) if self.shape.is_contracted else mean

    def condition(
        self, noisy: Tensor, sigma: Tensor, content: Tensor | None = None
    ) -> Tensor:
        """Return what the decoder sees of a noisy vector, its noise and the content."""
        seen = (
            scaled(noisy, sigma, self.shape.bound)
            if self.shape.is_contracted
            else torch.cat([noisy, torch.zeros_like(noisy[:, :1])], dim=-1)
        )
        return seen if content is None else torch.cat([content, seen], dim=-1)

    def start(self, condition: Tensor) -> State:
        """Return the decoder's state before the first word."""
        return self.decoder.start(condition)

    def advance(self, tokens: Tensor, state: State) -> tuple[Tensor, State]:
        """Read sub-words; return the logits of the one after each of them."""
        out, state = self.decoder.advance(self._vectors(tokens), state)
        return F.linear(out, self.words.weight, self.bias), state

    def _content(self, tokens: Tensor) -> tuple[Tensor, Tensor]:
        """Close rows up over the sub-words that are not seen."""
        is_seen = ~self.unseen[tokens] & (tokens != PAD)
        order = torch.argsort(~is_seen, dim=1, stable=True)
        lengths = is_seen.sum(dim=1)
        place = torch.arange(tokens.shape[1], device=tokens.device)
        closed = tokens.gather(1, order).masked_fill(place >= lengths[:, None], PAD)
        closed[:, 0] = torch.where(lengths > 0, closed[:, 0], BLANK)
        lengths = lengths.clamp(min=1)
        return closed[:, : int(lengths.max())], lengths.cpu()

    def _vectors(self, tokens: Tensor) -> Tensor:
        return self.words(tokens) * math.sqrt(self.shape.width)


def build(shape: Architecture, *, seed: int, rate: float = 0.0) -> SentenceNetwork:
    """Return a network with weights drawn from `seed`, the global stream untouched."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return SentenceNetwork(shape, rate)
