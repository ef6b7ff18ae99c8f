"""Model files: safetensors of this version, and nothing else."""

import pickle
import zipfile
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.torch import save_file

from publius.autoencoder import SentenceVAE, files, sentence_vae
from publius.core.errors import DataError, OutputError, ParameterError
from publius.core.rng import seeded

NAMES = {"format": files.FORMAT, "version": files.VERSION}


def test_a_stored_model_rewrites_like_the_original(
    tiny: SentenceVAE, stored: Path
) -> None:
    again = SentenceVAE.load(stored)
    texts = ["the movie was good. my dog is bad!"]
    first, second = (m.rewrite(texts, seeded(3), sigma=0.2) for m in (tiny, again))
    assert first.texts == second.texts
    assert again.fingerprint != tiny.fingerprint
    assert again.source == tiny.source


@pytest.mark.parametrize(("precision", "error"), [("float16", 1e-3), ("int8", 5e-3)])
def test_small_weights_are_close(
    tiny: SentenceVAE, tmp_path: Path, precision: str, error: float
) -> None:
    tiny.save(tmp_path / "a", precision=precision)
    tiny.save(tmp_path / "b")
    small, full = (files.read(tmp_path / name).weights for name in "ab")
    assert (tmp_path / "a").stat().st_size < (tmp_path / "b").stat().st_size
    for name, weights in full.items():
        largest = float(weights.abs().max()) or 1.0
        away = float((small[name] - weights).abs().max())
        assert away <= error * largest
    assert any(not torch.equal(small[name], full[name]) for name in full)


def test_pickled_code_is_refused_without_running_it(tmp_path: Path) -> None:
    class Trap:
        def __reduce__(self) -> tuple[object, tuple[str]]:
            return Path.touch, (tmp_path / "ran",)  # type: ignore[return-value]

    path = tmp_path / "model.safetensors"
    path.write_bytes(pickle.dumps(Trap()))
    with pytest.raises(DataError, match="pickled code"):
        SentenceVAE.load(path)
    assert not (tmp_path / "ran").exists()


def test_a_header_as_long_as_a_pickle_begins_is_no_pickle(tmp_path: Path) -> None:
    path = tmp_path / "model.safetensors"
    for padding in range(0, 256, 4):
        files.write(path, {"a": torch.zeros(1)}, {"source": "x" * padding})
        if path.read_bytes().startswith(b"\x80"):
            break
    assert path.read_bytes().startswith(b"\x80")
    assert files.text_of(files.read(path), "source") == "x" * padding


def test_an_archive_of_torch_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "model.pt"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("data.pkl", b"x")
    with pytest.raises(DataError, match="pickled code"):
        SentenceVAE.load(path)


@pytest.mark.parametrize(
    ("names", "message"),
    [
        ({}, "no sentence autoencoder"),
        ({"format": "other"}, "no sentence autoencoder"),
        ({"format": files.FORMAT, "version": "2"}, "has version 2"),
        ({"format": files.FORMAT}, "has version none"),
        (NAMES, "lacks its architecture"),
        ({**NAMES, "architecture": '{"kind": 3}'}, "not an architecture"),
        ({**NAMES, "architecture": "[]"}, "not an architecture"),
        ({**NAMES, "architecture": "{}"}, "lacks weights"),
    ],
)
def test_other_files_are_refused(
    tmp_path: Path, names: dict[str, str], message: str
) -> None:
    path = tmp_path / "model.safetensors"
    save_file({"a": torch.zeros(2)}, path, names)
    with pytest.raises((DataError, KeyError), match=message):
        SentenceVAE.load(path)


def test_damage_is_noticed(stored: Path, tmp_path: Path) -> None:
    path = tmp_path / "cut.safetensors"
    path.write_bytes(stored.read_bytes()[:-100])
    with pytest.raises(DataError, match="not a whole safetensors file"):
        SentenceVAE.load(path)


def test_a_missing_model_is_named(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="there is no model 'none'"):
        SentenceVAE.load(tmp_path / "none")


def test_an_unknown_precision_is_refused(tiny: SentenceVAE, tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match="precision"):
        tiny.save(tmp_path / "a", precision="int4")


def test_a_folder_that_cannot_be_written_is_an_output_error(
    tiny: SentenceVAE, tmp_path: Path
) -> None:
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(OutputError, match=r"cannot write a\.safetensors"):
        tiny.save(tmp_path / "file" / "a.safetensors")


def test_int8_rows_keep_their_largest_entry() -> None:
    rows = torch.from_numpy(np.array([[1.0, -3.0], [0.0, 0.0]], np.float32))
    packed = files._packed("w", rows, "int8")
    assert torch.allclose(files._unpacked(packed)["w"], rows, atol=3 / 254)
    assert float(files._unpacked(packed)["w"][0, 1]) == pytest.approx(-3.0)


def test_a_shipped_model_that_was_changed_is_refused(
    stored: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A whole file of Publius under the shipped name, but not the one of this version.
    other = tmp_path / sentence_vae.SHIPPED.name
    other.write_bytes(stored.read_bytes())
    SentenceVAE.load(other)
    monkeypatch.setattr(sentence_vae, "SHIPPED", other)
    with pytest.raises(DataError, match="install Publius again"):
        SentenceVAE.load()


def test_weights_that_are_not_finite_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "m.safetensors"
    save_file({"w": torch.tensor([1.0, float("nan")])}, path, NAMES)
    with pytest.raises(DataError, match="w is not finite"):
        files.read(path)
