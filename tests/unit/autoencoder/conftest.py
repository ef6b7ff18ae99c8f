"""A tiny model, trained once in a few seconds, that every test here reads."""

from pathlib import Path

import numpy as np
import pytest
import torch

from publius.autoencoder import Architecture, SentenceVAE, Training

SUBJECTS = ("the movie", "this film", "the actor", "my dog", "the president")
ADJECTIVES = ("good", "bad", "great", "terrible", "long", "strange")
TINY = Architecture(
    vocabulary=300, width=32, hidden=32, encoder_layers=1, latent=6,
    author_latent=3, max_tokens=12,
)  # fmt: skip
QUICK = Training(
    epochs=4, batch=32, rate=1e-2, noise=(0.05, 0.3), patience=0, device="cpu"
)


def toy_texts(count: int = 120) -> list[str]:
    rng = np.random.default_rng(0)
    return [
        f"{rng.choice(SUBJECTS)} was {rng.choice(ADJECTIVES)}. "
        f"{rng.choice(SUBJECTS)} is {rng.choice(ADJECTIVES)}!"
        for _ in range(count)
    ]


@pytest.fixture(scope="session", autouse=True)
def _one_thread() -> None:
    torch.set_num_threads(1)


@pytest.fixture(scope="session")
def tiny() -> SentenceVAE:
    """Return a DP-VAE of a toy language."""
    return SentenceVAE.fit(toy_texts(), shape=TINY, training=QUICK)


@pytest.fixture(scope="session")
def stored(tiny: SentenceVAE, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the tiny model as a file."""
    path = tmp_path_factory.mktemp("model") / "tiny.safetensors"
    tiny.save(path)
    return path
