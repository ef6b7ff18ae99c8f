"""What is left in rewritten reviews: authors, ratings, meaning and fluency."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from sklearn.feature_extraction.text import TfidfVectorizer

from publius.assessment.attacks import Attack, Guesses, Knowledge, Known
from publius.assessment.attacks.convolution import Convolution
from publius.assessment.attacks.linear import LinearAttack, fit
from publius.assessment.evaluation.fluency import Trigrams, surprise
from publius.assessment.evaluation.meteor import meteor
from publius.core.arrays import BoolArray, FloatArray, IdArray, Rng
from publius.core.errors import DataError
from publius.core.estimate import Estimate
from publius.numerics.scores import Scores, bootstrap_mean, score_ranking
from publius.papers.autoencoder.reviews import Review

Encode = Callable[[Sequence[str]], FloatArray]
Key = tuple[str, str, Knowledge]
"""What is asked (author or rating), who asks (svm or network), and knowing what."""

COMPARED = 200
"""Test reviews whose meaning is compared; the encoder is the slow part."""

_WORD = r"(?u)\b\w+\b"


@dataclass(frozen=True, slots=True)
class Nothing:
    """An attacker without anything to go by: the first candidate, always."""

    name: str
    candidates: int

    def guess(self, released: Sequence[str], rng: Rng) -> Guesses:  # noqa: ARG002
        """Rank all alike."""
        return Guesses.all_answered(np.zeros((len(released), self.candidates)))


def bigram_svms(questions: Mapping[str, Known]) -> dict[str, Attack]:
    """Fit the thesis's attacker, a linear SVM on TF-IDF of words and pairs of words.

    Args:
        questions: The same texts with different classes; they are read once.
    """
    texts = next(iter(questions.values())).texts
    reader = TfidfVectorizer(
        sublinear_tf=True, token_pattern=_WORD, ngram_range=(1, 2), min_df=2
    )
    try:
        rows = reader.fit_transform(texts)
    except ValueError:  # no word occurs twice
        return {what: Nothing("svm", k.candidates) for what, k in questions.items()}
    return {
        what: LinearAttack(
            "svm", reader.transform, fit("svm", rows, known), known.candidates
        )
        for what, known in questions.items()
    }


@dataclass(frozen=True, slots=True)
class Compared:
    """How near rewritten texts are to their originals, and to other originals.

    Args:
        same: Mean over reviews, each with its own rewriting.
        other: Mean over reviews, each with the rewriting of another one: what is had
            by writing like a review, without keeping anything of this one.
    """

    same: Estimate
    other: Estimate


@dataclass(frozen=True, slots=True)
class Left:
    """What is left in rewritten reviews.

    Args:
        scores: Scores of attackers and analysts.
        similarity: Cosine under a sentence encoder; None without.
        meteor: METEOR of test reviews against their originals.
        perplexity: Under trigrams of the original training reviews; None of no words.
    """

    scores: Mapping[Key, Scores]
    similarity: Compared | None = None
    meteor: Compared | None = None
    perplexity: Estimate | None = None


@dataclass(frozen=True, eq=False)
class Scorer:
    """Scores rewritings of the same reviews; what the originals tell is learnt once.

    Args:
        originals: With authors and ratings.
        encode: A sentence encoder; None leaves similarity out.
    """

    originals: Sequence[Review]
    encode: Encode | None = None

    def __post_init__(self) -> None:
        if not (self.is_known.any() and not self.is_known.all()):
            raise DataError("scores need reviews to learn from and reviews to test")

    @cached_property
    def is_known(self) -> BoolArray:
        """The training side."""
        return np.array([review.split == "train" for review in self.originals])

    def attacked(
        self, rewritten: Sequence[str], rng: Rng, *, network: bool = False
    ) -> dict[Key, Scores]:
        """Tell authors and ratings of rewritten reviews, in the order of the originals.

        A network learns for minutes, so only the stronger, adaptive one is asked for.

        Args:
            rewritten: One text for each original.
            rng: Draws bootstrap samples and the weights of a network.
            network: Ask a network beside the SVM.
        """
        known, targets = self._sides(rewritten)
        asked = self._questions(known)
        attacks: dict[Key, Attack] = {}
        for what, trained in bigram_svms(asked).items():
            attacks[what, "svm", Knowledge.STATIC] = self._static[what]
            attacks[what, "svm", Knowledge.ADAPTIVE] = trained
            if network:
                attacks[what, "network", Knowledge.ADAPTIVE] = Convolution().train(
                    asked[what], rng
                )
        scores = {}
        for key, trained in attacks.items():
            guesses = trained.guess(targets, rng)
            truth = self._classes[key[0]][~self.is_known]
            scores[key] = score_ranking(
                guesses.ranking, truth, rng, answered=guesses.answered
            )
        return scores

    def score(
        self, rewritten: Sequence[str], rng: Rng, *, network: bool = False
    ) -> Left:
        """Attack and use rewritten reviews; see ``attacked``."""
        _, before = self._before
        _, after = self._sides(rewritten)
        other = _others(len(after), rng).tolist()
        surprises = surprise(self._fluent, after)
        return Left(
            self.attacked(rewritten, rng, network=network),
            self._similarity(after, rng),
            Compared(
                bootstrap_mean(meteor(before, after), rng),
                bootstrap_mean(meteor(before, [after[i] for i in other]), rng),
            ),
            _perplexity(surprises[~np.isnan(surprises)], rng),
        )

    @cached_property
    def _before(self) -> tuple[list[str], list[str]]:
        return self._sides([review.text for review in self.originals])

    @cached_property
    def _classes(self) -> dict[str, IdArray]:
        classes = {"author": _numbers([review.author for review in self.originals])}
        labels = [review.label for review in self.originals]
        if None not in labels:
            classes["rating"] = _numbers([str(label) for label in labels])
        return classes

    @cached_property
    def _static(self) -> dict[str, Attack]:
        return bigram_svms(self._questions(self._before[0]))

    @cached_property
    def _fluent(self) -> Trigrams:
        return Trigrams.learnt(self._before[0])

    @cached_property
    def _vectors(self) -> FloatArray | None:
        return self._encoded(self._before[1])

    def _similarity(self, after: Sequence[str], rng: Rng) -> Compared | None:
        first, second = self._vectors, self._encoded(after)
        if first is None or second is None:
            return None
        other = second[_others(len(second), rng)]
        return Compared(
            bootstrap_mean((first * second).sum(axis=1), rng),
            bootstrap_mean((first * other).sum(axis=1), rng),
        )

    def _encoded(self, tested: Sequence[str]) -> FloatArray | None:
        if self.encode is None:
            return None
        return _unit(self.encode(list(tested[:: max(1, len(tested) // COMPARED)])))

    def _questions(self, known: list[str]) -> dict[str, Known]:
        return {
            what: Known(known, classes[self.is_known], int(classes.max()) + 1)
            for what, classes in self._classes.items()
        }

    def _sides(self, texts: Sequence[str]) -> tuple[list[str], list[str]]:
        """Return the texts that the attacker knows, and those that are tested."""
        if len(texts) != len(self.is_known):
            raise DataError("originals and rewritten texts differ in number")
        pairs = list(zip(texts, self.is_known.tolist(), strict=True))
        return [t for t, known in pairs if known], [
            t for t, known in pairs if not known
        ]


def _perplexity(surprises: FloatArray, rng: Rng) -> Estimate | None:
    if not len(surprises):
        return None
    mean = bootstrap_mean(surprises, rng)
    value, low, high = np.exp([mean.value, mean.low, mean.high]).tolist()
    return Estimate(value, low, high, mean.confidence, mean.n)


def _others(count: int, rng: Rng) -> IdArray:
    """Return a random place for each place, never its own: one cycle over all."""
    order = rng.permutation(count)
    others = np.empty(count, dtype=np.int64)
    others[order] = np.roll(order, 1)
    return others


def _unit(rows: FloatArray) -> FloatArray:
    lengths: FloatArray = np.linalg.norm(rows, axis=1, keepdims=True)
    unit: FloatArray = rows / np.maximum(lengths, 1e-12)
    return unit


def _numbers(names: Sequence[str]) -> IdArray:
    return np.unique(np.array(names), return_inverse=True)[1].astype(np.int64)
