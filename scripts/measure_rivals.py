"""Prepare and measure the study of the rivals; texts are written in between.

    python scripts/measure_rivals.py prepare DATA BUNDLE.npz
    python scripts/generate_rivals.py BUNDLE.npz MODEL.gguf OUT.json.gz
    python scripts/measure_rivals.py release DATA GIVEN.json.gz TEXTS [RIVAL]
    python scripts/measure_rivals.py measure DATA BUNDLE.npz RESULT.json 0/1 FILE …

DATA holds topic/20ng_12groups.jsonl.gz and authorship/movie_scale_4authors.jsonl.gz.
Texts stand in one order, corpora mixed: the sample is what all rivals that ask the
language model have finished in the files OUT; the others release the first so many
texts (`release`; all of them, or one), and every row is measured on the sample.
``0/1`` is one process's share of the rows. The bundle and the files of texts hold
secrets and belong beside the data, not into a repository; RESULT holds figures only.
"""

import gzip
import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import torch
from torch.nn import functional

from generate_rivals import TAKEN, Llama
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
)
from publius.assessment.rivals.slots import Script
from publius.core.arrays import FloatArray
from publius.core.config import WordSettings
from publius.core.rng import seeded
from publius.embeddings.space_spec import LIKE
from publius.language.models.causal import load_language_model
from publius.materials.words.assemble import word_mechanism
from publius.papers.experiment import Request
from publius.papers.rivals.corpora import Corpus, critics, newsgroups
from publius.papers.rivals.judging import Judges, Reading, judged, neural_risk
from publius.papers.rivals.table import retold_entries

RETOLD = (3.0, 4.0)
READ = 40
"""Test texts of a corpus that the encoder and SmolLM2 read."""
TOGETHER = 32
POSTS, OTHERS, REVIEWS = (14, 12), (80, 60), (240, 180)
"""Texts to learn from and to attack: of each busy author, of others, of critics."""
KEPT = ("name", "draw", "loss", "covers")
Arrays = dict[str, np.ndarray]
Written = dict[str, dict[str, str]]


def study(folder: str) -> tuple[list[Corpus], np.ndarray]:
    """Return the corpora, and the order in which their texts are written."""
    request = Request(Path(folder))
    posts, reviews = newsgroups(request), critics(request)
    rows = [
        place
        for author in range(int(posts.authors.max()) + 1)
        for place in _some(posts, posts.authors == author, POSTS)
    ]
    rows += _some(posts, posts.authors < 0, OTHERS)
    every = np.ones(len(reviews.texts), dtype=bool)
    small = [
        posts.only(np.array(rows)),
        reviews.only(np.array(_some(reviews, every, REVIEWS))),
    ]
    order = np.random.default_rng(0).permutation(sum(len(c.texts) for c in small))
    return small, order


def _some(corpus: Corpus, own: np.ndarray, most: tuple[int, int]) -> list[int]:
    rows: list[int] = []
    for side, count in zip((True, False), most, strict=True):
        here = np.flatnonzero(own & (corpus.is_known == side))
        rows += np.random.default_rng(1).permutation(here)[:count].tolist()
    return rows


def texts_in_order(folder: str) -> list[str]:
    corpora, order = study(folder)
    texts = [text for corpus in corpora for text in corpus.texts]
    return [texts[i] for i in order.tolist()]


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
            return {"kind": "given", "rows": ""}
    return {"kind": kind, "width": law.width, "ends": list(asking.ends),
            "rows": type(asking).__name__, **facts}  # fmt: skip


def everybody(ground: Ground) -> list[Entry]:
    """Return the rivals and the retellings."""
    mechanism = word_mechanism(WordSettings(metric=LIKE, epsilon=RETOLD[0]))
    rivals = entries(ground, of_a_text(mechanism.guarantee()))
    return [*rivals, *retold_entries(RETOLD)[0]]


def prepare(folder: str, out: str) -> None:
    ground = Ground(load_language_model().tokenizer)
    texts, words = texts_in_order(folder), ground.language.lexicon
    arrays: Arrays = {
        "pieces": words.pieces.astype(np.int32),
        "distances": words.distances.astype(np.uint8),
    }
    runs: list[dict[str, object]] = []
    for entry in everybody(ground):
        run = job(entry, arrays)
        if entry.asking is not None and f"{run['rows']}_slots" not in arrays:
            put(arrays, str(run["rows"]), entry.asking.scripts(texts))
        loss = float(entry.loss) if np.isfinite(entry.loss) else None
        facts = {"name": entry.key, "draw": 0, "loss": loss, "covers": entry.covers}
        runs.append({**facts, "texts": len(texts), **run})
        print(entry.key, loss, flush=True)
    arrays["runs"] = np.frombuffer(json.dumps(runs).encode(), dtype=np.uint8)
    np.savez_compressed(out, **arrays)


def runs_of(bundle: str) -> list[dict]:
    return json.loads(np.load(bundle)["runs"].tobytes())


def read_texts(paths: Sequence[str]) -> Written:
    """Return what stands in files of texts, by rival and place."""
    written: Written = {}
    for path in paths:
        with gzip.open(path, "rt") as file:
            for name, own in json.load(file).items():
                written.setdefault(name, {}).update(own)
    return written


