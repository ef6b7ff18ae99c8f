"""The weights are a package of their own, and a missing one is named."""

from pathlib import Path

import pytest

from publius.core.errors import FetchError

pytest.importorskip("torch", reason="needs publius[autoencoder]")

from publius.autoencoder import sentence_vae


def test_missing_weights_name_their_package(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(sentence_vae, "SHIPPED", tmp_path / "dp-vae.safetensors")
    with pytest.raises(FetchError, match="pip install publius-autoencoder"):
        sentence_vae.SentenceVAE.load()
