"""Motivators and discriminators: the other terms of eq. 6.18.

Motivators ask that content words and a label follow from the content vector, and the
author from the author vector. Discriminators try to tell the author from the content
vector, and the content from the author vector; the network learns to leave them
nothing to go by.
"""

import math

import torch
import torch.nn.functional as F  # noqa: N812 - the field's name
from torch import Tensor, nn

from publius.autoencoder.architecture import Architecture
from publius.autoencoder.objective import Batch, Sample
from publius.autoencoder.settings import Training

TEXT = 8
"""Sentences of one author that a discriminator of texts sees together."""


FEATURES = 768
"""Random features that tell how far apart the content vectors of authors are."""

WIDTHS = (0.25, 0.5, 1.0)
"""Of the kernels, for vectors whose entries are about 1."""


class Auxiliary(nn.Module):
    """Motivators (one layer) and discriminators (two layers).

    The discriminators of authors know the label: a label that is to be kept cannot be
    hidden, so what it tells about an author is not held against the content.

    Args:
        shape: Sizes and kind of the network.
        is_content: Sub-words that are content words.
        prior: ``(labels, authors)``, share of each author among those with a label.
    """

    is_content: Tensor
    prior: Tensor
    frequencies: Tensor
    phases: Tensor

    def __init__(self, shape: Architecture, is_content: Tensor, prior: Tensor) -> None:
        super().__init__()
        self.register_buffer("is_content", is_content)
        self.register_buffer("prior", prior)
        self.register_buffer("frequencies", _frequencies(shape.latent))
        self.register_buffer("phases", 2 * math.pi * torch.rand(FEATURES))
        labels, authors = prior.shape
        words, hidden = shape.vocabulary, shape.hidden
        seen = shape.latent if shape.is_adversarial else shape.condition
        self.motivate_content = nn.Linear(seen, words)
        self.motivate_label = nn.Linear(seen, labels)
        self.motivate_author = nn.Linear(shape.author_latent, authors)
        self.discriminate_content = _two_layers(shape.author_latent, hidden, words)
        self.discriminate_author = _two_layers(shape.latent + labels, hidden, authors)
        self.read_sentence = nn.Sequential(
            nn.Linear(shape.latent + labels, hidden), nn.ReLU()
        )
        self.discriminate_text = _two_layers(hidden, hidden, authors)

    @property
    def discriminators(self) -> list[nn.Parameter]:
        """Weights that are trained against the rest."""
        parts = (
            self.discriminate_content,
            self.discriminate_author,
            self.read_sentence,
            self.discriminate_text,
        )
        return [weight for part in parts for weight in part.parameters()]

    @property
    def motivators(self) -> list[nn.Parameter]:
        """Weights that are trained with the rest."""
        parts = (self.motivate_content, self.motivate_label, self.motivate_author)
        return [weight for part in parts for weight in part.parameters()]

    def author_logits(self, content: Tensor, batch: Batch) -> tuple[Tensor, Tensor]:
        """Tell who wrote each sentence, and who wrote each short text of the batch."""
        labels = F.one_hot(_labels(batch), len(self.prior)).to(content)
        seen = torch.cat([content, labels], dim=1)
        read: Tensor = self.read_sentence(seen)
        together = read[texts_of(batch, len(self.prior))].mean(dim=1)
        return self.discriminate_author(seen), self.discriminate_text(together)

    def bag(self, tokens: Tensor) -> Tensor:
        """Return the distribution of content words of each row."""
        counts = torch.zeros(len(tokens), len(self.is_content), device=tokens.device)
        counts.scatter_add_(1, tokens, self.is_content[tokens].float())
        return counts / counts.sum(dim=1, keepdim=True).clamp(min=1.0)


def motivator_loss(
    extra: Auxiliary, batch: Batch, sample: Sample, settings: Training
) -> Tensor:
    """Return how badly content words and label follow from what tells the content."""
    seen = sample.condition if sample.content is None else sample.content
    lambdas = settings.weights
    told = lambdas.content_motivator * _soft(extra.motivate_content(seen), extra, batch)
    if batch.labels is None:
        return told
    label = F.cross_entropy(extra.motivate_label(seen), batch.labels)
    return told + lambdas.label_motivator * label


def discriminator_loss(extra: Auxiliary, batch: Batch, sample: Sample) -> Tensor:
    """Return what the discriminators minimise over their own weights."""
    authors = _needed(batch.authors)
    by_author = _soft(extra.discriminate_content(sample.noisy.detach()), extra, batch)
    one, several = extra.author_logits(_needed(sample.content).detach(), batch)
    first = texts_of(batch, len(extra.prior))[:, 0]
    return (
        by_author
        + F.cross_entropy(one, authors)
        + F.cross_entropy(several, authors[first])
    )


