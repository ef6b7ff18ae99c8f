"""A trained AAE hides authors in its content vector, and keeps the content."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from sklearn.svm import SVC

from publius.autoencoder import Architecture, Training
from publius.autoencoder.batches import Corpus
from publius.autoencoder.network import SentenceNetwork
from publius.autoencoder.objective import Batch, draw
from publius.autoencoder.settings import NOISE, Weights
from publius.autoencoder.subwords import packed
from publius.autoencoder.train import train
from publius.core.arrays import IdArray

SUBJECTS = 8
SHAPE = Architecture(
    kind="dp-aae", vocabulary=24, width=16, hidden=32, encoder_layers=1, latent=6,
    author_latent=2, max_tokens=8, authors=2,
)  # fmt: skip


def toy(count: int, seed: int) -> tuple[Corpus, IdArray]:
    """Return sentences of two authors, each with four words of his own."""
    rng = np.random.default_rng(seed)
    who = np.arange(count, dtype=np.int64) % 2
    what = rng.integers(0, SUBJECTS, count)
    own = 16 + 4 * who[:, None] + rng.integers(0, 4, (count, 2))
    rows = np.stack([own[:, 0], 4 + what, own[:, 1], 4 + what], axis=1)
    is_content = np.isin(np.arange(SHAPE.vocabulary), 4 + np.arange(SUBJECTS))
    return Corpus(packed(rows.tolist()), who, None, is_content), what


def trained(weights: Weights, seed: int) -> SentenceNetwork:
    settings = Training(
        epochs=12, batch=64, rate=1e-2, noise=NOISE["dp-aae"], patience=0,
        weights=replace(weights, content_motivator=1.0), device="cpu", seed=seed,
    )  # fmt: skip
    return train(SHAPE, toy(1000, 0)[0], settings)


def probed(network: SentenceNetwork) -> tuple[float, float]:
    """Return how often a probe that learns finds author and subject of new ones."""
    corpus, what = toy(1200, 5)
    ids, lengths = corpus.tokens.rows(np.arange(1200))
    rows = torch.from_numpy(ids)
    given = Batch(rows, torch.from_numpy(lengths), rows, rows, None)
    with torch.inference_mode():
        sample = draw(network, given, Training(), torch.Generator().manual_seed(1))
    assert sample.content is not None
    seen, who = sample.content.numpy(), corpus.authors
    assert who is not None
    return tuple(
        float(SVC().fit(seen[:600], told[:600]).score(seen[600:], told[600:]))
        for told in (who, what)
    )  # type: ignore[return-value]


@pytest.mark.slow
@pytest.mark.parametrize("stream", [0, 1])
def test_a_trained_aae_hides_authors_and_keeps_content(stream: int) -> None:
    author, subject = probed(trained(Weights.hiding(), stream))
    assert author < 0.62
    assert subject > 2 / SUBJECTS
    # The same network that is not asked to hide does not.
    author, subject = probed(trained(Weights.hiding(0.0), stream))
    assert author > 0.8
    assert subject > 0.9


@pytest.mark.slow
def test_discriminators_alone_hide_as_well() -> None:
    weights = replace(Weights.hiding(), author_matching=0.0)
    author, subject = probed(trained(weights, 0))
    assert author < 0.62
    assert subject > 0.9


@pytest.mark.parametrize(("sigma", "hears"), [(0.5, True), (2.0, False)])
def test_the_encoder_does_not_learn_where_the_author_is_hidden(
    sigma: float,
    hears: bool,  # noqa: FBT001 - a parameter of the test
) -> None:
    network = SentenceNetwork(SHAPE)
    rows = torch.full((4, 3), 5)
    given = Batch(rows, torch.full((4,), 3), rows, rows, None)
    settings = Training(noise=(sigma, sigma), calm=1.0)
    sample = draw(network, given, settings, torch.Generator().manual_seed(0))
    sample.condition[:, : SHAPE.latent].sum().backward()
    assert network.content is not None
    gradient = network.content.weight.grad
    assert (gradient is not None and bool((gradient != 0).any())) == hears
