"""Every verb returns what the ``--json`` of its command prints."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import publius as pb
from publius.cli.frame import run
from publius.core.json import finite
from publius.services.verb import Result

SMALL = {"vocabulary": 300, "epsilon": 3.0}
FLAGS = ("--vocabulary", "300", "--epsilon", "3")
LAW = [[0.75, 0.25], [0.25, 0.75]]
TEXT = "The city by the river."
SHOWN = {"calibrate", "certify", "compare", "explain", "release"}
"""Verbs whose result a person would rather look at."""

CASES: Mapping[str, tuple[tuple[str, ...], Callable[[Path], Result]]] = {
    "attack": (
        ("attack", "posts.csv", "--text", "body", "--author", "user", "--released",
         "out", "--attack", "delta", "--static", "--seed", "0"),
        lambda _: pb.attack("posts.csv", "user", "out", text="body", seed=0,
                            attacks=("delta",), knowledge="static"),
    ),
    "audit": (
        ("audit", "--channel", "law.csv", "--epsilon", "2"),
        lambda _: pb.audit(2.0, "law.csv"),
    ),
    "calibrate": (
        ("calibrate", *FLAGS), lambda _: pb.calibrate(grid=(), **SMALL),
    ),
    "certify": (("certify", *FLAGS), lambda _: pb.certify(**SMALL)),
    "compare": (
        ("compare", "posts.csv", "--text", "body", "--author", "user", "--mechanisms",
         "original,random", "--vocabulary", "300", "--workers", "1", "--seed", "0",
         "-o", "released"),
        lambda out: pb.compare("posts.csv", out, text="body", author="user", seed=0,
                               mechanisms=("original", "random"), vocabulary=300,
                               workers=1),
    ),
    "evaluate": (
        ("evaluate", "posts.csv", "--text", "body", "--label", "topic", "--released",
         "out", "--classifier", "svm", "--no-language-model", "--seed", "0"),
        lambda _: pb.evaluate("posts.csv", "out", "topic", text="body", read=0, seed=0,
                              classifiers=("svm",)),
    ),
    "explain": (("explain", "city", *FLAGS), lambda _: pb.explain("city", **SMALL)),
    "leakage": (("leakage", "law.csv"), lambda _: pb.leakage("law.csv")),
    "link": (
        ("linkage", "visits.csv", "--user", "who", "--released", "lat,lon",
         "--seed", "0"),
        lambda _: pb.link("visits.csv", "who", "lat,lon", seed=0),
    ),
    "release": (
        ("release", "posts.csv", "--text", "body", *FLAGS, "--seed", "1",
         "--workers", "1", "-o", "released"),
        lambda out: pb.release("posts.csv", "body", out=out, seed=1, **SMALL),
    ),
    "release_places": (
        ("places", "visits.csv", "--radius", "500m", "--seed", "1", "--workers", "1",
         "-o", "released"),
        lambda out: pb.release_places("visits.csv", 1.0, "500m", out=out, seed=1),
    ),
    "release_times": (
        ("times", "visits.csv", "--column", "wake", "--seed", "1", "--workers", "1",
         "-o", "released"),
        lambda out: pb.release_times("visits.csv", "wake", 1.0, "30min", out=out,
                                     seed=1),
    ),
    "try_text": (
        ("try", TEXT, *FLAGS, "--seed", "1"),
        lambda _: pb.try_text(TEXT, seed=1, **SMALL),
    ),
}  # fmt: skip
"""Of every verb: its command, and the same call; both write the same folder."""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Work in a folder with texts of two writers, two people's visits and a law."""
    monkeypatch.chdir(tmp_path)
    texts = [f"the old house by the river number {i}" for i in range(8)]
    texts += [f"we play football every single day {i}" for i in range(8)]
    users, topics = ["ann"] * 8 + ["bob"] * 8, ["x", "y"] * 8
    posts = {"body": texts, "out": texts, "user": users, "topic": topics}
    pd.DataFrame(posts).to_csv("posts.csv", index=False)
    visits = {
        "lat": np.tile(np.arange(6.0), 2),
        "lon": np.repeat([0.0, 50.0], 6),
        "who": np.repeat(["a", "b"], 6),
        "wake": ["06:30"] * 12,
    }
    pd.DataFrame(visits).to_csv("visits.csv", index=False)
    np.savetxt("law.csv", LAW, delimiter=",")


def untimed(value: dict[str, object]) -> dict[str, object]:
    """Leave out how long the cells of a comparison took."""
    rows = value.get("rows")
    for row in rows if isinstance(rows, list) else ():
        row.pop("seconds", None)
    return value


@pytest.mark.parametrize("name", CASES)
def test_a_verb_returns_what_its_command_prints(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments, call = CASES[name]
    assert run([*arguments, "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    out = Path("released")
    if out.exists():
        out.rename("printed")
    result = call(out)
    returned = json.loads(json.dumps(finite(result.to_json())))
    assert untimed(returned) == untimed(printed)
    assert len(repr(result)) < 120
    assert "river" not in repr(result)
    if name in SHOWN:
        assert result._repr_html_().startswith("<table>")  # type: ignore[attr-defined]
