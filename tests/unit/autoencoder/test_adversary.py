"""Motivators and discriminators: what they ask for, and that asking works."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from publius.autoencoder import Architecture, Training
from publius.autoencoder.adversary import (
    TEXT,
    Auxiliary,
    _told_apart,
    adversarial_loss,
    discriminator_loss,
    distance,
    texts_of,
)
from publius.autoencoder.batches import Corpus, author_prior
from publius.autoencoder.network import Posterior
from publius.autoencoder.objective import Batch, Sample
from publius.autoencoder.settings import Weights
from publius.autoencoder.subwords import packed

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
    prior = author_prior(corpus)
    assert prior.shape == (2, 2)
    assert torch.allclose(prior.sum(dim=1), torch.ones(2))
    assert float(prior[0, 0]) == float(prior[1, 1]) > 0.95


def test_the_label_is_known_to_the_discriminators() -> None:
    extra = Auxiliary(SHAPE, torch.ones(24, dtype=torch.bool), torch.full((2, 2), 0.5))
    content = torch.zeros(16, SHAPE.latent)
    one, _ = extra.author_logits(content, batch([0] * 16, [0, 1] * 8))
    assert torch.allclose(one[0], one[2])
    assert not torch.allclose(one[0], one[1])


def sample(content: torch.Tensor) -> Sample:
    nothing = torch.zeros(len(content), SHAPE.author_latent)
    return Sample(Posterior(nothing, None), nothing, nothing, content, content)


def test_an_adversary_finds_the_author_and_its_loss_hides_him() -> None:
    generator = torch.Generator().manual_seed(0)
    who = [i % 2 for i in range(64)]
    given = batch(who)
    content = torch.randn(64, SHAPE.latent, generator=generator)
    content[:, 0] += 6 * torch.tensor(who)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        is_content = torch.ones(24, dtype=torch.bool)
        extra = Auxiliary(SHAPE, is_content, torch.tensor([[0.5, 0.5]]))
    learn = torch.optim.RMSprop(extra.discriminators, lr=1e-2)
    for _ in range(120):
        learn.zero_grad()
        discriminator_loss(extra, given, sample(content)).backward()
        learn.step()
    found = [_told_apart(x, extra.prior) for x in extra.author_logits(content, given)]
    assert all(float(x.detach()) > 0.5 for x in found)

    moved = content.clone().requires_grad_()
    hide = torch.optim.Adam([moved], lr=0.1)
    weights = replace(Weights.hiding(10.0), author_matching=0.0)
    settings = Training(weights=weights)
    for _ in range(400):
        hide.zero_grad()
        adversarial_loss(extra, given, sample(moved), settings).backward()
        hide.step()
    left = [_told_apart(x, extra.prior) for x in extra.author_logits(moved, given)]
    assert all(float(x.detach()) < 0.05 for x in left)


def auxiliary() -> Auxiliary:
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        is_content = torch.ones(24, dtype=torch.bool)
        return Auxiliary(SHAPE, is_content, torch.full((2, 2), 0.5))


def shifted(size: int, shift: float, seed: int) -> tuple[torch.Tensor, Batch]:
    generator = torch.Generator().manual_seed(seed)
    who = [i % 2 for i in range(size)]
    content = torch.randn(size, SHAPE.latent, generator=generator)
    content[:, 0] += shift * torch.tensor(who)
    return content, batch(who, [i // 2 % 2 for i in range(size)])


def test_the_distance_of_equal_authors_is_nothing_on_average() -> None:
    extra = auxiliary()
    found = [float(distance(extra, *shifted(80, 0.0, seed))) for seed in range(200)]
    error = np.std(found) / np.sqrt(len(found))
    assert abs(np.mean(found)) < 6.5 * error
    apart = [float(distance(extra, *shifted(80, 2.0, seed))) for seed in range(20)]
    assert np.mean(apart) > 50 * error


def test_the_distance_holds_what_a_label_tells_against_nobody() -> None:
    extra = auxiliary()
    content, given = shifted(800, 0.0, 1)
    assert given.labels is not None
    content[:, 0] += 3.0 * given.labels
    by_label = float(distance(extra, content, given))
    nobody = replace(given, labels=torch.zeros_like(given.labels))
    swapped = replace(nobody, authors=given.labels)
    assert by_label < 0.01 * float(distance(extra, content, swapped))


def test_lone_sentences_do_not_change_the_distance_of_others() -> None:
    extra = auxiliary()
    content, given = shifted(40, 1.0, 1)
    assert given.authors is not None
    assert given.labels is not None
    among = batch([*given.authors.tolist(), 2, 2], [*given.labels.tolist(), 0, 1])
    wide = Auxiliary(SHAPE, extra.is_content, torch.full((2, 3), 1 / 3))
    wide.frequencies, wide.phases = extra.frequencies, extra.phases
    lone = torch.full((2, SHAPE.latent), 9.0)
    told = distance(wide, torch.cat([content, lone]), among)
    assert float(told) == pytest.approx(float(distance(extra, content, given)))


def test_a_lone_sentence_of_an_author_has_no_distance() -> None:
    extra = auxiliary()
    content, _ = shifted(3, 0.0, 1)
    told = distance(extra, content, batch([0, 1, 0], [0, 0, 1]))
    assert float(told) == 0.0


def test_the_distance_is_not_rounded_to_bfloat16() -> None:
    extra = auxiliary()
    content, given = shifted(80, 0.3, 2)
    exact = float(distance(extra, content, given))
    with torch.autocast("cpu", torch.bfloat16):
        mixed = float(distance(extra, content, given))
    assert mixed == pytest.approx(exact, rel=1e-6)
