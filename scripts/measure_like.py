"""Measure topic, author and rating after releases on the metrics hop and like.

    python scripts/measure_like.py FOLDER [DRAWS]

FOLDER holds topic/20ng_12groups.jsonl.gz and authorship/movie_scale_4authors.jsonl.gz.
Attackers are linear SVMs on words and on character 3-grams, taught on originals or on
releases; the best one counts, as it does for an attacker. Results go to
docs/measurements/like.json after every arm.
"""

import gzip
import json
import os
import platform
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.svm import LinearSVC

from publius.core.config import WordSettings
from publius.core.rng import seeded
from publius.language.frequency import public_prior
from publius.language.models.causal import load_language_model
from publius.language.models.encoder import load_encoder
from publius.materials.words.assemble import sanitizer, word_mechanism
from publius.retelling.content import content_ids

PLACE = Path(__file__).parents[1] / "docs" / "measurements" / "like.json"
ARMS: dict[str, tuple[str, float, str]] = {
    "hop 4 text": ("", 4.0, "text"),
    "like 2.75 text": ("like", 2.75, "text"),
    "like 3 text": ("like", 3.0, "text"),
    "like 4 text": ("like", 4.0, "text"),
    "like 3 words": ("like", 3.0, "words"),
    "like 4 words": ("like", 4.0, "words"),
}
"""Name → metric, ε, whole texts or content words alone, in the order of the alphabet:
what any writer of a shuffled retelling is given."""
POSTS, OTHER_POSTS, CHARACTERS = 20, 1300, 6000
REVIEWS, REVIEW_WORDS = (900, 500), 160
SENTENCES = 150
Rows = list[dict[str, str]]


def read(path: Path) -> Rows:
    with gzip.open(path, "rt") as lines:
        return [json.loads(line) for line in lines]


def posts(folder: Path) -> tuple[Rows, Rows]:
    """Return posts of busy authors, and these with others for the topic."""
    rows = [
        {**row, "text": row["text_clean"][:CHARACTERS]}
        for row in read(folder / "topic" / "20ng_12groups.jsonl.gz")
        if row["text_clean"].strip()
    ]
    count = Counter(row["author"] for row in rows)
    busy = [row for row in rows if count[row["author"]] >= POSTS]
    rest = [row for row in rows if count[row["author"]] < POSTS]
    order = np.random.default_rng(0).permutation(len(rest))[:OTHER_POSTS]
    return busy, busy + [rest[i] for i in order]


def reviews(folder: Path) -> Rows:
    rows = read(folder / "authorship" / "movie_scale_4authors.jsonl.gz")
    order = np.random.default_rng(0).permutation(len(rows))
    chosen: Rows = []
    for split, most in zip(("train", "test"), REVIEWS, strict=True):
        own = [rows[i] for i in order if rows[i]["split"] == split][:most]
        chosen += [
            {**row, "text": " ".join(row["text"].split()[:REVIEW_WORDS])} for row in own
        ]
    return chosen


def release(texts: list[str], arm: str, draw: int) -> list[str]:
    metric, epsilon, form = ARMS[arm]
    settings = WordSettings(metric=metric, epsilon=epsilon)
    rng = seeded(100 + draw)
    if form == "text":
        return sanitizer(settings).release(texts, rng).texts
    cleaner = sanitizer(settings)
    ids, counts = content_ids(texts, cleaner.embedding.vocabulary)
    drawn = cleaner.mechanism.perturb(ids, rng)
    words, made, start = cleaner.embedding.vocabulary.words, [], 0
    for count in counts.tolist():
        own = drawn[start : start + count].tolist()
        made.append(" ".join(sorted(words[i] for i in own)))
        start += count
    return made


def accuracy(
    rows: Rows, texts: dict[str, list[str]], label: str, kinds: tuple[str, ...]
) -> dict[str, float]:
    """Return the best attacker's accuracy and its 95 % interval."""
    known = [i for i, row in enumerate(rows) if row["split"] == "train"]
    asked = [i for i, row in enumerate(rows) if row["split"] != "train"]
    wanted = np.array([str(rows[i][label]) for i in asked])
    best = 0.0
    for source in texts.values():
        for kind in kinds:
            maker: Callable[..., TfidfVectorizer] = TfidfVectorizer
            table = maker(sublinear_tf=True, min_df=2)
            if kind == "char":
                table = maker(
                    analyzer="char", ngram_range=(3, 3), sublinear_tf=True, min_df=2
                )
            taught = table.fit_transform([source[i] for i in known])
            model = LinearSVC().fit(taught, [str(rows[i][label]) for i in known])
            guess = model.predict(
                table.transform([texts["released"][i] for i in asked])
            )
            best = max(best, float((guess == wanted).mean()))
    half = 1.96 * np.sqrt(best * (1 - best) / len(asked))
    return {"value": best, "low": best - half, "high": best + half, "n": len(asked)}


