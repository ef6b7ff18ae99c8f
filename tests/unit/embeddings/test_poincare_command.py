"""publius embeddings train-poincare: what a user sees, and what is refused."""

import json
from pathlib import Path

import pytest

from publius.cli.frame import run

TINY = ("--dim", "2", "--epochs", "12", "--batch", "8", "--negatives", "8")
PAIRS = """id1,id2
dog.n.01,animal.n.01
dog.n.02,animal.n.01
cat.n.01,animal.n.01
ice_cream.n.01,thing.n.01
animal.n.01,thing.n.01
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pairs.csv").write_text(PAIRS)
    return tmp_path


def train(*arguments: str) -> int:
    return run(["embeddings", "train-poincare", "pairs.csv", *arguments])


def test_training_writes_an_embedding_that_explains(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert train("-o", "x.publius", "--close", "--json", *TINY) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["names"], told["pairs"], told["words"]) == (6, 8, 4)
    assert told["plan"]["epochs"] == 12
    words = (folder / "x.publius/words.csv").read_text().splitlines()
    assert words[0] == "word,name"
    assert "dog,dog.n.01" in words
    assert not (folder / "x.checkpoint").exists()
    asked = ["--embedding", "x.publius", "--metric", "hyperbolic", "--epsilon", "1"]
    assert run(["explain", "dog", *asked, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert {item["word"] for item in found["replacements"]} == {
        "dog", "cat", "animal", "thing",
    }  # fmt: skip
    for mechanism in ("tangent-laplace", "riemannian-laplace"):
        noisy = [*asked[:-1], "3", "--mechanism", mechanism, "--json"]
        assert run(["try", "the dog and the cat", *noisy]) == 0
        assert "hyperbolic@" in capsys.readouterr().out


def test_the_summary_is_for_people(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "map.csv").write_text("beast,animal.n.01\nall,thing.n.01\n")
    assert train("-o", "x.publius", "--words", "map.csv", *TINY) == 0
    out = capsys.readouterr().out
    assert "2 words of 6 names" in out
    assert "mean rank" in out
    assert "map.csv" in out


@pytest.mark.parametrize(
    ("lines", "arguments", "told"),
    [
        ("a,a\n", (), "paired with themselves"),
        ("a,b\nb,a\n", (), "circles"),
        ("a,b\nc,d\n", (), "unconnected parts"),
        ("a,b\n", ("--rate", "0"), "rate"),
        ("a,b\n", ("--dim", "0"), "dim"),
    ],
)
def test_bad_pairs_and_settings_are_one_clear_line(
    folder: Path,
    capsys: pytest.CaptureFixture[str],
    lines: str,
    arguments: tuple[str, ...],
    told: str,
) -> None:
    (folder / "pairs.csv").write_text(lines)
    assert train("-o", "x.publius", *arguments) == 1
    assert told in capsys.readouterr().err
    assert not (folder / "x.publius").exists()


def test_outputs_are_never_overwritten(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert train("-o", "x.npz", *TINY) == 1
    assert ".publius" in capsys.readouterr().err
    (folder / "x.checkpoint").write_bytes(b"")
    assert train("-o", "x.publius", *TINY) == 1
    assert "--resume" in capsys.readouterr().err
    assert train("-o", "x.publius", "--resume", *TINY) == 1
    assert "cannot read" in capsys.readouterr().err
    (folder / "x.checkpoint").unlink()
    assert train("-o", "x.publius", "--resume", *TINY) == 0
    assert train("-o", "x.publius", *TINY) == 1
    assert "exists already" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("mechanism", "epsilon", "told"),
    [("riemannian-laplace", "1", "dim - 1 = 1"), ("tangent-laplace", "1", "")],
)
def test_too_small_an_epsilon_names_a_way_out(
    folder: Path,
    capsys: pytest.CaptureFixture[str],
    mechanism: str,
    epsilon: str,
    told: str,
) -> None:
    assert folder.exists()
    assert train("-o", "x.publius", *TINY) == 0
    asked = ["--embedding", "x.publius", "--mechanism", mechanism]
    code = run(["try", "a dog", *asked, "--epsilon", epsilon])
    assert code == (1 if told else 0)
    assert told in capsys.readouterr().err


def test_flat_vectors_have_no_hyperbolic_distance(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "flat.txt").write_text("dog 1.0 0.0\ncat 0.0 2.0\n")
    for asked in (["--metric", "hyperbolic"], ["--mechanism", "tangent-laplace"]):
        assert run(["explain", "dog", "--embedding", "flat.txt", *asked]) == 1
        assert "ball" in capsys.readouterr().err


def test_torch_is_a_backend(folder: Path) -> None:
    assert train("-o", "x.publius", "--backend", "torch", *TINY) == 0
    assert (folder / "x.publius/vectors.npy").exists()
