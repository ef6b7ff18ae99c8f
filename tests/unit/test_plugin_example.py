"""The template of a package outside the tree: installed by itself, found, marked."""

import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "examples" / "plugin"
TABLE = """author,body,released
ann,"So it goes; well; yes.",x; y; z.
ann,"Rain; wind; cold.",x; y; z.
bob,"What! No! Never!",x! y! z!
bob,"Stop! Go! Run!",x! y! z!
"""


@pytest.fixture(scope="module")
def target(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Install the package into a folder of its own, as a stranger's machine would."""
    if not importlib.util.find_spec("hatchling") or not importlib.util.find_spec("pip"):
        pytest.skip("needs pip and hatchling")
    folder = tmp_path_factory.mktemp("site")
    asked = ["install", "-q", "--no-deps", "--no-build-isolation", "--no-index"]
    subprocess.run(  # noqa: S603 - our own package
        [sys.executable, "-m", "pip", *asked, "--target", str(folder), str(EXAMPLE)],
        check=True,
        capture_output=True,
    )
    return folder


def run(folder: Path, *words: str, code: int = 0) -> str:
    """Call the command line with the folder on the path."""
    path = os.pathsep.join([str(folder), *filter(None, sys.path)])
    done = subprocess.run(  # noqa: S603 - our own program
        [sys.executable, "-c", "from publius.cli import main; main()", *words],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": path},
        cwd=folder,
    )
    assert done.returncode == code, done.stderr
    return done.stdout if code == 0 else done.stderr


def test_the_mechanism_releases_and_is_marked(target: Path) -> None:
    listed = json.loads(run(target, "mechanisms", "--json"))["mechanisms"]
    [one] = [m for m in listed if m["name"] == "randomized-response"]
    assert one["status"] == "not certified by Publius"
    assert one["package"] == "publius-example"
    assert one["parameters"] == {"most": 1.0}
    asked = ("--mechanism", "randomized-response", "--vocabulary", "50", "--json")
    trial = json.loads(run(target, "try", "The people of the world", *asked))
    assert trial["mechanism"] == "randomized-response.v1"
    assert any("not certified" in line for line in trial["guarantee"]["uncovered"])
    law = json.loads(run(target, "certify", "--epsilon", "9", *asked))
    assert law["worst_loss"] == pytest.approx(9, abs=1e-6)


def test_the_attack_guesses(target: Path) -> None:
    (target / "letters.csv").write_text(TABLE)
    asked = ("--text", "body", "--author", "author", "--released", "released")
    found = json.loads(
        run(target, "attack", "letters.csv", *asked, "--attack", "punctuation",
            "--static", "--seed", "1", "--json")
    )  # fmt: skip
    assert "punctuation" in json.dumps(found)


def test_the_embedding_is_known_by_name(target: Path) -> None:
    facts = json.loads(run(target, "embeddings", "info", "colours", "--json"))
    assert (facts["words"], facts["dim"], facts["licence"]) == (13, 3, "CC0")
    listed = json.loads(run(target, "embeddings", "list", "--json"))["embeddings"]
    assert {"name": "colours", "installed": True}.items() <= listed[-1].items()


@pytest.mark.parametrize(
    ("group", "old", "new", "words"),
    [
        ("mechanisms", "randomized-response", "exponential", ("mechanisms",)),
        ("attacks", "punctuation", "delta", ("attack", "--help")),
        ("embeddings", "colours", "glove-50k", ("embeddings", "list")),
    ],
)
def test_names_of_publius_cannot_be_taken(
    target: Path, tmp_path: Path, group: str, old: str, new: str, words: tuple[str, ...]
) -> None:
    for found in target.glob("publius_example*"):
        (tmp_path / found.name).mkdir()
        for file in found.glob("*"):
            if file.is_file():
                text = file.read_bytes()
                if file.name == "entry_points.txt":
                    text = text.replace(f"{old} =".encode(), f"{new} =".encode())
                (tmp_path / found.name / file.name).write_bytes(text)
    message = run(tmp_path, *words, code=1)
    assert "publius-example" in message
    assert "a name that is taken" in message
    assert group in message
