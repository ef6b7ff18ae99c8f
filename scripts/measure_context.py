"""Measure a remap by context: the likeliest sequence of words behind drawn ones.

    python scripts/measure_context.py FOLDER

Noisy-channel decoding: each drawn word is replaced by a word of the likeliest sequence
under the exact channel and bigrams of public posts, found by Viterbi's algorithm among
words that may be put out. It sees drawn words only: post-processing. 150 sentences of
posts, the same draws with and without it; results go to
docs/measurements/context-remap.json.
"""

import json
import os
import platform
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import numpy as np

from like_inversion import CANDIDATES, Background, viterbi, word_ids
from measure_like import posts, sentences
from publius.assessment.attacks.inversion import from_channel
from publius.core.config import WordSettings
from publius.core.rng import seeded
from publius.language.casing import apply_casing, casing_of
from publius.language.models.causal import load_language_model
from publius.language.models.encoder import load_encoder
from publius.language.passing import are_protected
from publius.language.tokenizer import Tokenizer, fold
from publius.materials.words.assemble import sanitizer

PLACE = Path(__file__).parents[1] / "docs" / "measurements" / "context-remap.json"
ARMS: dict[str, WordSettings] = {
    "like 2.75": WordSettings(metric="like", epsilon=2.75),
    "hop 4": WordSettings(metric="hop", epsilon=4.0),
    "hop 4 bayes": WordSettings(metric="hop", epsilon=4.0, remap="bayes"),
}
WEIGHTS = (0.02, 0.3)


def written(tokens: list[str], places: list[int], words: list[str]) -> str:
    out = list(tokens)
    for place, word in zip(places, words, strict=True):
        out[place] = apply_casing(word, casing_of(tokens[place]))
    return "".join(out)


def released(
    settings: WordSettings, texts: list[str], known: list[str]
) -> dict[str, list[str]]:
    """Return the texts as drawn, and decoded with each weight of the bigrams."""
    cleaner, tokenizer = sanitizer(settings), Tokenizer()
    vocabulary, mechanism = cleaner.embedding.vocabulary, cleaner.mechanism
    background = Background.of(word_ids(known, vocabulary), vocabulary.words)
    allowed = np.zeros(vocabulary.size, dtype=bool)
    allowed[getattr(mechanism, "spoken", np.arange(vocabulary.size))] = True
    prior = np.where(allowed, background.single, 1e-300)
    made: dict[str, list[str]] = {"drawn": []} | {f"context {w}": [] for w in WEIGHTS}
    for number, text in enumerate(texts):
        tokens = tokenizer.split(text)
        flags = are_protected(text, tokenizer)
        places = [2 * i + 1 for i, flag in enumerate(flags) if flag]
        ids = vocabulary.encode([fold(tokens[i]) for i in places])
        drawn = mechanism.perturb(ids, seeded(900 + number))
        made["drawn"].append(_text(tokens, places, drawn, vocabulary.words))
        if settings.remap != "none" or not len(drawn):
            for w in WEIGHTS:
                made[f"context {w}"].append(made["drawn"][-1])
            continue
        best = from_channel(mechanism, prior, drawn, most=CANDIDATES)
        for w in WEIGHTS:
            guess = viterbi(best, drawn, background, w)
            made[f"context {w}"].append(_text(tokens, places, guess, vocabulary.words))
    return made if settings.remap == "none" else {"drawn": made["drawn"]}


def _text(
    tokens: list[str], places: list[int], ids: object, words: tuple[str, ...]
) -> str:
    return written(tokens, places, [words[i] for i in ids.tolist()])  # type: ignore[attr-defined]


def figures(texts: list[str], originals: list[str]) -> dict[str, float]:
    surprise = load_language_model().surprise(texts)
    encode = load_encoder()
    cosine = (encode(texts) * encode(originals)).sum(axis=1)
    middle, spread = surprise.mean(), 1.96 * surprise.std() / np.sqrt(len(surprise))
    half = 1.96 * cosine.std() / np.sqrt(len(cosine))
    return {
        "perplexity": round(float(np.exp(middle)), 1),
        "low": round(float(np.exp(middle - spread)), 1),
        "high": round(float(np.exp(middle + spread)), 1),
        "similarity": round(float(cosine.mean()), 4),
        "similarity_low": round(float(cosine.mean() - half), 4),
        "similarity_high": round(float(cosine.mean() + half), 4),
        "n": len(texts),
    }


def main() -> None:
    folder = Path(sys.argv[1])
    rows = posts(folder)[1]
    known = [row["text"] for row in rows if row["split"] == "train"]
    # None of the sentences stands in a post whose bigrams are known.
    originals = sentences([row for row in rows if row["split"] != "train"])
    results: dict[str, dict[str, float]] = {}
    for arm, settings in ARMS.items():
        for kind, texts in released(settings, originals, known).items():
            results[f"{arm} {kind}"] = figures(texts, originals)
            print(arm, kind, results[f"{arm} {kind}"], texts[:2], flush=True)
    commit = subprocess.run(
        ["git", "rev-parse", "--short=12", "HEAD"],
        capture_output=True, text=True, check=True,
    ).stdout.strip()  # fmt: skip
    about = {
        "corpus": "150 sentences of 20 Newsgroups; bigrams of 1,508 other posts",
        "command": "python scripts/measure_context.py FOLDER",
        "commit": commit,
        "date": datetime.now(tz=UTC).date().isoformat(),
        "machine": f"{platform.machine()}, {os.cpu_count()} cores",
        "arms": results,
    }
    PLACE.write_text(json.dumps(about, indent=1) + "\n")


if __name__ == "__main__":
    main()
