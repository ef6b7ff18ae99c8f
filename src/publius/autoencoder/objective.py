"""The losses: reconstruction, divergence, motivators and discriminators (eq. 6.18)."""

import math
from dataclasses import dataclass

import torch
import torch.nn.functional as F  # noqa: N812 - the field's name
from torch import Tensor, nn

from publius.autoencoder.architecture import BLANK, PAD, Architecture
from publius.autoencoder.network import Posterior, SentenceNetwork
from publius.autoencoder.settings import Training

FUNCTION_WORDS = 100
"""So many of the most frequent sub-words are no content words."""


@dataclass(frozen=True, slots=True)
class Batch:
    """Rows of sub-words on the device.

    Args:
        tokens: Sentences.
        lengths: Their sub-words; on the CPU.
        read: What the decoder reads.
        said: What it must say.
        authors: Who wrote each; None without authors.
    """

    tokens: Tensor
    lengths: Tensor
    read: Tensor
    said: Tensor
    authors: Tensor | None


@dataclass(frozen=True, slots=True)
class Sample:
    """Vectors drawn for a batch, and what the losses need of them."""

    posterior: Posterior
    mean: Tensor
    noisy: Tensor
    content: Tensor | None
    condition: Tensor


class Auxiliary(nn.Module):
    """Motivators (one layer) and discriminators (two layers) of an AAE."""

    is_content: Tensor

    def __init__(self, shape: Architecture, is_content: Tensor) -> None:
        super().__init__()
        self.register_buffer("is_content", is_content)
        words, authors = shape.vocabulary, shape.authors
        self.motivate_content = nn.Linear(shape.latent, words)
        self.motivate_author = nn.Linear(shape.author_latent, authors)
        self.discriminate_content = nn.Sequential(
            nn.Linear(shape.author_latent, shape.hidden),
            nn.ReLU(),
            nn.Linear(shape.hidden, words),
        )
        self.discriminate_author = nn.Sequential(
            nn.Linear(shape.latent, shape.hidden),
            nn.ReLU(),
            nn.Linear(shape.hidden, authors),
        )

    @property
    def discriminators(self) -> list[nn.Parameter]:
        """Weights that are trained against the rest."""
        return [
            *self.discriminate_content.parameters(),
            *self.discriminate_author.parameters(),
        ]

    @property
    def motivators(self) -> list[nn.Parameter]:
        """Weights that are trained with the rest."""
        return [*self.motivate_content.parameters(), *self.motivate_author.parameters()]

    def bag(self, tokens: Tensor) -> Tensor:
        """Return the distribution of content words of each row."""
        counts = torch.zeros(len(tokens), len(self.is_content), device=tokens.device)
        counts.scatter_add_(1, tokens, self.is_content[tokens].float())
        return counts / counts.sum(dim=1, keepdim=True).clamp(min=1.0)


def draw(
    network: SentenceNetwork,
    batch: Batch,
    noise: tuple[float, float],
    generator: torch.Generator,
) -> Sample:
    """Encode a batch and draw its vectors by the reparameterisation trick."""
    posterior = network.encode(batch.tokens, batch.lengths)
    mean = network.contracted(posterior.mean)
    low, high = math.log(noise[0]), math.log(noise[1])
    place = torch.rand(len(mean), generator=generator, device=mean.device)
    sigma = torch.exp(low + (high - low) * place)
    deviation = (
        sigma[:, None].expand_as(mean)
        if posterior.log_variance is None
        else torch.exp(posterior.log_variance / 2)
    )
    noisy = mean + deviation * _normal(mean, generator)
    content = posterior.content
    if content is not None and posterior.content_log_variance is not None:
        spread = torch.exp(posterior.content_log_variance / 2)
        content = content + spread * _normal(content, generator)
    condition = network.condition(noisy, sigma, content)
    return Sample(posterior, mean, noisy, content, condition)


