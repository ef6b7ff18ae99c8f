"""What is left in rewritten reviews: authors, ratings, meaning and fluency."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from sklearn.feature_extraction.text import TfidfVectorizer

from publius.attacks import Documents, Guesses, Knowledge, Known, Training, attack
from publius.attacks.convolution import Convolution
from publius.attacks.linear import LinearAttack, fit
from publius.core.arrays import BoolArray, FloatArray, IdArray, Rng
from publius.core.errors import DataError
from publius.core.report import Estimate
from publius.core.scores import Scores, bootstrap_mean
from publius.evaluation.fluency import Trigrams, surprise
from publius.evaluation.meteor import meteor
from publius.lab.autoencoder.reviews import Review

Encode = Callable[[Sequence[str]], FloatArray]
COMPARED = 100
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


@dataclass(frozen=True, slots=True)
class BigramSvm:
    """The attacker of the thesis: words and pairs of words, TF-IDF, a linear SVM."""

    name: ClassVar[str] = "bigram_svm"
    knowledge: ClassVar[str] = "Known documents of every candidate."

    def train(self, known: Known, rng: Rng) -> LinearAttack | Nothing:  # noqa: ARG002
        """Fit the SVM; where no word occurs twice there is nothing to learn."""
        reader = TfidfVectorizer(
            sublinear_tf=True, token_pattern=_WORD, ngram_range=(1, 2), min_df=2
        )
        try:
            rows = reader.fit_transform(known.texts)
        except ValueError:
            return Nothing(self.name, known.candidates)
        classifier = fit("svm", rows, known)
        return LinearAttack(self.name, reader.transform, classifier, known.candidates)


ATTACKERS: dict[str, Callable[[], Training]] = {
    "svm": BigramSvm,
    "network": Convolution,
}
KNOWLEDGE = {
    "svm": (Knowledge.STATIC, Knowledge.ADAPTIVE),
    "network": (Knowledge.ADAPTIVE,),
}
"""A network learns for minutes; only the stronger attacker is worth them."""


@dataclass(frozen=True, slots=True)
class Left:
    """What is left in rewritten reviews.

    Args:
        found: Scores by ``(what, attacker, knowledge)``; what is author or rating.
        similarity: Mean cosine of whole reviews under a sentence encoder; None without.
        meteor: Mean METEOR of test reviews against their originals.
        perplexity: Under trigrams of the original training reviews; None of no words.
    """

    found: Mapping[tuple[str, str, Knowledge], Scores]
    similarity: Estimate | None
    meteor: Estimate
    perplexity: Estimate | None


@dataclass(frozen=True, slots=True, eq=False)
class Scorer:
    """Scores rewritings of the same reviews.

    Args:
        originals: With authors and ratings.
        rng: Draws bootstrap samples and the weights of an attacker.
        encode: A sentence encoder; None leaves similarity out.
    """

    originals: Sequence[Review]
    rng: Rng
    encode: Encode | None = None

    def __post_init__(self) -> None:
        if not (self.is_known.any() and not self.is_known.all()):
            raise DataError("scores need reviews to learn from and reviews to test")

    @property
    def is_known(self) -> BoolArray:
        """The training side."""
        return np.array([review.split == "train" for review in self.originals])

    def score(
        self, rewritten: Sequence[str], *, attackers: Sequence[str] = ("svm",)
    ) -> Left:
        """Attack and use rewritten reviews, in the order of the originals."""
        before = [review.text for review in self.originals]
        known = self.is_known
        tested = np.flatnonzero(~known).tolist()
        pairs = [before[i] for i in tested], [rewritten[i] for i in tested]
        model = Trigrams.learnt([t for t, k in zip(before, known, strict=True) if k])
        surprises = surprise(model, pairs[1])
        return Left(
            {
                (what, name, knowledge): attack(
                    ATTACKERS[name](),
                    Documents(before, rewritten, classes, known),
                    knowledge,
                    self.rng,
                )
                for what, classes in self._classes().items()
                for name in attackers
                for knowledge in KNOWLEDGE[name]
            },
            self._similarity(*pairs),
            bootstrap_mean(meteor(*pairs), self.rng),
            self._perplexity(surprises[~np.isnan(surprises)]),
        )

    def _perplexity(self, surprises: FloatArray) -> Estimate | None:
        if not len(surprises):
            return None
        mean = bootstrap_mean(surprises, self.rng)
        value, low, high = np.exp([mean.value, mean.low, mean.high]).tolist()
        return Estimate(value, low, high, mean.confidence, mean.n)

    def _classes(self) -> dict[str, IdArray]:
        found = {"author": _numbers([review.author for review in self.originals])}
        labels = [review.label for review in self.originals]
        if None not in labels:
            found["rating"] = _numbers([str(label) for label in labels])
        return found

    def _similarity(
        self, before: Sequence[str], after: Sequence[str]
    ) -> Estimate | None:
        if self.encode is None:
            return None
        step = max(1, len(before) // COMPARED)
        first = _unit(self.encode(list(before[::step])))
        second = _unit(self.encode(list(after[::step])))
        return bootstrap_mean((first * second).sum(axis=1), self.rng)


def _unit(rows: FloatArray) -> FloatArray:
    return rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-12)


def _numbers(names: Sequence[str]) -> IdArray:
    return np.unique(np.array(names), return_inverse=True)[1].astype(np.int64)