def channel(arm: str) -> dict[str, float]:
    """Return what an attacker who knows the channel finds of single words."""
    metric, epsilon, _ = ARMS[arm]
    settings = WordSettings(metric=metric, epsilon=epsilon)
    cleaner, mechanism = sanitizer(settings), word_mechanism(settings)
    words = cleaner.embedding.vocabulary.words
    prior = public_prior(words, "zipf")
    asked = seeded(1).choice(len(words), 4000, p=prior / prior.sum())
    drawn = mechanism.perturb(asked, seeded(2))
    outputs, place = np.unique(drawn, return_inverse=True)
    ids, weight = mechanism.likeliest(outputs, np.log(prior), 50)
    guess = ids[np.arange(len(outputs)), weight.argmax(axis=1)][place]
    found, kept = float((guess == asked).mean()), float((drawn == asked).mean())
    half = 1.96 * np.sqrt(found * (1 - found) / len(asked))
    return {"found": found, "low": found - half, "high": found + half, "kept": kept}


def reading(folder: Path, arm: str) -> dict[str, float]:
    """Return perplexity, and the cosine of sentence vectors to the originals."""
    found: list[str] = []
    for row in posts(folder)[1]:
        found += re.split(r"(?<=[.!?])\s+(?=[A-Z])", " ".join(row["text"].split()))
    plain = [s for s in found if re.fullmatch(r"[A-Za-z0-9 ,.;:'!?()-]{40,200}", s)]
    picked = seeded(7).choice(len(plain), SENTENCES, replace=False)
    originals = [plain[i] for i in picked]
    texts = originals if arm == "untouched" else release(originals, arm, 0)
    surprise = load_language_model().surprise(texts)
    encode = load_encoder()
    cosine = (encode(texts) * encode(originals)).sum(axis=1)
    middle, spread = surprise.mean(), 1.96 * surprise.std() / np.sqrt(len(surprise))
    return {
        "perplexity": float(np.exp(middle)),
        "low": float(np.exp(middle - spread)),
        "high": float(np.exp(middle + spread)),
        "similarity": float(cosine.mean()),
        "n": len(texts),
    }


def measured(folder: Path, arm: str, draws: int) -> dict[str, object]:
    busy, everybody = posts(folder)
    critics = reviews(folder)
    runs = []
    for draw in range(draws):
        made = [row["text"] for row in everybody]
        film = [row["text"] for row in critics]
        texts, films = {"released": made}, {"released": film}
        if arm != "untouched":
            texts = {"released": release(made, arm, draw), "original": made}
            films = {"released": release(film, arm, draw), "original": film}
        own = {name: text[: len(busy)] for name, text in texts.items()}
        runs.append(
            {
                "topic": accuracy(everybody, texts, "topic", ("word",)),
                "author": accuracy(busy, own, "author", ("word", "char")),
                "rating": accuracy(critics, films, "label3", ("word",)),
                "critic": accuracy(critics, films, "author", ("word", "char")),
            }
        )
    return {
        key: {
            "value": float(np.mean([run[key]["value"] for run in runs])),
            "low": min(run[key]["low"] for run in runs),
            "high": max(run[key]["high"] for run in runs),
            "draws": [round(run[key]["value"], 4) for run in runs],
            "n": runs[0][key]["n"],
        }
        for key in runs[0]
    }


def main() -> None:
    folder, draws = Path(sys.argv[1]), int((sys.argv[2:] or ["3"])[0])
    results: dict[str, dict[str, object]] = {}
    for arm in ("untouched", *ARMS):
        results[arm] = measured(folder, arm, 1 if arm == "untouched" else draws)
        if arm.endswith("text"):
            results[arm]["channel"] = channel(arm)
        if not arm.endswith("words"):
            results[arm]["reading"] = reading(folder, arm)
        print(arm, json.dumps(results[arm]), flush=True)
        commit = subprocess.run(
            ["git", "rev-parse", "--short=12", "HEAD"],
            capture_output=True,
            text=True,
            check=True,
        ).stdout.strip()
        about = {
            "corpora": "20 Newsgroups (12 topics, busy authors); critics (4), cut",
            "attack": "best of SVMs on words and character 3-grams, static, adaptive",
            "command": f"python scripts/measure_like.py FOLDER {draws}",
            "commit": re.sub(r"\W", "", commit),
            "date": datetime.now(tz=UTC).date().isoformat(),
            "machine": f"{platform.machine()}, {os.cpu_count()} cores",
            "arms": results,
        }
        PLACE.write_text(json.dumps(about, indent=1) + "\n")


if __name__ == "__main__":
    main()