def reconstruction(
    network: SentenceNetwork, batch: Batch, condition: Tensor, read: Tensor
) -> Tensor:
    """Return the negative log-likelihood of the sentences (eq. 6.13), per sub-word."""
    logits, _ = network.advance(read, network.start(condition))
    loss = F.cross_entropy(
        logits.flatten(0, 1), batch.said.flatten(), ignore_index=PAD, reduction="sum"
    )
    return loss / (batch.said != PAD).sum()


def blanked(read: Tensor, share: float, generator: torch.Generator) -> Tensor:
    """Hide words from the decoder, so that it needs the sentence vector."""
    lot = torch.rand(read.shape, generator=generator, device=read.device)
    hidden = (lot < share) & (read > BLANK)
    return read.masked_fill(hidden, BLANK)


def divergence(sample: Sample) -> Tensor:
    """Return the KL term (eq. 6.11), mean over sentences, without constants of σ."""
    total = (sample.mean**2).sum(dim=1) / 2
    free = sample.posterior.log_variance
    if free is not None:
        total = total + _free_variance(free)
    content = sample.posterior.content
    spread = sample.posterior.content_log_variance
    if content is not None and spread is not None:
        total = total + (content**2).sum(dim=1) / 2 + _free_variance(spread)
    return total.mean()


def vae_loss(
    network: SentenceNetwork,
    batch: Batch,
    sample: Sample,
    *,
    kl: float,
    read: Tensor,
) -> tuple[Tensor, Tensor]:
    """Return the loss of eq. 6.9 and 6.10 per sub-word, and its first term alone."""
    told = reconstruction(network, batch, sample.condition, read)
    words = (batch.said != PAD).sum() / len(batch.said)
    return told + kl * divergence(sample) / words, told


def discriminator_loss(extra: Auxiliary, batch: Batch, sample: Sample) -> Tensor:
    """Return what the discriminators minimise over their own weights."""
    content = _needed(sample.content)
    by_author = _soft(extra.discriminate_content(sample.noisy.detach()), extra, batch)
    by_content = F.cross_entropy(
        extra.discriminate_author(content.detach()), _needed(batch.authors)
    )
    return by_author + by_content


def adversarial_loss(
    extra: Auxiliary, batch: Batch, sample: Sample, settings: Training
) -> Tensor:
    """Return the auxiliary terms of eq. 6.18 over the network's weights."""
    content, authors = _needed(sample.content), _needed(batch.authors)
    lambdas = settings.weights
    motivated = lambdas.content_motivator * _soft(
        extra.motivate_content(content), extra, batch
    ) + lambdas.author_motivator * F.cross_entropy(
        extra.motivate_author(sample.noisy), authors
    )
    author_logits = extra.discriminate_author(content)
    # Beyond a uniform guess a discriminator is only wrong, and the loss has no bound.
    fooled_content = _soft(
        extra.discriminate_content(sample.noisy), extra, batch
    ).clamp(max=math.log(len(extra.is_content)))
    fooled_author = F.cross_entropy(author_logits, authors).clamp(
        max=math.log(author_logits.shape[1])
    )
    return (
        motivated
        - lambdas.content_discriminator * fooled_content
        - lambdas.author_discriminator * fooled_author
    )


def _soft(logits: Tensor, extra: Auxiliary, batch: Batch) -> Tensor:
    """Return the cross-entropy of the bag of content words."""
    bag = extra.bag(batch.tokens)
    return -(bag * F.log_softmax(logits.float(), dim=1)).sum(dim=1).mean()


def _normal(like: Tensor, generator: torch.Generator) -> Tensor:
    return torch.randn(like.shape, generator=generator, device=like.device)


def _free_variance(log_variance: Tensor) -> Tensor:
    return (torch.exp(log_variance) - log_variance - 1).sum(dim=1) / 2


def _needed(part: Tensor | None) -> Tensor:
    if part is None:
        raise TypeError("an adversarial autoencoder needs authors and a content vector")
    return part
