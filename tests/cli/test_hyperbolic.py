"""Hyperbolic words as a user meets them."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

NOUNS = ("--embedding", "wordnet-poincare", "--vocabulary", 400)


def test_explain_marks_relations(publius: Callable[..., Any]) -> None:
    asked = ("explain", "city", *NOUNS, "--mechanism", "generalising", "--epsilon", 4)
    said = json.loads(publius(*asked, "--json").out)
    assert said["metric"] == "hyperbolic"
    kinds = {item["word"]: item["relation"] for item in said["replacements"]}
    assert kinds["city"] == "kept"
    assert "hypernym" in kinds.values()
    assert sum(said["relations"].values()) == pytest.approx(1.0)
    shown = publius(*asked).out
    assert "relation" in shown
    assert "By relation: kept" in shown
    plain = json.loads(publius("explain", "city", "--vocabulary", 300, "--json").out)
    assert not plain["relations"]
    assert "relation" not in plain["replacements"][0]


@pytest.mark.parametrize(
    ("mechanism", "epsilon"),
    [("exponential", 1), ("generalising", 2), ("tangent-laplace", 2),
     ("riemannian-laplace", 10)],
)  # fmt: skip
def test_nouns_are_released(
    publius: Callable[..., Any], tmp_path: Path, mechanism: str, epsilon: float
) -> None:
    (tmp_path / "mails.csv").write_text("text\nThe city has a school.\n")
    asked = ("release", "mails.csv", "-o", "out", *NOUNS)
    done = publius(*asked, "--mechanism", mechanism, "--epsilon", epsilon, "--seed", 1)
    assert done.code == 0, done.err
    manifest = json.loads((tmp_path / "out/manifest.json").read_text())
    assert "hyperbolic" in json.dumps(manifest["guarantee"])
    assert (tmp_path / "out/data.parquet").is_file()


def test_riemannian_noise_needs_an_epsilon_above_nine(
    publius: Callable[..., Any],
) -> None:
    asked = ("explain", "city", *NOUNS, "--mechanism", "riemannian-laplace")
    done = publius(*asked, "--epsilon", 9)
    assert done.code == 1
    assert "above dim - 1 = 9" in done.err


def test_a_forest_with_a_cycle_is_trained_under_a_root(
    publius: Callable[..., Any], tmp_path: Path
) -> None:
    pairs = [f"verb{n},top{n % 3}" for n in range(12)]
    pairs += ["restrain,inhibit", "inhibit,restrain", "curb,restrain"]
    (tmp_path / "verbs.csv").write_text("\n".join(pairs) + "\n")
    asked = ("embeddings", "train-poincare", "verbs.csv", "-o", "verbs.publius")
    small = ("--close", "--epochs", 2, "--dim", 2, "--root", "verb")
    assert "--open-cycles" in publius(*asked, *small).err
    done = publius(*asked, *small, "--open-cycles", "--json")
    assert done.code == 0, done.err
    said = json.loads(done.out)
    assert said["names"] == 12 + 3 + 2 + 1
    assert said["pairs"] == 12 * 2 + 3 + 2 + 1
