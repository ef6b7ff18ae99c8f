import json
from pathlib import Path

import numpy as np
import pytest

from publius.core.errors import DataError, OutputError, ParameterError
from publius.core.metric import Angular, Capped, Euclidean
from publius.embeddings import Embedding, Vocabulary, load_embedding
from publius.embeddings.store import (
    Provenance,
    read_meta,
    read_store,
    write_store,
)


@pytest.fixture
def folder(tmp_path: Path, line: Embedding) -> Path:
    return write_store(line, tmp_path / "line.publius", Provenance("us", "CC0", "none"))


def test_round_trip(folder: Path, line: Embedding) -> None:
    read = read_store(folder)
    assert read.vocabulary.words == line.vocabulary.words
    assert (read.vectors == line.vectors).all()
    assert read.fingerprint == line.fingerprint
    assert isinstance(read.vectors, np.memmap)
    assert read_meta(folder)["licence"] == "CC0"
    assert load_embedding(folder, 2).vocabulary.words == ("zero", "one")


def test_metric_and_name_are_kept(tmp_path: Path) -> None:
    stored = Embedding(Vocabulary(("a",)), np.ones((1, 2)), Angular(), "mine")
    read = read_store(write_store(stored, tmp_path / "a.publius"))
    assert read.metric.id == "angular"
    assert read.name == "mine"
    assert read.vectors.dtype == np.float64


def test_nothing_is_overwritten(folder: Path, line: Embedding) -> None:
    with pytest.raises(OutputError, match="exists already"):
        write_store(line, folder)


def test_failed_write_leaves_nothing(
    tmp_path: Path, line: Embedding, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(np, "save", full)
    with pytest.raises(OutputError, match="the disk is full"):
        write_store(line, tmp_path / "deep" / "x.publius")
    assert list((tmp_path / "deep").iterdir()) == []


def test_unnamed_metric_is_refused(tmp_path: Path) -> None:
    odd = Embedding(Vocabulary(("a",)), np.ones((1, 2)), Capped(Euclidean(), 2.0))
    with pytest.raises(ParameterError, match="euclidean:cap=2"):
        write_store(odd, tmp_path / "x.publius")


def test_changed_vectors_are_found_when_it_is_opened(folder: Path) -> None:
    vectors = np.load(folder / "vectors.npy")
    vectors[2] += 1
    np.save(folder / "vectors.npy", vectors)
    with pytest.raises(DataError, match="fingerprint"):
        read_store(folder)


@pytest.mark.parametrize("victim", ["vectors.npy", "words.txt", "meta.json"])
@pytest.mark.parametrize("content", [None, b"", b"\xff\xfe", b"a\nb"])
def test_damage_is_named(folder: Path, victim: str, content: bytes | None) -> None:
    (folder / victim).unlink()
    if content is not None:
        (folder / victim).write_bytes(content)
    with pytest.raises(DataError):
        read_store(folder)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"version": 9}, "another version"),
        ({"words": 4}, "do not match"),
        ({"metric": "x"}, "damaged"),
    ],
)
def test_wrong_meta_is_named(
    folder: Path, change: dict[str, object], message: str
) -> None:
    path = folder / "meta.json"
    path.write_text(json.dumps(json.loads(path.read_text("utf-8")) | change), "utf-8")
    with pytest.raises(DataError, match=message):
        read_store(folder)
