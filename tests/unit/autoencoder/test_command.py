"""publius autoencoder train: what its options do to the model."""

import csv
import json
from pathlib import Path

import pytest

from publius.autoencoder import SentenceVAE, Training
from publius.autoencoder.architecture import KINDS
from publius.autoencoder.settings import Weights
from publius.cli.autoencoder_command import _settings
from publius.cli.frame import run


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "in.csv"
    rows = [
        (f"the {word} was good. it ended!", f"user {i % 2}", i % 3)
        for i, word in enumerate(("movie", "film", "play", "book") * 4)
    ]
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([("body", "user", "stars"), *rows])
    return path


def test_training_goes_on_from_a_model_with_authors_and_labels(
    table: Path, stored: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model = tmp_path / "aae.safetensors"
    asked = ["autoencoder", "train", str(table), "--text", "body", "-o", str(model)]
    known = ["--author", "user", "--label", "stars", "--model", "dp-aae"]
    rest = ["--from", str(stored), "--epochs", "1", "--device", "cpu"]
    assert run([*asked, *known, *rest]) == 0
    found = SentenceVAE.load(model, device="cpu")
    assert (found.shape.kind, found.shape.authors) == ("dp-aae", 2)
    assert found.shape.hidden == SentenceVAE.load(stored).shape.hidden
    capsys.readouterr()
    assert run([*asked, *rest, "--hidden", "8"]) == 1
    assert "--hidden has no meaning with --from" in capsys.readouterr().err


def test_training_leaves_its_input_alone(
    table: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = table.read_bytes()
    asked = ["autoencoder", "train", str(table), "--text", "body", "--epochs", "2"]
    sizes = ["--vocabulary", "300", "--width", "8", "--hidden", "8", "--device", "cpu"]
    out = ["-o", str(table.with_suffix(".safetensors"))]
    for _ in range(2):
        assert run([*asked, *sizes, *out]) == 0
        log = table.with_suffix(".log.csv").read_text().splitlines()
        assert [line.split(",")[0] for line in log] == ["epoch", "1", "2"]
    assert table.read_bytes() == before
    capsys.readouterr()
    assert run([*asked, "-o", str(table)]) == 1
    assert "would write over its input" in " ".join(capsys.readouterr().err.split())
    assert table.read_bytes() == before


@pytest.mark.parametrize(
    ("flags", "code", "message"),
    [
        ("--hide 3", 1, "--hide has no meaning for a dp-vae"),
        ("--model dp-aae --author user --hide -1", 2, "--hide"),
    ],
)
def test_hiding_that_would_not_be_obeyed_is_refused(
    table: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str],
    flags: str, code: int, message: str,
) -> None:  # fmt: skip
    asked = ["autoencoder", "train", str(table), "--text", "body", *flags.split()]
    assert run([*asked, "-o", str(tmp_path / "m.safetensors")]) == code
    assert message in " ".join(capsys.readouterr().err.split())
    assert not (tmp_path / "m.safetensors").exists()


@pytest.mark.parametrize("hole", ['""', "null"])
def test_rows_without_a_label_are_no_class(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], hole: str
) -> None:
    path = tmp_path / "in.jsonl"
    path.write_text(
        '{"body": "it was. it is.", "stars": "1"}\n'
        f'{{"body": "it was.", "stars": {hole}}}\n'
    )
    asked = ["autoencoder", "train", str(path), "--text", "body", "--label", "stars"]
    assert run([*asked, "-o", str(tmp_path / "m.safetensors")]) == 1
    assert "some rows have no stars" in " ".join(capsys.readouterr().err.split())


def test_a_label_that_is_not_there_is_said(
    table: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = ["autoencoder", "train", str(table), "--text", "body", "--label", "star"]
    assert run([*asked, "-o", str(tmp_path / "m.safetensors")]) == 1
    assert "stars" in capsys.readouterr().err


@pytest.mark.parametrize("kind", KINDS)
def test_only_adversarial_kinds_hide_authors(kind: str) -> None:
    sizes: dict[str, object] = {
        "network": "gru", "vocabulary": 300, "width": 8, "hidden": 8, "layers": 1,
        "latent": 4, "max_tokens": 8, "kl": None, "hide": 7.0, "content_only": True,
        "epochs": 3, "noise": None,
    }  # fmt: skip
    shape, training = _settings(kind, sizes, None)
    assert shape.content_only
    assert training.epochs == 3
    # An author vector is rewritten under far more noise than a sentence bears.
    assert training.noise == ((0.01, 100.0) if kind == "dp-aae" else (0.1, 1.0))
    expected = Weights.hiding(7.0) if shape.is_adversarial else Weights()
    assert training.weights == expected
    again = Training.from_json(training.to_json())
    assert json.loads(again.to_json()) == json.loads(training.to_json())