def adversarial_loss(
    extra: Auxiliary, batch: Batch, sample: Sample, settings: Training
) -> Tensor:
    """Return the terms that know authors, over the network's weights."""
    lambdas = settings.weights
    motivated = F.cross_entropy(
        extra.motivate_author(sample.noisy), _needed(batch.authors)
    )
    # Beyond a uniform guess a discriminator is only wrong, and the loss has no bound.
    fooled = _soft(extra.discriminate_content(sample.noisy), extra, batch)
    fooled = fooled.clamp(max=math.log(len(extra.is_content)))
    one, several = extra.author_logits(_needed(sample.content), batch)
    prior = extra.prior[_labels(batch)]
    first = texts_of(batch, len(extra.prior))[:, 0]
    return (
        lambdas.author_motivator * motivated
        - lambdas.content_discriminator * fooled
        + lambdas.author_discriminator * _told_apart(one, prior)
        + lambdas.text_discriminator * _told_apart(several, prior[first])
        + lambdas.author_matching * distance(extra, _needed(sample.content), batch)
    )


def distance(extra: Auxiliary, content: Tensor, batch: Batch) -> Tensor:
    """Return how far apart the content vectors of authors are, label by label.

    The unbiased squared maximum mean discrepancy of each author from all, by random
    features of Gaussian kernels of several widths. Unlike a discriminator it does not
    have to be trained, and what it sees is what averages over many sentences show.
    """
    labels, authors = extra.prior.shape
    place = _labels(batch) * authors + _needed(batch.authors)
    group = F.one_hot(place, labels * authors).float()
    # A lone sentence has no pair. Among all it would outweigh its author, and the
    # least distance would no longer be that of equal authors.
    group = group * (group.sum(dim=0) > 1)
    counts = group.sum(dim=0)
    # A difference of large sums: in bfloat16 some hundredths of it would be rounding.
    with torch.autocast(content.device.type, enabled=False):
        seen = torch.cos(content.float() @ extra.frequencies + extra.phases)
        seen = seen * math.sqrt(2 / FEATURES)
        sums = group.T @ seen
        own = group.T @ (seen * seen).sum(dim=1, keepdim=True)
    squares = (sums * sums).sum(dim=1) - own[:, 0]
    within = squares / (counts * (counts - 1)).clamp(min=1)
    all_sums = sums.reshape(labels, authors, -1).sum(dim=1)
    all_counts = counts.reshape(labels, authors).sum(dim=1)
    all_squares = (all_sums * all_sums).sum(dim=1) - own.reshape(labels, -1).sum(dim=1)
    overall = all_squares / (all_counts * (all_counts - 1)).clamp(min=1)
    apart = within - overall.repeat_interleave(authors)
    return (counts * apart).sum() / counts.sum().clamp(min=1)


def texts_of(batch: Batch, labels: int) -> Tensor:
    """Return rows of sentences, each row of one author and label: short texts."""
    group = _needed(batch.authors) * labels + _labels(batch)
    order = torch.argsort(group, stable=True)
    size = min(TEXT, len(order))
    rows = order[: len(order) // size * size].reshape(-1, size)
    # A row over the border of two groups shows the first one's sentences again.
    return torch.where(group[rows] == group[rows[:, :1]], rows, rows[:, :1])


def _told_apart(logits: Tensor, prior: Tensor) -> Tensor:
    """Return how far guesses are from a guess that knows nothing but `prior`.

    Eq. 6.18 asks for a large loss of the discriminator, which being wrong on purpose
    reaches as well; a guess that knows nothing is what both mean, and has a bound.
    """
    guess = F.log_softmax(logits.float(), dim=1)
    return (prior * (torch.log(prior) - guess)).sum(dim=1).mean()


def _soft(logits: Tensor, extra: Auxiliary, batch: Batch) -> Tensor:
    """Return the cross-entropy of the bag of content words."""
    bag = extra.bag(batch.tokens)
    return -(bag * F.log_softmax(logits.float(), dim=1)).sum(dim=1).mean()


def _labels(batch: Batch) -> Tensor:
    if batch.labels is not None:
        return batch.labels
    return torch.zeros(len(batch.tokens), dtype=torch.long, device=batch.tokens.device)


def _frequencies(size: int) -> Tensor:
    """Return random directions of Gaussian kernels of several widths."""
    widths = torch.tensor(WIDTHS) * math.sqrt(size)
    each = FEATURES // len(WIDTHS)
    return torch.randn(size, FEATURES) / widths.repeat_interleave(each)


def _two_layers(seen: int, hidden: int, classes: int) -> nn.Sequential:
    return nn.Sequential(nn.Linear(seen, hidden), nn.ReLU(), nn.Linear(hidden, classes))


def _needed(part: Tensor | None) -> Tensor:
    if part is None:
        raise TypeError("an adversarial autoencoder needs authors and a content vector")
    return part
