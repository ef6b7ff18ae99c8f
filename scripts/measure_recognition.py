"""Measure which writers are recognised after a release, for each kind of setting.

Usage: python scripts/measure_recognition.py DATA [NAME ...]

DATA is the file of the Reuters articles (columns text, author, split). Every setting of
``SETTINGS``, or those that are named, is released and attacked by the commands that a
user has; what they find goes into docs/measurements/recognition.json and, the same
bytes, into the package, where reports read it.
"""

import json
import os
import platform
import subprocess
import sys
import tempfile
from datetime import UTC, datetime
from pathlib import Path

from publius.assessment.deniability.explanation import explain
from publius.core.config import USUAL_EPSILON, WordSettings
from publius.materials.words.assemble import word_mechanism

ROOT = Path(__file__).parent.parent
PLACES = (
    ROOT / "docs" / "measurements" / "recognition.json",
    ROOT / "src" / "publius" / "reporting" / "recognition.json",
)
ATTACKS = ("ngram_svm", "word_svm")
SETTINGS = {
    "text-like": "--epsilon 2.75",
    "text-all-like": "--epsilon 2.75 --protect all",
    "bag-like": "--epsilon 2.75 --as bag",
    "bag-fixed-like": "--epsilon 2.75 --as bag --length 100",
    "text": "--metric hop --epsilon 4",
    "text-all": "--metric hop --epsilon 4 --protect all",
    "bag": "--metric hop --epsilon 4 --as bag",
    "bag-fixed": "--metric hop --epsilon 4 --as bag --length 100",
    "tf": "--epsilon 4 --as tf --length 100",
    "sentences": "--mechanism dp-vae --sigma 1",
    "sentences-fixed": "--mechanism dp-vae --sigma 1 --sentences 8",
}
NAMES = ("john", "mary", "smith", "london", "microsoft")


def main(data: str, chosen: list[str]) -> None:
    """Measure the chosen settings and write both files."""
    written = json.loads(PLACES[0].read_text()) if PLACES[0].is_file() else {}
    results = written.get("settings", {})
    for name in chosen or list(SETTINGS):
        results[name] = _measured(data, SETTINGS[name])
        print(name, json.dumps(results[name]), flush=True)
        _write(results)


def _write(results: dict[str, object]) -> None:
    about = {
        "corpus": "Reuters C50, 25 writers, 1,250 known and 1,250 attacked articles",
        "attack": "the best of ngram_svm and word_svm, adaptive and static",
        "command": "python scripts/measure_recognition.py DATA",
        **_now(),
        "machine": f"{platform.machine()}, {os.cpu_count()} cores",
        "stays": {"metric": "hop", "epsilon": 4.0, "words": _staying("hop", 4.0)},
        "stays_by_default": _staying("like", USUAL_EPSILON["like"]),
        "settings": {name: results[name] for name in SETTINGS if name in results},
    }
    text = json.dumps(about, indent=1, ensure_ascii=False) + "\n"
    for place in PLACES:
        place.write_text(text, "utf-8")


def _measured(data: str, options: str) -> dict[str, object]:
    with tempfile.TemporaryDirectory() as folder:
        out = f"{folder}/out"
        _publius("release", data, "--text", "text", "--format", "jsonl", "-o", out,
                 *options.split())  # fmt: skip
        said = _publius(
            "attack", data, "--text", "text", "--author", "author", "--released", out,
            "--split", "split", "--seed", "0", "--json",
            *(part for name in ATTACKS for part in ("--attack", name)),
        )  # fmt: skip
    rows = json.loads(said)["attacks"]
    before = _best([row for row in rows if row["target"] == "original"])
    after = _best([row for row in rows if row["target"] != "original"])
    return {"options": options, "untouched": before, "released": after, **_now()}


def _now() -> dict[str, str]:
    commit = _output("git", "rev-parse", "--short=12", "HEAD").strip()
    return {"commit": commit, "date": datetime.now(tz=UTC).date().isoformat()}


def _best(rows: list[dict[str, dict[str, dict[str, float]]]]) -> dict[str, object]:
    best = max(rows, key=lambda row: row["accuracy"]["value"])
    accuracy = best["accuracy"]
    shares = {key: round(accuracy[key], 4) for key in ("value", "low", "high")}
    by = {"attack": best["attack"], "attacker": best["knowledge"]}
    return {**shares, "n": accuracy["n"], **by, "chance": best["chance"]}


def _staying(metric: str, epsilon: float) -> dict[str, float]:
    """Return how often common names stay as they are, exactly."""
    settings = WordSettings(metric=metric, epsilon=epsilon)
    word_mechanism(settings)
    shares = {n: explain(n, settings, best=1).profile.unchanged[0] for n in NAMES}
    return {name: round(float(share), 4) for name, share in shares.items()}


def _publius(*words: str) -> str:
    return _output(
        sys.executable, "-c", "from publius.cli.frame import main; main()", *words
    )


def _output(*command: str) -> str:
    done = subprocess.run(command, check=True, capture_output=True, text=True, cwd=ROOT)
    return done.stdout


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
