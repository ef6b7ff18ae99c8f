"""Speed of the lab: attacks on made-up authors, one cell of a comparison."""

import time

import numpy as np

from publius.assessment.attacks import (
    Documents,
    Knowledge,
    Koppel,
    NgramSvm,
    WordSvm,
    attack,
)
from publius.assessment.attacks.attack import Training
from publius.assessment.evaluation.meteor import meteor

LETTERS = np.array(list("etaoinshrdlucmfw"))


def _texts(authors: np.ndarray, words: int, rng: np.random.Generator) -> list[str]:
    common = ["".join(rng.choice(LETTERS, rng.integers(2, 9))) for _ in range(5000)]
    weight = 1 / (np.arange(5000) + 2.7)
    weight /= weight.sum()
    own = [rng.permutation(5000) for _ in range(int(authors.max()) + 1)]
    table = np.array(common, dtype=object)
    return [
        " ".join(
            table[
                np.where(
                    rng.random(words) < 0.3,
                    own[a][rng.choice(5000, words, p=weight)],
                    rng.choice(5000, words, p=weight),
                )
            ]
        )
        for a in authors
    ]


def _time(training: Training, authors: int, words: int, each: int) -> None:
    rng = np.random.default_rng(0)
    owner = np.repeat(np.arange(authors), 2 * each)
    texts = _texts(owner, words, rng)
    known = np.tile(np.arange(2 * each) < each, authors)
    documents = Documents(texts, texts, owner, known)
    started = time.perf_counter()
    scores = attack(training, documents, Knowledge.ADAPTIVE, rng)
    spent = time.perf_counter() - started
    print(
        f"| {training.name} | {authors} | {words} | {int((~known).sum())} | "
        f"{spent:.1f} s | {scores.accuracy.value:.2f} |",
        flush=True,
    )


def main() -> None:
    print("| attack | authors | words | attacked | time | accuracy |")
    print("|---|---|---|---|---|---|")
    _time(Koppel(), 50, 400, 1)
    _time(Koppel(), 1000, 400, 1)
    _time(NgramSvm(), 50, 400, 10)
    _time(WordSvm(), 50, 400, 10)
    texts = _texts(np.zeros(1000, dtype=int), 100, np.random.default_rng(1))
    started = time.perf_counter()
    meteor(texts, texts[::-1])
    print(
        f"\nMETEOR: {1000 / (time.perf_counter() - started):,.0f} pairs of 100 words/s"
    )
