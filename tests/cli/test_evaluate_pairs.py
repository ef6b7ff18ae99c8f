"""publius evaluate on pairs of sentences."""

import json
from pathlib import Path

import numpy as np
import pytest

from publius.cli.frame import run

WORDS = ("river", "garden", "winter", "music", "doctor", "engine", "copper", "window")


@pytest.fixture(autouse=True)
def _only_mean_vectors(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PUBLIUS_CACHE", str(tmp_path / "cache"))


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """Half of the pairs share their words; releases of the second half lose them."""
    rng = np.random.default_rng(0)
    lines = ["s,t,same,near,split,rs,rt"]
    for i in range(120):
        first = " ".join(rng.choice(WORDS[:4], 3))
        second = first if i % 2 else " ".join(rng.choice(WORDS[4:], 3))
        split = "train" if i < 60 else "test"
        lines.append(f"{first},{second},{i % 2},{i % 2 * 4.5},{split},{first},{first}")
    lines.append(",x,1,3,test,a,b")
    path = tmp_path / "pairs.csv"
    path.write_text("\n".join(lines) + "\n", "utf-8")
    return path


def _found(
    capsys: pytest.CaptureFixture[str], table: Path, *extra: str
) -> dict[str, dict[str, object]]:
    code = run(
        ["evaluate", str(table), "--text", "s", "--text2", "t", "--released", "rs",
         "--released2", "rt", "--split", "split", "--seed", "0", "--json", *extra]
    )  # fmt: skip
    assert code == 0
    return dict(json.loads(capsys.readouterr().out))


def test_similarity_follows_scores_until_the_release_hides_it(
    table: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = _found(capsys, table, "--score", "near")["similarity"]
    before, after = found["results"]  # type: ignore[misc]
    assert before["pearson"]["low"] > 0.8  # type: ignore[index]
    assert after["pearson"]["value"] == 0.0  # type: ignore[index]
    assert found["excluded"] == {
        "pairs with an empty sentence": 1,
        "pairs that are not of the test split": 60,
    }


def test_classes_are_static_and_adaptive(
    table: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = _found(capsys, table, "--label", "same")["classification"]
    rows = found["results"]
    kinds = [(r["target"], r["knowledge"]) for r in rows]  # type: ignore[attr-defined]
    assert kinds == [
        ("original", "static"), ("released", "adaptive"), ("released", "static"),
    ]  # fmt: skip
    values = [r["accuracy"]["value"] for r in rows]  # type: ignore[attr-defined]
    assert values[0] == 1.0
    assert values[2] == 0.5
    assert found["train"] == found["test"] == 60


def test_people_get_tables(table: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code = run(
        ["evaluate", str(table), "--text", "s", "--text2", "t", "--released", "rs",
         "--released2", "rt", "--score", "near", "--label", "same"]
    )  # fmt: skip
    assert code == 0
    out = capsys.readouterr().out
    assert "Pearson" in out
    assert "largest class" in out
    assert "river" not in out


@pytest.mark.parametrize(
    "arguments", [["--text2", "t"], ["--score", "near"], [], ["--released2", "rt"]]
)
def test_half_a_pair_is_a_usage_error(table: Path, arguments: list[str]) -> None:
    assert run(["evaluate", str(table), "--released", "rs", *arguments]) == 2
