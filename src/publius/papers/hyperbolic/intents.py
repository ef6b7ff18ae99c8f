"""Table I: do intents survive when the words of Snips' queries are replaced?"""

from collections.abc import Sequence
from itertools import product

import numpy as np

from publius.assessment.evaluation.classify import Task, classify
from publius.core.arrays import IdArray
from publius.core.rng import seeded
from publius.embeddings.catalogue import load_embedding
from publius.embeddings.relations import Relation
from publius.numerics.scores import Scores, score_ranking
from publius.papers.directional.result import Cell, Reproduction, Setting
from publius.papers.documents import codes_of
from publius.papers.hyperbolic.replacing import RELEASE, WAYS
from publius.papers.hyperbolic.sources import (
    UNSOUND,
    VECTORS_ARE,
    exponential,
    nouns,
    snips,
    spread_out,
)

EPSILONS = (0.5, 1.0, 2.0, 4.0, 8.0)
SHOWN_AT = 4.0
WEIGHTS = ("balanced", "general")
TRAIN, TEST = 2000, 300
"""Queries at reduced effort."""

SLOTS = (
    ("will it be colder in {}", "ohio", "(that) state"),
    ("play {} on lastfm", "techno", "music"),
    ("play techno on {}", "lastfm", "app"),
    ("book a restaurant in {}", "milladore", "(the) city"),
    ("rate the {} one of 6 stars", "firebrand", "product"),
    ("i want to watch {}", "manthan", "(a) movie"),
)
"""Queries of the paper's table I, the word in their slot, and its new word."""


def intents(setting: Setting) -> Reproduction:
    """Measure intent accuracy on Snips before and after replacement (Table I)."""
    texts, held, labels, truth = _queries(setting)
    source = nouns(setting)
    rows: list[tuple[Cell, ...]] = [
        ("original", "", "", None, *_row(_score(texts, labels, held, truth)), 1.0)
    ]
    for way, weights, epsilon in product(WAYS, WEIGHTS, EPSILONS):
        mechanism = exponential(source.embedding, epsilon, weights)
        replace = WAYS[way](source.embedding, mechanism)
        released = replace(held, seeded(setting.seed))
        cleaned = replace(texts, seeded(setting.seed + 1))
        same = np.mean([a == b for a, b in zip(held, released, strict=True)])
        for trained, known in (("originals", texts), ("released texts", cleaned)):
            score = _row(_score(known, labels, released, truth))
            rows.append((way, weights, trained, epsilon, *score, float(same)))
    return Reproduction(
        "feyisetan-table1",
        "Intent accuracy on Snips (7 intents) before and after",
        ("words replaced", "weights", "classifier learns from", "ε", "accuracy", "low",
         "high", "texts unchanged"),
        tuple(rows),
        remarks=(
            VECTORS_ARE,
            UNSOUND,
            f"'{RELEASE}' is a release; the other way leaves words that are no nouns "
            "of the vocabulary as they are, nearer to the paper, which replaces marked "
            "slots only (the data at hand do not mark them). Word TF-IDF and a linear "
            "classifier stand in for its recogniser. The paper prints examples and no "
            "accuracy.",
            *_slots(setting),
        ),
    )  # fmt: skip


def _queries(
    setting: Setting,
) -> tuple[list[str], list[str], IdArray, IdArray]:
    """Return queries to learn from and to classify, and their intents as numbers."""
    split = snips(setting)
    sides = []
    for side, most in (("train", TRAIN), ("test", TEST)):
        texts, names = split[side]
        kept = spread_out(len(texts), most if setting.effort < 1 else len(texts))
        sides.append(([texts[i] for i in kept], [names[i] for i in kept]))
    (texts, known), (held, asked) = sides
    codes = codes_of([*known, *asked])
    return texts, held, codes[: len(texts)], codes[len(texts) :]


def _score(
    texts: Sequence[str], labels: IdArray, held: Sequence[str], truth: IdArray
) -> Scores:
    task = Task(texts, labels, held, int(labels.max()) + 1)
    ranking = classify("svm", task, lambda: load_embedding("glove-50k"))
    return score_ranking(ranking, truth, seeded(0))


def _row(scores: Scores) -> tuple[float, float, float]:
    return scores.accuracy.value, scores.accuracy.low, scores.accuracy.high


def _slots(setting: Setting) -> list[str]:
    """Say what the slots of the paper's examples become."""
    source = nouns(setting, also=[slot for _, slot, _ in SLOTS])
    mechanism = exponential(source.embedding, SHOWN_AT, "general")
    words = source.embedding.vocabulary.words
    lines = []
    for query, slot, published in SLOTS:
        number = int(source.embedding.vocabulary.encode([slot])[0])
        if number < 0:
            became = "any word: the vocabulary does not have it, so it is drawn as all "
            became += "unknown words are"
        else:
            law = np.exp(mechanism.channel(np.array([number]))[0])
            kinds = source.relations.of_word(number)
            order = np.argsort(-law)[:6]
            became = ", ".join(
                f"{words[i]} {law[i]:.0%} ({Relation(kinds[i]).label})" for i in order
            )
        lines.append(
            f"General weights, ε = {SHOWN_AT:g}: '{query.format(f'[{slot}]')}', "
            f"published '{published}', ours {became}."
        )
    return lines
