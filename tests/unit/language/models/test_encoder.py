"""The encoder's arithmetic against a slow, plain copy of the published equations."""

import json
import math
import struct
from pathlib import Path

import numpy as np
import pytest

from publius.core.errors import DataError, FetchError
from publius.language.models.encoder import WordPiece, load_encoder
from publius.language.models.encoder.bert import Encoder, read_safetensors

PIECES = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "un", "##able", "to", "##do", ",", "e")
WIDTH, INNER, HEADS = 8, 12, 2


def _weights(layers: int = 2) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(0)
    shapes = {
        "embeddings.word_embeddings.weight": (len(PIECES), WIDTH),
        "embeddings.position_embeddings.weight": (16, WIDTH),
        "embeddings.token_type_embeddings.weight": (2, WIDTH),
    }
    norms = ["embeddings.LayerNorm"]
    dense = {}
    for layer in range(layers):
        name = f"encoder.layer.{layer}."
        for part in ("self.query", "self.key", "self.value", "output.dense"):
            dense[f"{name}attention.{part}"] = (WIDTH, WIDTH)
        dense[f"{name}intermediate.dense"] = (INNER, WIDTH)
        dense[f"{name}output.dense"] = (WIDTH, INNER)
        norms += [f"{name}attention.output.LayerNorm", f"{name}output.LayerNorm"]
    for name, shape in dense.items():
        shapes[f"{name}.weight"], shapes[f"{name}.bias"] = shape, shape[:1]
    for name in norms:
        shapes[f"{name}.weight"] = shapes[f"{name}.bias"] = (WIDTH,)
    return {n: rng.normal(size=s).astype(np.float32) for n, s in shapes.items()}


def _norm(row: np.ndarray, w: dict[str, np.ndarray], name: str) -> np.ndarray:
    row = (row - row.mean()) / math.sqrt(row.var() + 1e-12)
    return row * w[f"{name}.weight"] + w[f"{name}.bias"]


def _slow(ids: list[int], w: dict[str, np.ndarray]) -> np.ndarray:
    """Word by word, head by head, in float64."""
    w = {name: value.astype(np.float64) for name, value in w.items()}
    hidden = [
        _norm(
            w["embeddings.word_embeddings.weight"][i]
            + w["embeddings.position_embeddings.weight"][place]
            + w["embeddings.token_type_embeddings.weight"][0],
            w, "embeddings.LayerNorm",
        )
        for place, i in enumerate(ids)
    ]  # fmt: skip
    for layer in range(2):
        name = f"encoder.layer.{layer}."

        def dense(row: np.ndarray, part: str, name: str = name) -> np.ndarray:
            return w[f"{name}{part}.weight"] @ row + w[f"{name}{part}.bias"]

        new = []
        for row in hidden:
            mixed = []
            for head in range(HEADS):
                part = slice(head * WIDTH // HEADS, (head + 1) * WIDTH // HEADS)
                query = dense(row, "attention.self.query")[part]
                keys = [dense(r, "attention.self.key")[part] for r in hidden]
                score = np.exp([query @ k / math.sqrt(WIDTH / HEADS) for k in keys])
                values = [dense(r, "attention.self.value")[part] for r in hidden]
                mixed.append(
                    sum(s * v for s, v in zip(score, values, strict=True)) / score.sum()
                )
            out = dense(np.concatenate(mixed), "attention.output.dense")
            row = _norm(row + out, w, f"{name}attention.output.LayerNorm")  # noqa: PLW2901
            inner = dense(row, "intermediate.dense")
            inner = np.array([x / 2 * (1 + math.erf(x / math.sqrt(2))) for x in inner])
            new.append(
                _norm(row + dense(inner, "output.dense"), w, f"{name}output.LayerNorm")
            )
        hidden = new
    mean = np.mean(hidden, axis=0)
    return mean / np.linalg.norm(mean)


def test_forward_pass_equals_the_equations_also_when_filled_up() -> None:
    weights = _weights()
    encoder = Encoder(weights, WordPiece(PIECES, 16), heads=HEADS)
    texts = ["unable, to", "e", "unable unable todo to to"]
    found = encoder(texts)
    for row, text in zip(found, texts, strict=True):
        assert row == pytest.approx(
            _slow(encoder.tokenizer.encode(text), weights), abs=1e-5
        )


def test_word_pieces() -> None:
    pieces = WordPiece(PIECES, 8)
    assert pieces.encode("Unable, TODO") == [2, 4, 5, 8, 6, 7, 3]
    assert pieces.encode("É zz") == [2, 9, 1, 3]
    assert len(pieces.encode("to " * 50)) == 8


def test_a_list_without_marks_is_refused() -> None:
    with pytest.raises(DataError, match="CLS"):
        WordPiece(("[PAD]", "[UNK]"))


def _safetensors(path: Path, array: np.ndarray) -> None:
    about = {
        "x": {
            "dtype": "F32",
            "shape": list(array.shape),
            "data_offsets": [0, array.nbytes],
        }
    }
    head = json.dumps(about).encode()
    path.write_bytes(struct.pack("<Q", len(head)) + head + array.tobytes())


def test_reads_safetensors(tmp_path: Path) -> None:
    array = np.arange(6, dtype=np.float32).reshape(2, 3)
    _safetensors(tmp_path / "m", array)
    assert read_safetensors(tmp_path / "m")["x"].tolist() == array.tolist()


@pytest.mark.parametrize("cut", [3, 9, 60])
def test_a_damaged_file_is_a_data_error(tmp_path: Path, cut: int) -> None:
    _safetensors(tmp_path / "m", np.ones((2, 3), np.float32))
    (tmp_path / "m").write_bytes((tmp_path / "m").read_bytes()[:cut])
    with pytest.raises(DataError, match="m"):
        read_safetensors(tmp_path / "m")


def test_a_missing_encoder_says_how_to_get_it() -> None:
    with pytest.raises(FetchError, match="--get-encoder"):
        load_encoder()
