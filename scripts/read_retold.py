"""Read retold passages beside their originals: likeness, reading, negations, numbers.

    python scripts/read_retold.py FOLDER WORK OUT.json [PASSAGES]

WORK holds words and texts of ``scripts/measure_retelling.py`` and ``write_retold.py``.
PASSAGES (150) of each corpus are encoded by MiniLM, from orders that leave passages
where they were; whole reviews are encoded for all orders. 2,000 passages are read by
the trigrams, which took no part in writing, and tested for negations and numbers.
"""

import json
import re
import sys
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import numpy as np

from measure_retelling import about, corpora, distinct, load
from publius.core.arrays import FloatArray
from publius.core.rng import seeded
from publius.language.models.encoder import load_encoder
from publius.language.models.trigrams import load_trigrams
from publius.language.tokenizer import Tokenizer, fold
from publius.retelling.content import DROPPED
from publius.retelling.writer import share_used

LENGTH, READ, REVIEWS = 16, 2000, 150
NEGATION = re.compile(
    r"\b(?:not|no|never|cannot|nothing|nobody|none|nor|neither|without)\b|n't\b"
)
NUMBER = re.compile(r"\d+")


def cut(text: str) -> list[str]:
    """Return the stretches of a text that its passages were drawn from."""
    parts, edges, count = Tokenizer().split(text.lower()), list[int](), 0
    for place in range(1, len(parts), 2):
        if fold(parts[place]) not in DROPPED:
            if count % LENGTH == 0:
                edges.append(place)
            count += 1
    return ["".join(parts[a:b]).strip() for a, b in pairwise([*edges, len(parts)])]


def shares(hits: Sequence[bool]) -> list[float]:
    """Return a share with its 95 % interval by Wilson."""
    n, p, z = len(hits), float(np.mean(hits)), 1.96
    middle = (p + z * z / (2 * n)) / (1 + z * z / n)
    half = z * np.sqrt(p * (1 - p) / n + z * z / (4 * n * n)) / (1 + z * z / n)
    return [round(x, 4) for x in (p, middle - half, middle + half)] + [n]


def cosines(one: Sequence[str], other: Sequence[str]) -> dict[str, object]:
    """Return the mean likeness of texts, its half-width, and that to another text."""
    encode = load_encoder()
    a, b = (_unit(encode(list(texts))) for texts in (one, other))
    own, others = (a * b).sum(axis=1), (a * np.roll(b, 1, axis=0)).sum(axis=1)
    half = 1.96 * own.std() / np.sqrt(len(own))
    told = {"cosine": own.mean(), "half": half, "other": others.mean()}
    return {name: round(float(value), 4) for name, value in told.items()} | {
        "n": len(own)
    }


def _unit(rows: FloatArray) -> FloatArray:
    unit: FloatArray = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    return unit


def perplexity(texts: Sequence[str]) -> list[float]:
    """Return the median-free mean perplexity by trigrams, with its interval."""
    surprise = load_trigrams().surprise(texts)
    surprise = surprise[np.isfinite(surprise)]
    half = 1.96 * surprise.std() / np.sqrt(len(surprise))
    return [round(float(np.exp(surprise.mean() + x)), 1) for x in (0, -half, half)]


def main(folder: str, work: str, out: str, count: str = "150") -> None:
    tables = corpora(Path(folder))
    texts, rng = distinct(tables), seeded(0)
    own = {
        name: {row["text"] for row in tables[table][0]}
        for name, table in (("posts", "posts: topic"), ("critics", "critics: rating"))
    }
    made = about() | {"arms": {}}
    for source in sorted(Path(work).glob("*.texts.json.gz")):
        name = source.name.removesuffix(".texts.json.gz")
        written, drawn = load(source), load(source.with_name(f"{name}.words.json.gz"))
        arm = made["arms"][name] = {}  # type: ignore[index]
        for corpus, inside in own.items():
            rows = [
                (before, " ".join(words), after, words)
                for text, passages, told in zip(texts, drawn, written, strict=True)
                if text in inside
                for before, words, after in zip(cut(text), passages, told, strict=True)
                if len(words) == LENGTH
            ]
            few = [rows[i] for i in rng.permutation(len(rows))[:READ].tolist()]
            before, words, after, _ = zip(*few, strict=True)
            told = arm[corpus] = {
                "used": round(float(np.mean([share_used(r[3], r[2]) for r in few])), 4),
                "perplexity": perplexity(after),
                "perplexity of originals": perplexity(before),
            }
            # In its own place a passage can be held beside its original.
            if not name.startswith("shuffle"):
                some = slice(int(count))
                told["passages"] = cosines(before[some], after[some])
                told["words in a line"] = cosines(before[some], words[some])
                is_no = [[bool(NEGATION.search(t.lower())) for t in side]
                         for side in (before, after)]  # fmt: skip
                told["flipped"] = shares([a != b for a, b in zip(*is_no, strict=True)])
            told["numbers that were not drawn"] = shares(
                [
                    bool(set(NUMBER.findall(r[2])) - set(NUMBER.findall(r[1])))
                    for r in few
                ]
            )
        whole = [(t, " ".join(w)) for t, w in zip(texts, written, strict=True)
                 if t in own["critics"]]  # fmt: skip
        chosen = [whole[i] for i in seeded(1).permutation(len(whole))[:REVIEWS]]
        one, other = zip(*chosen, strict=True)
        arm["whole reviews"] = cosines(one, other)
        print(name, json.dumps(arm), flush=True)
        Path(out).write_text(json.dumps(made, indent=1) + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
