"""What runs where no extra is installed, and what is said of the rest."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

EXTRAS = (
    "boto3", "dask", "datasets", "docx", "duckdb", "faiss", "onnxruntime", "openpyxl",
    "ot", "pandas", "polars", "presidio_analyzer", "presidio_anonymizer", "pyspark",
    "ray", "safetensors", "scrubadub", "spacy", "starlette", "tokenizers", "torch",
    "tqdm", "transformers", "uvicorn",
)  # fmt: skip
"""Packages that only extras bring."""

PROGRAM = """
import contextlib, io, json, sys

class Missing:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {extras}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)

sys.meta_path.insert(0, Missing())
from publius.cli.frame import COMMANDS, run

told = []
asked = {asked}
for words in [[name, "--help"] for name in COMMANDS] + asked:
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = run(words)
    told.append([words, code, err.getvalue()])
sys.__stdout__.write(json.dumps(told))
"""


def told(tmp_path: Path, *asked: list[str]) -> list[tuple[list[str], int, str]]:
    """Return exit code and messages of every help and of some commands."""
    program = PROGRAM.format(extras=set(EXTRAS), asked=list(asked))
    done = subprocess.run(  # noqa: S603 - our own program
        [sys.executable, "-c", program],
        cwd=tmp_path,
        capture_output=True,
        check=True,
        text=True,
    )
    return [tuple(one) for one in json.loads(done.stdout)]


@pytest.mark.slow
def test_commands_of_the_base_install_need_no_extra(tmp_path: Path) -> None:
    voices = {"ann": "people of the world vote for", "bob": "the team won the season"}
    rows = [
        json.dumps({"body": f"{voice} {i}", "user": who, "topic": "xy"[i % 2]})
        for i in range(12)
        for who, voice in voices.items()
    ]
    (tmp_path / "in.jsonl").write_text("\n".join(rows) + "\n")
    small = ["--vocabulary", "300"]
    texts = ["in.jsonl", "--text", "body"]
    by = ["--author", "user"]
    before = ["release", *texts, *by, "--evaluate", "--label", "topic", *small]
    for words, code, err in told(
        tmp_path,
        [*before, "-o", "out"],
        ["attack", *texts, *by, "--released", "out", "--attack", "ngram_svm"],
        ["evaluate", *texts, "--label", "topic", "--released", "out"],
        ["compare", *texts, *by, "--mechanisms", "original", "-o", "cells",
         "--workers", "1"],
        ["reproduce", "--list"],
        ["embeddings", "list"],
        ["retelling", "info"],
    ):  # fmt: skip
        assert code == 0, (words, err)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("asked", "said"),
    [
        (["release", "in.csv", "--mechanism", "dp-vae", "--sigma", "1", "-o", "o"],
         "publius[autoencoder]"),
        (["autoencoder", "info"], "publius[autoencoder]"),
        (["retelling", "train", "-o", "a.safetensors"], "publius[torch]"),
        (["evaluate", "in.csv", "--label", "user", "--released", "in.csv",
          "--classifier", "nearest_emd"], "publius[transport]"),
        (["release", "in.xlsx", "-o", "o"], "publius[office]"),
        (["release", "in.csv", "--engine", "ray", "-o", "o"], "publius[ray]"),
        (["studio", "--no-open"], "publius[studio]"),
    ],
)  # fmt: skip
def test_what_needs_an_extra_names_it(
    tmp_path: Path, asked: list[str], said: str
) -> None:
    lines = "".join(f"people vote,u{i % 2}\n" for i in range(8))
    (tmp_path / "in.csv").write_text("body,user\n" + lines)
    (tmp_path / "in.xlsx").write_bytes(b"")
    words, code, err = told(tmp_path, asked)[-1]
    assert code == 1, words
    assert said in err
