"""Table I: do intents survive when the words of Snips' queries are replaced?"""

import numpy as np
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.pipeline import make_pipeline
from sklearn.svm import LinearSVC

from publius.core.report import Estimate
from publius.core.rng import seeded
from publius.lab.directional.result import Cell, Reproduction, Setting
from publius.lab.hyperbolic.sources import VECTORS_ARE, nouns, snips
from publius.lab.hyperbolic.statistics import UNSOUND, exponential
from publius.sanitize.oov import OovPolicy
from publius.sanitize.sanitizer import Sanitizer
from publius.text.tokenizer import Tokenizer

EPSILONS = (0.2, 0.5, 1.0, 2.0)
VOCABULARY = 4000


def intents(setting: Setting) -> Reproduction:
    """Measure intent accuracy on Snips before and after replacement (Table I)."""
    split = snips(setting)
    texts, labels = split["train"]
    held, truth = split["test"]
    judge = make_pipeline(TfidfVectorizer(), LinearSVC())
    judge.fit(texts, labels)
    embedding = nouns(setting, setting.times(VOCABULARY)).embedding
    rows: list[tuple[Cell, ...]] = [("original", None, *_score(judge, held, truth))]
    for epsilon in EPSILONS:
        cleaner = Sanitizer(
            Tokenizer(), embedding, exponential(embedding, epsilon), OovPolicy.UNIFORM
        )
        released = cleaner.release(held, seeded(setting.seed)).texts
        same = np.mean([a == b for a, b in zip(held, released, strict=True)])
        rows.append(
            ("exponential", epsilon, *_score(judge, released, truth)[:3], float(same))
        )
        cleaned = cleaner.release(texts, seeded(setting.seed + 1)).texts
        own = make_pipeline(TfidfVectorizer(), LinearSVC()).fit(cleaned, labels)
        rows.append(
            (
                "exponential, classifier trained on released texts",
                epsilon,
                *_score(own, released, truth)[:3],
                float(same),
            )
        )
    return Reproduction(
        "feyisetan-table1",
        "Intent accuracy on Snips (7 intents) before and after",
        ("texts", "ε", "accuracy", "low", "high", "texts unchanged"),
        tuple(rows),
        remarks=(
            VECTORS_ARE,
            UNSOUND,
            "All content words are replaced, unknown ones by a draw that is the same "
            "for all, where the paper replaces marked slots only; word TF-IDF and a "
            "linear classifier stand in for its recogniser. The paper prints examples "
            "and no accuracy.",
        ),
    )


def _score(
    judge: object, texts: list[str], truth: list[str]
) -> tuple[float, float, float, float]:
    guess = judge.predict(texts)  # type: ignore[attr-defined]  # scikit-learn is untyped
    hits = int(sum(a == b for a, b in zip(guess, truth, strict=True)))
    found = Estimate.share(hits, len(truth))
    return found.value, found.low, found.high, 1.0
