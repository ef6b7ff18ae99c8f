"""Measure topic, author and rating after releases on the metrics hop and like.

    python scripts/measure_like.py FOLDER DRAWS [ARM ...]

FOLDER holds topic/20ng_12groups.jsonl.gz and authorship/movie_scale_4authors.jsonl.gz.
Attackers are linear SVMs on words and on character 3-grams, taught on originals or on
releases; the best one counts, as it does for an attacker. Results go to
docs/measurements/like.json after every draw, and what stands there is not drawn again.
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

from like_inversion import in_context, single_words
from publius.core.config import WordSettings
from publius.core.rng import seeded
from publius.language.models.causal import load_language_model
from publius.language.models.encoder import load_encoder
from publius.materials.words.assemble import sanitizer
from publius.retelling.content import content_ids

PLACE = Path(__file__).parents[1] / "docs" / "measurements" / "like.json"
ARMS: dict[str, tuple[str, float, str]] = {
    "hop 4 text": ("hop", 4.0, "text"),
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


def inversion(folder: Path, arm: str) -> dict[str, object]:
    """Return what attackers who know the channel find of words."""
    metric, epsilon, _ = ARMS[arm]
    settings = WordSettings(metric=metric, epsilon=epsilon)
    rows = posts(folder)[1]
    known = [row["text"] for row in rows if row["split"] == "train"]
    asked = [row["text"] for row in rows if row["split"] != "train"]
    return {
        "single words": single_words(settings),
        "in posts": in_context(settings, known, asked),
    }


def sentences(rows: Rows) -> list[str]:
    """Return plain sentences of posts."""
    pieces: list[str] = []
    for row in rows:
        pieces += re.split(r"(?<=[.!?])\s+(?=[A-Z])", " ".join(row["text"].split()))
    plain = [s for s in pieces if re.fullmatch(r"[A-Za-z0-9 ,.;:'!?()-]{40,200}", s)]
    picked = seeded(7).choice(len(plain), SENTENCES, replace=False)
    return [plain[i] for i in picked]


def reading(folder: Path, arm: str) -> dict[str, float]:
    """Return perplexity, and the cosine of sentence vectors to the originals."""
    originals = sentences(posts(folder)[1])
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


def drawn_once(folder: Path, arm: str, draw: int) -> dict[str, dict[str, float]]:
    """Return what the best attackers find after one draw."""
    busy, everybody = posts(folder)
    critics = reviews(folder)
    made = [row["text"] for row in everybody]
    film = [row["text"] for row in critics]
    texts, films = {"released": made}, {"released": film}
    if arm != "untouched":
        texts = {"released": release(made, arm, draw), "original": made}
        films = {"released": release(film, arm, draw), "original": film}
    own = {name: text[: len(busy)] for name, text in texts.items()}
    return {
        "topic": accuracy(everybody, texts, "topic", ("word",)),
        "author": accuracy(busy, own, "author", ("word", "char")),
        "rating": accuracy(critics, films, "label3", ("word",)),
        "critic": accuracy(critics, films, "author", ("word", "char")),
    }


def joined(old: dict[str, object], run: dict[str, dict[str, float]]) -> None:
    """Add one draw to the figures of an arm: means, and the interval of the mean."""
    for key, estimate in run.items():
        before = old.get(key, {})
        draws = [*before.get("draws", []), round(estimate["value"], 4)]  # type: ignore[attr-defined]
        value = float(np.mean(draws))
        half = 1.96 * np.sqrt(value * (1 - value) / estimate["n"])
        old[key] = {
            "value": round(value, 4),
            "low": round(value - half, 4),
            "high": round(value + half, 4),
            "draws": draws,
            "n": estimate["n"],
        }


def main() -> None:
    folder, draws = Path(sys.argv[1]), int(sys.argv[2])
    arms = sys.argv[3:] or ["untouched", *ARMS]
    written = json.loads(PLACE.read_text()) if PLACE.is_file() else {}
    results: dict[str, dict[str, object]] = written.get("arms", {})
    for arm in arms:
        own = results.setdefault(arm, {})
        done = len(own.get("topic", {}).get("draws", []))  # type: ignore[attr-defined]
        if arm.endswith("text") and "inversion" not in own:
            own["inversion"] = inversion(folder, arm)
            write(results, draws)
        if not arm.endswith("words") and "reading" not in own:
            own["reading"] = reading(folder, arm)
        for draw in range(done, 1 if arm == "untouched" else draws):
            joined(own, drawn_once(folder, arm, draw))
            write(results, draws)
        write(results, draws)
        print(arm, json.dumps(own), flush=True)


def write(results: dict[str, dict[str, object]], draws: int) -> None:
    """Write down what is measured so far."""
    command = ["git", "rev-parse", "--short=12", "HEAD"]
    said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    about = {
        "corpora": "20 Newsgroups (12 topics, busy authors); critics (4), cut",
        "attack": "best of SVMs on words and character 3-grams, static, adaptive",
        "inversion": "exact channel; context: Viterbi on bigrams of training posts",
        "command": f"python scripts/measure_like.py FOLDER {draws}",
        "commit": re.sub(r"\W", "", said),
        "date": datetime.now(tz=UTC).date().isoformat(),
        "machine": f"{platform.machine()}, {os.cpu_count()} cores",
        "arms": results,
    }
    PLACE.write_text(json.dumps(about, indent=1) + "\n")


if __name__ == "__main__":
    main()