def finished(bundle: str, written: Written) -> list[int]:
    """Return the places that every rival asked of a language model has written."""
    asked = [r for r in runs_of(bundle) if r["kind"] != "given"]
    done = [set(written.get(f"{r['name']}#{r['draw']}", {})) for r in asked]
    return sorted(int(place) for place in set.intersection(*done))


def release(folder: str, out: str, count: str, rival: str = "") -> None:
    """Let the rivals that ask no language model release the first texts."""
    torch.set_num_threads(1)
    ground = Ground(load_language_model().tokenizer)
    texts = texts_in_order(folder)[: int(count)]
    written = read_texts([out]) if Path(out).is_file() else {}
    for number, entry in enumerate(everybody(ground)):
        if entry.release is None or not entry.name.startswith(rival):
            continue
        own = written.setdefault(f"{entry.key}#0", {})
        for start in range(len(own), len(texts), TAKEN):
            part = texts[start : start + TAKEN]
            done = entry.release(part, seeded(10_000 * number + start))
            own |= {str(start + i): text for i, text in enumerate(done)}
            with gzip.open(out, "wt") as file:
                json.dump(written, file)
            print(entry.key, len(own), flush=True)


def sampled(
    folder: str, rows: Sequence[int], own: Mapping[str, str]
) -> list[tuple[Corpus, list[str]]]:
    """Return the corpora with the finished texts only, and a release of them."""
    corpora, order = study(folder)
    edges = np.cumsum([0, *(len(corpus.texts) for corpus in corpora)]).tolist()
    place = {int(order[i]): i for i in rows}
    parts = []
    for corpus, (a, b) in zip(corpora, pairwise(edges), strict=True):
        here = [i for i in range(a, b) if i in place]
        small = corpus.only(np.array(here) - a)
        sides = [set(small.authors[small.is_known == side]) for side in (True, False)]
        both = np.array(sorted(sides[0] & sides[1]))
        alone = ~np.isin(small.authors, both)
        authors = np.where(alone, -1, small.authors)
        if (authors >= 0).any():
            authors[authors >= 0] = np.unique(
                authors[authors >= 0], return_inverse=True
            )[1]
        small = replace(small, authors=authors)
        parts.append((small, [own[str(place[i])] for i in here]))
    return parts


def surprise_by(model: Llama) -> Reading:
    """Return the mean surprise of texts under a model in 16-bit numbers."""
    encode = load_language_model().tokenizer.encode

    @torch.inference_mode()
    def surprise(texts: Sequence[str]) -> FloatArray:
        pieces = [[0, *encode(text)] for text in texts]
        losses = np.full(len(texts), np.nan)
        order = sorted(range(len(texts)), key=lambda i: len(pieces[i]))
        for start in range(0, len(order), TOGETHER):
            part = order[start : start + TOGETHER]
            hidden = model.read([pieces[i][:-1] for i in part])
            for i, rows in zip(part, hidden, strict=True):
                if len(pieces[i]) > 1:
                    scores = model.scores(rows[: len(pieces[i]) - 1])
                    truth = torch.tensor(pieces[i][1:])
                    losses[i] = float(functional.cross_entropy(scores, truth))
        return losses

    return surprise


def remembered(encode: Reading) -> Reading:
    """Encode every text once: originals stand beside each release of them."""
    known: dict[str, np.ndarray] = {}

    def encoded(texts: Sequence[str]) -> FloatArray:
        new = [text for text in dict.fromkeys(texts) if text not in known]
        if new:
            known.update(zip(new, encode(new), strict=True))
        return np.stack([known[text] for text in texts])

    return encoded


def measure(folder: str, bundle: str, out: str, share: str, *paths: str) -> None:
    """Measure what was written, row by row; RESULT holds figures only."""
    torch.set_num_threads(1)
    model = load_language_model()
    judges = Judges.here(READ)
    judges = replace(
        judges,
        encode=None if judges.encode is None else remembered(judges.encode),
        writer=surprise_by(Llama(model.weights, model.shape, "cpu")),
    )
    rows = json.loads(Path(out).read_text("utf-8")) if Path(out).is_file() else []
    done = {(row["corpus"], row["name"], row["draw"]) for row in rows}
    written = read_texts(paths)
    sample = finished(bundle, written)
    part, parts = map(int, share.split("/"))
    for run in runs_of(bundle)[part::parts]:
        own = written.get(f"{run['name']}#{run['draw']}", {})
        if not set(map(str, sample)) <= set(own):
            continue
        for corpus, texts in sampled(folder, sample, own):
            if (corpus.name, run["name"], run["draw"]) in done:
                continue
            rng = np.random.default_rng(run["draw"])
            row = {"corpus": corpus.name, **{k: run.get(k) for k in KEPT}}
            row |= {"texts": len(texts), "asked": int((~corpus.is_known).sum())}
            row["attacked"] = int(((corpus.authors >= 0) & ~corpus.is_known).sum())
            row |= judged(corpus, texts, judges, rng)
            if corpus.use == "rating" and judges.encode is not None:
                row |= neural_risk(corpus, texts, judges.encode, rng)
            rows.append(row)
            print(corpus.name, run["name"], row["author"], flush=True)
            Path(out).write_text(
                json.dumps(rows, indent=1, ensure_ascii=False), "utf-8"
            )


if __name__ == "__main__":
    stages = {"prepare": prepare, "release": release, "measure": measure}
    stages[sys.argv[1]](*sys.argv[2:])
