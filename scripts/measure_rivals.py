"""Prepare and measure the large study of the rivals; texts are written in between.

    python scripts/measure_rivals.py prepare DATA BUNDLE.npz [DRAWS]
    python scripts/measure_rivals.py rewrite DATA VAE.json
    python scripts/generate_rivals.py BUNDLE.npz MODEL.gguf OUT.json.gz [ADAPTER]
    python scripts/measure_rivals.py measure DATA BUNDLE.npz RESULT.json [OUT VAE ...]

DATA holds topic/20ng_12groups.jsonl.gz and authorship/movie_scale_4authors.jsonl.gz.
The bundle holds secret texts as pieces and belongs beside them, not into a repository.
"""

import gzip
import json
import sys
import time
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import torch

from publius.assessment.rivals.asking import (
    ContextReplacement,
    PriorReplacement,
    PromptedParaphrase,
)
from publius.assessment.rivals.contest import (
    Entry,
    Ground,
    entries,
    of_a_text,
    sentence_entry,
)
from publius.assessment.rivals.measure import perplexity
from publius.assessment.rivals.slots import FREE, Script
from publius.core.config import WordSettings
from publius.core.rng import seeded
from publius.embeddings.space_spec import LIKE
from publius.language.models.causal import load_language_model
from publius.language.models.causal.byte_pairs import BytePairs
from publius.materials.words.assemble import word_mechanism
from publius.papers.experiment import Request
from publius.papers.rivals.corpora import Corpus, critics, newsgroups
from publius.papers.rivals.judging import Judges, judged, neural_risk
from publius.retelling.assemble import PIECES_OF_A_WORD
from publius.retelling.prompt import prompt_of
from publius.retelling.retelling import Cut, Retelling
from publius.retelling.writer import END_OF_TEXT, END_OF_TURN

RETOLD = (3.0, 4.0)
PASSAGE = 16
READ = 24
"""Test texts that the encoder and, where nothing else did, SmolLM2 read."""
KEPT = ("name", "draw", "loss", "covers")
Arrays = dict[str, np.ndarray]


def put(arrays: Arrays, key: str, scripts: list[Script]) -> None:
    """Keep scripts as flat arrays with counts."""
    for name, rows in (
        ("prompt", [script.prompt for script in scripts]),
        ("slots", [script.slots for script in scripts]),
    ):
        arrays[f"{key}_{name}"] = np.array(
            [piece for row in rows for piece in row], dtype=np.int32
        )
        arrays[f"{key}_{name}_counts"] = np.array([len(row) for row in rows])


def job(entry: Entry, arrays: Arrays) -> dict[str, object]:
    """Return the law of a rival for the machine that writes."""
    asking = entry.asking
    match asking:
        case PromptedParaphrase(law=law):
            kind, facts = "clipped", {"temperature": law.temperature}
        case ContextReplacement(law=law):
            kind, facts = "clipped-words", {"temperature": law.temperature}
        case PriorReplacement(law=law):
            kind, facts = "prior", {"rate": law.rate, "base": f"base{law.rate:g}"}
            arrays[f"base{law.rate:g}"] = law.base
        case None:
            return {"kind": "given"}
    return {"kind": kind, "width": law.width, "ends": list(asking.ends), **facts}


def retold(
    ground: Ground, texts: list[str], epsilon: float, draw: int
) -> tuple[list[Script], np.ndarray, float]:
    """Return the prompts of a retelling and whose passage each is."""
    mechanism = word_mechanism(WordSettings(metric=LIKE, epsilon=epsilon))
    source = Retelling(
        ground.embedding, ground.table, mechanism, None, Cut("shuffle", PASSAGE)
    )
    passages = source.draw(texts, seeded(900 + draw))
    scripts, owner = [], []
    for place, own in enumerate(passages):
        for words in own:
            asked = ground.tokenizer.encode(prompt_of(words, epsilon, "shuffle"))
            slots = (FREE,) * (PASSAGE * PIECES_OF_A_WORD)
            scripts.append(Script((END_OF_TEXT, *asked), slots))
            owner.append(place)
    return scripts, np.array(owner), of_a_text(mechanism.guarantee())


def ends_of(tokenizer: BytePairs) -> list[int]:
    return [END_OF_TEXT, END_OF_TURN, *tokenizer.encode("\n")]


def corpora(folder: str) -> list[Corpus]:
    request = Request(Path(folder))
    return [newsgroups(request), critics(request)]


