"""Motivators and discriminators: what they ask for, and that asking works."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from publius.autoencoder import Architecture, Training
from publius.autoencoder.adversary import TEXT, Auxiliary, _told_apart, texts_of
from publius.autoencoder.objective import Batch
from publius.autoencoder.settings import Weights
from publius.autoencoder.subwords import packed
from publius.autoencoder.train import Corpus, _prior, train

SHAPE = Architecture(
    kind="dp-aae", vocabulary=24, width=16, hidden=32, encoder_layers=1, latent=4,
    author_latent=2, max_tokens=8, authors=2,
)  # fmt: skip


def batch(authors: list[int], labels: list[int] | None = None) -> Batch:
    rows = torch.zeros(len(authors), 2, dtype=torch.long)
    return Batch(
        rows, torch.full((len(authors),), 2), rows, rows, torch.tensor(authors),
        None if labels is None else torch.tensor(labels),
    )  # fmt: skip


def test_a_text_is_of_one_author_and_one_label() -> None:
    authors = [i % 3 for i in range(50)]
    labels = [i // 7 % 2 for i in range(50)]
    rows = texts_of(batch(authors, labels), 2)
    assert rows.shape == (50 // TEXT, TEXT)
    for row in rows.tolist():
        assert len({(authors[i], labels[i]) for i in row}) == 1


def test_a_guess_that_knows_nothing_costs_nothing() -> None:
    prior = torch.tensor([[0.25, 0.75]])
    blind = _told_apart(torch.log(prior).repeat(5, 1), prior)
    sure = _told_apart(torch.tensor([[9.0, 0.0]] * 5), prior)
    wrong = _told_apart(torch.tensor([[0.0, 9.0]] * 5), prior)
    assert float(blind) == pytest.approx(0.0, abs=1e-6)
    # Being wrong on purpose tells as much as being right.
    assert min(float(sure), float(wrong)) > 1.0


def test_the_prior_is_that_of_the_label() -> None:
    corpus = Corpus(
        packed([[5]] * 98), np.array([0] * 49 + [1] * 49), np.array([0] * 49 + [1] * 49)
    )
    prior = _prior(corpus)
    assert prior.shape == (2, 2)
    assert torch.allclose(prior.sum(dim=1), torch.ones(2))
    assert float(prior[0, 0]) == float(prior[1, 1]) > 0.95


def test_the_label_is_known_to_the_discriminators() -> None:
    extra = Auxiliary(SHAPE, torch.ones(24, dtype=torch.bool), torch.full((2, 2), 0.5))
    content = torch.zeros(16, SHAPE.latent)
    one, _ = extra.author_logits(content, batch([0] * 16, [0, 1] * 8))
    assert torch.allclose(one[0], one[2])
    assert not torch.allclose(one[0], one[1])


def authored(count: int = 400) -> Corpus:
    """Sentences whose first word tells the author and whose others tell content."""
    rng = np.random.default_rng(0)
    who = rng.integers(0, 2, count)
    what = rng.integers(0, 8, count)
    rows = [
        [4 + int(a), 4 + int(a), 8 + int(c), 8 + int(c)]
        for a, c in zip(who, what, strict=True)
    ]
    return Corpus(packed(rows), who.astype(np.int64))


def author_share(weights: Weights) -> float:
    """Return how often a nearest-mean rule finds the author in content vectors."""
    corpus = authored()
    settings = Training(
        epochs=30, batch=64, rate=5e-3, noise=(0.3, 3.0), patience=0, device="cpu",
        word_dropout=0.9, weights=weights,
    )  # fmt: skip
    network = train(SHAPE, corpus, settings)
    tokens, lengths = corpus.tokens.rows(np.arange(400))
    with torch.inference_mode():
        posterior = network.encode(torch.from_numpy(tokens), torch.from_numpy(lengths))
    assert posterior.content is not None
    found, who = posterior.content.double().numpy(), corpus.authors
    assert who is not None
    # Half of the rows give the direction, the other half is guessed.
    half = slice(0, 200)
    axis = found[half][who[half] == 1].mean(0) - found[half][who[half] == 0].mean(0)
    score = (found - found[half].mean(0)) @ axis
    return float(((score[200:] > 0) == (who[200:] == 1)).mean())


def test_an_adversary_removes_the_author_from_the_content() -> None:
    hiding = Weights.hiding(100.0)
    open_ = replace(hiding, author_discriminator=0.0, text_discriminator=0.0, kl=0.01)
    assert author_share(open_) > 0.9
    assert author_share(hiding) < 0.75
