"""Measure topic, rating and author after retelling, by attackers who read the releases.

    python scripts/measure_retelling.py FOLDER OUT.json [--arms passage:3,passage:3:0]
        [--corpora posts,critics] [--texts N] [--device cuda] [--draws N]

FOLDER holds topic/ and authorship/ as scripts/measure_like.py reads them. Texts are cut
to 160 words (posts to 6,000 characters). Attackers are linear SVMs on words and on
character 3-grams, taught on originals or on releases; the best one counts. An arm is
order, ε and, where it is not the default, how strongly released words are favoured. A
text that stands in several tables is retold once per arm and draw.
"""

import argparse
import json
import os
import platform
import subprocess
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import numpy as np

from measure_like import Rows, accuracy, posts, read, reviews
from publius.core.rng import seeded
from publius.retelling.assemble import retelling_of
from publius.retelling.retelling import Retelling
from publius.retelling.settings import RetellSettings

AUTHORS = {
    "c50": ("c50_shared", 30, 20),
    "imdb62": ("imdb62_shared", 50, 25),
    "enron": ("pan11_enron_small", 60, 25),
    "blogs": ("blog_shared", 30, 15),
}
"""Corpus → file, known and asked texts of each author."""
WORDS, FEWEST = 160, 8
BLOCK = 200


def writers(folder: Path, name: str) -> Rows:
    """Return texts of every author of a corpus, cut."""
    file, *counts = AUTHORS[name]
    rows, rng = read(folder / "authorship" / f"{file}.jsonl.gz"), seeded(0)
    chosen: Rows = []
    for author in sorted({row["author"] for row in rows}):
        own = [
            row
            for row in rows
            if row["author"] == author and len(row["text"].split()) >= FEWEST
        ]
        for split, count in zip(("train", "test"), counts, strict=True):
            part = [r for r in own if (r["split"] == "train") == (split == "train")]
            for place in rng.permutation(len(part))[:count]:
                text = " ".join(part[place]["text"].split()[:WORDS])
                chosen.append({"text": text, "author": author, "split": split})
    return chosen


def corpora(folder: Path) -> dict[str, tuple[Rows, str]]:
    """Return rows and the label that an analyst wants, empty where there is none."""
    busy, everybody = posts(folder)
    return {
        "posts: topic": (everybody, "topic"),
        "posts: author": (busy, "author"),
        "critics: rating": (reviews(folder), "label3"),
        "critics: author": (reviews(folder), "author"),
    } | {f"{name}: author": (writers(folder, name), "author") for name in AUTHORS}


def thinned(rows: Rows, most: int | None) -> Rows:
    if most is None or len(rows) <= most:
        return rows
    return [rows[i] for i in np.sort(seeded(1).permutation(len(rows))[:most])]


def measured(
    tables: dict[str, tuple[Rows, str]], retelling: Retelling, draw: int
) -> dict[str, dict[str, float]]:
    """Retell each text once and return the best attacker on each table."""
    texts = list(dict.fromkeys(r["text"] for rows, _ in tables.values() for r in rows))
    retold: dict[str, str] = {}
    for start in range(0, len(texts), BLOCK):
        part = texts[start : start + BLOCK]
        stream = seeded(1000 * start + draw)
        retold |= zip(part, retelling.release(part, stream).texts, strict=True)
        print(f"{min(start + BLOCK, len(texts))} of {len(texts)}", flush=True)
    results = {}
    for name, (rows, label) in tables.items():
        own = [row["text"] for row in rows]
        sources = {"released": [retold[text] for text in own], "original": own}
        kinds = ("word", "char") if label == "author" else ("word",)
        results[name] = accuracy(rows, sources, label, kinds)
    return results


def about() -> dict[str, object]:
    """Return when, where and on which commit this was measured."""
    commit = subprocess.run(
        ["git", "rev-parse", "--short=12", "HEAD"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout.strip()
    return {
        "commit": commit,
        "date": datetime.now(tz=UTC).date().isoformat(),
        "machine": f"{platform.machine()}, {os.cpu_count()} cores",
    }


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--arms", default="passage:3,passage:4,shuffle:3")
    parser.add_argument("--corpora", default="posts,critics,c50,imdb62,enron,blogs")
    parser.add_argument("--texts", type=int)
    parser.add_argument("--device", default="auto")
    parser.add_argument("--draws", type=int, default=1)
    asked = parser.parse_args()
    tables = {
        name: (thinned(rows, asked.texts), label)
        for name, (rows, label) in corpora(asked.folder).items()
        if name.partition(":")[0] in asked.corpora.split(",")
    }
    arms: dict[str, list[object]] = {}
    for arm in asked.arms.split(","):
        order, epsilon, *favour = arm.split(":")
        settings = RetellSettings(
            order=order,
            epsilon=float(epsilon),
            device=asked.device,
        )
        if favour:
            settings = replace(settings, use_words=float(favour[0]))
        retelling = retelling_of(settings)
        arms[arm] = [measured(tables, retelling, i) for i in range(asked.draws)]
        print(arm, json.dumps(arms[arm]), flush=True)
        asked.out.write_text(json.dumps(about() | {"arms": arms}, indent=1) + "\n")


if __name__ == "__main__":
    main()
