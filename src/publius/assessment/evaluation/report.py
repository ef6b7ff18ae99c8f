"""All measures of utility of one release."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from publius.assessment.evaluation.classify import Task, classify
from publius.assessment.evaluation.fluency import Trigrams, surprise
from publius.assessment.evaluation.meteor import meteor
from publius.assessment.evaluation.similarity import (
    Closeness,
    Encode,
    mean_cosine,
    movers_distance,
    retrieval_ranks,
)
from publius.core.arrays import FloatArray, IdArray, Rng
from publius.core.estimate import Estimate
from publius.core.guarantee import JsonValue
from publius.embeddings.documents import bags, mean_vectors
from publius.embeddings.embedding import Embedding
from publius.language.wordnet import WordNet
from publius.numerics.scores import Scores, bootstrap_mean, estimate_json, score_ranking
from publius.numerics.transport import has_transport

KINDS = {
    "original": ("original", "static"),
    "adaptive": ("released", "adaptive"),
    "static": ("released", "static"),
}
"""Kind of analyst → texts that are read, and texts that were learnt from."""


@dataclass(frozen=True, slots=True)
class Classified:
    """One classifier on one kind of text.

    Args:
        classifier: Its name.
        target: ``original`` or ``released``.
        knowledge: Trained on originals (static) or on released texts (adaptive).
        scores: Against the truth.
    """

    classifier: str
    target: str
    knowledge: str
    scores: Scores

    def to_json(self) -> dict[str, JsonValue]:
        """Return plain values."""
        return {
            "classifier": self.classifier,
            "target": self.target,
            "knowledge": self.knowledge,
            **self.scores.to_json(),
        }


@dataclass(frozen=True, slots=True)
class Measure:
    """A number about pairs of original and released texts.

    Args:
        name: What was measured.
        estimate: With its interval.
        original: The same for originals, where that says something.
        skipped: Documents that could not be compared.
        detail: How it was measured.
        is_risk: Tells how much the release gives away, not what it is good for.
    """

    name: str
    estimate: Estimate
    original: Estimate | None = None
    skipped: int = 0
    detail: str = ""
    is_risk: bool = False

    def to_json(self) -> dict[str, JsonValue]:
        """Return plain values."""
        return {
            "measure": self.name,
            "released": estimate_json(self.estimate),
            "original": None if self.original is None else estimate_json(self.original),
            "skipped_documents": self.skipped,
            "detail": self.detail,
            "risk": self.is_risk,
        }


@dataclass(frozen=True, slots=True, eq=False)
class Pairs:
    """Documents before and after, with their classes and a split."""

    originals: Sequence[str]
    released: Sequence[str]
    classes: IdArray
    is_known: "np.ndarray"

    def side(self, texts: Sequence[str], *, known: bool) -> list[str]:
        """Return the texts of one side of the split."""
        return [texts[i] for i in np.flatnonzero(self.is_known == known).tolist()]


@dataclass(frozen=True, slots=True)
class Tools:
    """What measures need beside texts, obtained when they ask for it.

    Args:
        embedding: Loads the word vectors.
        encoder: Sentence encoder; None goes without.
        progress: Told what is done at present.
        wordnet: For synonyms in METEOR; None goes without.
        surprise: Mean negative log-probability of texts under a causal language
            model; None goes without.
        most_read: Documents that the language model reads, from the first.
        judge: The same under a model that writes nothing in Publius; None goes
            without.
    """

    embedding: Callable[[], Embedding]
    encoder: Encode | None = None
    progress: Callable[[str], None] = field(default=lambda _: None)
    wordnet: WordNet | None = None
    surprise: Callable[[Sequence[str]], FloatArray] | None = None
    most_read: int = 100
    judge: Callable[[Sequence[str]], FloatArray] | None = None


def classifications(
    pairs: Pairs, names: Sequence[str], kinds: Sequence[str], tools: Tools, rng: Rng
) -> list[Classified]:
    """Classify texts as the kinds of analyst that are asked for.

    Args:
        pairs: Documents.
        names: Classifiers.
        kinds: ``original`` on untouched texts; ``static`` and ``adaptive`` on released.
        tools: Embedding and progress.
        rng: For intervals.
    """
    labels = pairs.classes[pairs.is_known]
    truth = pairs.classes[~pairs.is_known]
    classes = int(pairs.classes.max()) + 1
    results = []
    for name in names:
        for target, knowledge in (KINDS[kind] for kind in kinds):
            tools.progress(f"{name} on {target} texts, {knowledge}")
            learnt = pairs.released if knowledge == "adaptive" else pairs.originals
            asked = pairs.originals if target == "original" else pairs.released
            task = Task(
                pairs.side(learnt, known=True),
                labels,
                pairs.side(asked, known=False),
                classes,
            )
            scores = score_ranking(classify(name, task, tools.embedding), truth, rng)
            results.append(Classified(name, target, knowledge, scores))
    return results


def measures(pairs: Pairs, tools: Tools, rng: Rng) -> list[Measure]:
    """Measure similarity, overlap, retrieval and fluency on the test side."""
    originals = pairs.side(pairs.originals, known=False)
    released = pairs.side(pairs.released, known=False)
    space = tools.embedding()
    tools.progress("similarity")
    entries = [
        _closeness("mean vector cosine", mean_cosine(originals, released, space), rng),
        *_moved(originals, released, space, rng),
        Measure(
            "METEOR",
            bootstrap_mean(meteor(originals, released, tools.wordnet), rng),
            detail="equal words, stems"
            + (", synonyms of WordNet" if tools.wordnet else "; no synonyms"),
        ),
        *_retrieval(
            "mean vectors",
            mean_vectors(bags(originals, space), space.vectors),
            mean_vectors(bags(released, space), space.vectors),
            rng,
        ),
    ]
    if tools.encoder is not None:
        tools.progress("sentence encoder")
        before, after = tools.encoder(originals), tools.encoder(released)
        cosine = np.einsum("ij,ij->i", before, after)
        entries.append(Measure("sentence encoder cosine", bootstrap_mean(cosine, rng)))
        entries += _retrieval("sentence encoder", before, after, rng)
    tools.progress("fluency")
    model = Trigrams.learnt(pairs.side(pairs.originals, known=True))
    entries.append(
        _perplexity(
            "perplexity (trigrams of the training originals)",
            surprise(model, originals),
            surprise(model, released),
            rng,
        )
    )
    if tools.judge is not None:
        name = "perplexity (trigrams of spoken English)"
        before, after = tools.judge(originals), tools.judge(released)
        entries.append(_perplexity(name, before, after, rng))
    if tools.surprise is not None:
        tools.progress("language model")
        read = slice(0, tools.most_read)
        measured = _perplexity(
            "perplexity (causal language model)",
            tools.surprise(originals[read]),
            tools.surprise(released[read]),
            rng,
        )
        entries.append(measured)
    return [measure for measure in entries if measure is not None]


def _moved(
    originals: Sequence[str], released: Sequence[str], space: Embedding, rng: Rng
) -> list[Measure | None]:
    """Return the Word Mover's distance where its package is installed."""
    if not has_transport():
        return []
    moved = movers_distance(originals, released, space)
    return [_closeness("word mover's distance", moved, rng)]