def prepare(folder: str, out: str, draws: str = "2") -> None:
    torch.set_num_threads(1)
    ground = Ground(load_language_model().tokenizer)
    texts = [text for corpus in corpora(folder) for text in corpus.texts]
    words = ground.language.lexicon
    arrays: Arrays = {
        "pieces": words.pieces.astype(np.int32),
        "distances": words.distances.astype(np.uint8),
    }
    runs: list[dict[str, object]] = []
    began = time.time()
    mechanism = word_mechanism(WordSettings(metric=LIKE, epsilon=RETOLD[0]))
    rivals = entries(ground, of_a_text(mechanism.guarantee()))
    print(f"{time.time() - began:.0f} s: laws ready", flush=True)
    for draw in range(int(draws)):
        for epsilon in RETOLD:
            key = f"retold{epsilon:g}_{draw}"
            scripts, owner, loss = retold(ground, texts, epsilon, draw)
            put(arrays, key, scripts)
            arrays[f"{key}_owner"] = owner
            name = f"retelling, like, ε = {epsilon:g}, shuffled"
            runs.append(
                {"name": name, "draw": draw, "rows": key, "kind": "nucleus",
                 "temperature": 0.5, "share": 0.95, "adapter": True, "loss": loss,
                 "ends": ends_of(ground.tokenizer), "texts": len(texts)}
            )  # fmt: skip
        for number, entry in enumerate(rivals):
            if entry.name == "DP-VAE" or (draw and entry.name == "untouched"):
                continue
            if entry.asking is not None:
                # What is asked does not depend on the draw, nor on the law.
                key = type(entry.asking).__name__
                if f"{key}_slots" not in arrays:
                    put(arrays, key, entry.asking.scripts(texts))
            else:
                key = f"given{number}_{draw}"
                released = entry.release(texts, seeded(100 * draw + number))
                encode = ground.tokenizer.encode
                rows = [Script((END_OF_TEXT,), tuple(encode(t))) for t in released]
                put(arrays, key, rows)
            runs.append(
                {"name": entry.key, "draw": draw, "rows": key, "loss": entry.loss,
                 "covers": entry.covers, "texts": len(texts), **job(entry, arrays)}
            )  # fmt: skip
            print(f"{time.time() - began:.0f} s {entry.key}", flush=True)
    for run in runs:
        run["loss"] = float(run["loss"]) if np.isfinite(run["loss"]) else None
    arrays["runs"] = np.frombuffer(json.dumps(runs).encode(), dtype=np.uint8)
    np.savez_compressed(out, **arrays)


def rewrite(folder: str, out: str) -> None:
    """Let the autoencoder write one draw; it needs no other language model."""
    torch.set_num_threads(1)
    texts = [text for corpus in corpora(folder) for text in corpus.texts]
    mechanism = word_mechanism(WordSettings(metric=LIKE, epsilon=RETOLD[0]))
    entry = sentence_entry(of_a_text(mechanism.guarantee()))
    rng, released = seeded(7), []
    for start in range(0, len(texts), 64):
        released += entry.release(texts[start : start + 64], rng)
        print(len(released), flush=True)
    run = {"name": entry.key, "loss": entry.loss, "covers": entry.covers}
    draws = {f"{entry.key}#0": {"texts": released, "run": run}}
    Path(out).write_text(json.dumps(draws), "utf-8")


def texts_of(
    bundle: str, paths: list[str]
) -> list[tuple[dict, list[str], list | None]]:
    """Return runs with texts and, where it was read, the surprise of each."""
    arrays = dict(np.load(bundle))
    decode = load_language_model().tokenizer.decode
    written: dict[str, dict] = {}
    for path in paths:
        opener = gzip.open if path.endswith(".gz") else Path.open
        with opener(Path(path), "rt") as file:
            written |= json.load(file)
    runs = []
    for run in json.loads(arrays["runs"].tobytes()):
        own = written.pop(f"{run['name']}#{run['draw']}", None)
        if own is not None:
            runs.append((run, own["texts"], own["surprise"]))
        elif run["kind"] == "given":
            flat, counts = (
                arrays[f"{run['rows']}_slots{end}"] for end in ("", "_counts")
            )
            edges = np.concatenate(([0], np.cumsum(counts))).tolist()
            texts = [decode(flat[a:b].tolist()) for a, b in pairwise(edges)]
            runs.append((run, texts, None))
    runs += [
        ({**own["run"], "draw": 0}, own["texts"], None) for own in written.values()
    ]
    return runs


def measure(folder: str, bundle: str, out: str, *paths: str) -> None:
    """Measure what was written, row by row; RESULT holds figures only."""
    torch.set_num_threads(1)
    judges = Judges.here(READ)
    rows = json.loads(Path(out).read_text("utf-8")) if Path(out).is_file() else []
    done = {(row["corpus"], row["name"], row["draw"]) for row in rows}
    runs = sorted(texts_of(bundle, list(paths)), key=lambda one: one[0]["draw"])
    known = corpora(folder)
    edges = np.cumsum([0, *(len(corpus.texts) for corpus in known)]).tolist()
    for run, texts, surprise in runs:
        for corpus, (a, b) in zip(known, pairwise(edges), strict=True):
            if (corpus.name, run["name"], run["draw"]) in done:
                continue
            rng = np.random.default_rng(run["draw"])
            own = texts[a:b]
            using = judges if surprise is None else replace(judges, writer=None)
            row = {"corpus": corpus.name, **{k: run.get(k) for k in KEPT}}
            row |= judged(corpus, own, using, rng)
            if surprise is not None:
                asked = np.flatnonzero(~corpus.is_known).tolist()
                read = [surprise[a + i] for i in asked]
                values = np.array(read, dtype=np.float64)
                row["perplexity, SmolLM2"] = perplexity(values)
                row["read by SmolLM2"] = len(values)
            if corpus.use == "rating" and judges.encode is not None:
                row |= neural_risk(corpus, own, judges.encode, rng)
            rows.append(row)
            print(corpus.name, run["name"], run["draw"], row["author"], flush=True)
            Path(out).write_text(
                json.dumps(rows, indent=1, ensure_ascii=False), "utf-8"
            )


if __name__ == "__main__":
    stages = {"prepare": prepare, "rewrite": rewrite, "measure": measure}
    stages[sys.argv[1]](*sys.argv[2:])
