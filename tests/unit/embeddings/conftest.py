from pathlib import Path

import numpy as np
import pytest

from publius.embeddings import Embedding, Vocabulary


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "cache"
    monkeypatch.setenv("PUBLIUS_CACHE", str(folder))
    return folder


@pytest.fixture
def line() -> Embedding:
    """Five words at 0, 1, 3, 7 and 15 on a line."""
    places = np.array([[0.0], [1.0], [3.0], [7.0], [15.0]], dtype=np.float32)
    return Embedding(Vocabulary(("zero", "one", "three", "seven", "fifteen")), places)