def _perplexity(
    name: str, before: FloatArray, after: FloatArray, rng: Rng
) -> Measure | None:
    """Return the exponential of the mean surprise; NaN is a text without words."""
    told = [values[np.isfinite(values)] for values in (before, after)]
    if not all(map(len, told)):
        return None
    original, released = (_exponential(bootstrap_mean(v, rng)) for v in told)
    return Measure(name, released, original, len(after) - len(told[1]))


def _closeness(name: str, closeness: Closeness, rng: Rng) -> Measure | None:
    if not len(closeness.values):
        return None
    return Measure(
        name, bootstrap_mean(closeness.values, rng), skipped=closeness.skipped
    )


def _retrieval(
    name: str, before: FloatArray, after: FloatArray, rng: Rng
) -> list[Measure]:
    ranks = retrieval_ranks(before, after)
    first = Estimate.share(int((ranks == 1).sum()), len(ranks))
    return [
        Measure(f"original found first ({name})", first, is_risk=True),
        Measure(
            f"mean reciprocal rank ({name})",
            bootstrap_mean(1 / ranks, rng),
            is_risk=True,
        ),
    ]


def _exponential(estimate: Estimate) -> Estimate:
    value, low, high = map(math.exp, (estimate.value, estimate.low, estimate.high))
    return Estimate(value, low, high, estimate.confidence, estimate.n)


__all__ = [
    "Classified",
    "Measure",
    "Pairs",
    "Tools",
    "classifications",
    "measures",
]
