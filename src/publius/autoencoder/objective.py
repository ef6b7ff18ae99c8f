"""Reconstruction and divergence: the first terms of eq. 6.18."""

import math
from dataclasses import dataclass

import torch
import torch.nn.functional as F  # noqa: N812 - the field's name
from torch import Tensor

from publius.autoencoder.architecture import BLANK, PAD
from publius.autoencoder.network import Posterior, SentenceNetwork
from publius.autoencoder.settings import Training


@dataclass(frozen=True, slots=True)
class Batch:
    """Rows of sub-words on the device.

    Args:
        tokens: Sentences.
        lengths: Their sub-words; on the CPU.
        read: What the decoder reads.
        said: What it must say.
        authors: Who wrote each; None without authors.
        labels: What each should keep telling; None without labels.
    """

    tokens: Tensor
    lengths: Tensor
    read: Tensor
    said: Tensor
    authors: Tensor | None
    labels: Tensor | None = None


@dataclass(frozen=True, slots=True)
class Sample:
    """Vectors drawn for a batch, and what the losses need of them."""

    posterior: Posterior
    mean: Tensor
    noisy: Tensor
    content: Tensor | None
    condition: Tensor


def draw(
    network: SentenceNetwork,
    batch: Batch,
    settings: Training,
    generator: torch.Generator,
) -> Sample:
    """Encode a batch and draw its vectors by the reparameterisation trick."""
    noise = settings.noise
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
    read = content
    if content is not None and network.shape.is_contracted:
        is_calm = (sigma <= settings.calm)[:, None]
        read = torch.where(is_calm, content, content.detach())
    condition = network.condition(noisy, sigma, read)
    return Sample(posterior, mean, noisy, content, condition)


def reconstruction(
    network: SentenceNetwork,
    batch: Batch,
    condition: Tensor,
    read: Tensor,
    emphasis: Tensor | None = None,
) -> Tensor:
    """Return the negative log-likelihood of the sentences (eq. 6.13), per sub-word.

    Args:
        network: Of which the decoder is used.
        batch: What it must say.
        condition: What it knows of each sentence.
        read: Words before the one to be said, some of them hidden.
        emphasis: Weight of each sub-word; None for equal ones.
    """
    logits, _ = network.advance(read, network.start(condition))
    loss = F.cross_entropy(
        logits.flatten(0, 1),
        batch.said.flatten(),
        weight=emphasis,
        ignore_index=PAD,
        reduction="sum",
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
    emphasis: Tensor | None = None,
) -> tuple[Tensor, Tensor]:
    """Return the loss of eq. 6.9 and 6.10 per sub-word, and its first term alone."""
    told = reconstruction(network, batch, sample.condition, read, emphasis)
    words = (batch.said != PAD).sum() / len(batch.said)
    return told + kl * divergence(sample) / words, told


def _normal(like: Tensor, generator: torch.Generator) -> Tensor:
    return torch.randn(like.shape, generator=generator, device=like.device)


def _free_variance(log_variance: Tensor) -> Tensor:
    return (torch.exp(log_variance) - log_variance - 1).sum(dim=1) / 2
