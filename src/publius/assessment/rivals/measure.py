"""What is left after a rival: use, likeness, reading, and the risk of its authors."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from publius.assessment.attacks import (
    Documents,
    Knowledge,
    NgramSvm,
    Training,
    WordSvm,
    attack,
)
from publius.assessment.evaluation.classify import Task, classify
from publius.core.arrays import BoolArray, FloatArray, IdArray, Rng
from publius.core.errors import DataError
from publius.core.estimate import Estimate
from publius.embeddings.embedding import Embedding
from publius.language.counts import spread
from publius.language.stop_words import STOP_WORDS
from publius.numerics.scores import bootstrap_mean, score_ranking

Encode = Callable[[Sequence[str]], FloatArray]


@dataclass(frozen=True, slots=True, eq=False)
class Texts:
    """Originals and what was released of them, with a class each.

    Args:
        originals: The secrets.
        released: In the same order.
        classes: Authors, topics or ratings, as numbers.
        is_known: On the side that is learnt from.
    """

    originals: Sequence[str]
    released: Sequence[str]
    classes: IdArray
    is_known: BoolArray

    def only(self, rows: IdArray) -> "Texts":
        """Return some texts, their classes numbered anew."""
        places = rows.tolist()
        return Texts(
            [self.originals[i] for i in places],
            [self.released[i] for i in places],
            np.unique(self.classes[rows], return_inverse=True)[1].astype(np.int64),
            self.is_known[rows],
        )


def author_risk(
    texts: Texts, trainings: Sequence[Training], rng: Rng
) -> dict[str, Estimate]:
    """Return how many authors each attacker finds, static and adaptive."""
    documents = Documents(
        texts.originals, texts.released, texts.classes, texts.is_known
    )
    return {
        f"{training.name}, {knowledge}": attack(
            training, documents, knowledge, rng
        ).accuracy
        for training in trainings
        for knowledge in (Knowledge.STATIC, Knowledge.ADAPTIVE)
    }


def svm_attackers() -> list[Training]:
    """Return the two linear attackers, on words and on character 3-grams."""
    return [WordSvm(), NgramSvm()]


def strongest(estimates: dict[str, Estimate]) -> Estimate:
    """Return the largest estimate: an attacker or analyst takes the best method."""
    return max(estimates.values(), key=lambda one: one.value)


def use_left(texts: Texts, rng: Rng) -> Estimate:
    """Return how many classes an analyst finds, static or adaptive."""
    known = np.flatnonzero(texts.is_known).tolist()
    asked = np.flatnonzero(~texts.is_known).tolist()
    truth = texts.classes[~texts.is_known]
    accuracies = {}
    for name, source in (("static", texts.originals), ("adaptive", texts.released)):
        task = Task(
            [source[i] for i in known],
            texts.classes[texts.is_known],
            [texts.released[i] for i in asked],
            int(texts.classes.max()) + 1,
        )
        ranking = classify("svm", task, _no_embedding)
        accuracies[name] = score_ranking(ranking, truth, rng).accuracy
    return strongest(accuracies)


def _no_embedding() -> Embedding:
    raise DataError("a word SVM needs no embedding")


def detectable(texts: Texts, rng: Rng) -> Estimate:
    """Return how often a release is told from an original; one half is chance.

    Originals and releases of the known side teach a character 3-gram SVM, which is
    asked about both versions of every text of the other side.
    """
    both = [*texts.originals, *texts.released]
    kind = np.repeat([0, 1], len(texts.originals))
    documents = Documents(both, both, kind, np.tile(texts.is_known, 2))
    return attack(NgramSvm(), documents, Knowledge.STATIC, rng).accuracy


def register_gap(originals: Sequence[str], released: Sequence[str]) -> float:
    """Return the distance in total variation of the use of stop words, from 0 to 1.

    Everything that is no stop word counts as one word more.
    """
    shares = [_stop_words(texts) for texts in (originals, released)]
    names = set(shares[0]) | set(shares[1])
    return sum(abs(shares[0][name] - shares[1][name]) for name in names) / 2


def _stop_words(texts: Sequence[str]) -> Counter[str]:
    seen = spread(texts)
    count = np.bincount(seen.codes, minlength=len(seen.forms))
    share: Counter[str] = Counter()
    for form, times in zip(seen.forms, count.tolist(), strict=True):
        share[form if form in STOP_WORDS else ""] += times / max(len(seen.codes), 1)
    return share


def likeness(
    originals: Sequence[str], released: Sequence[str], encode: Encode, rng: Rng
) -> Estimate:
    """Return the mean cosine of original and released text by a sentence encoder."""
    before, after = encode(originals), encode(released)
    return bootstrap_mean(np.einsum("ij,ij->i", before, after), rng)


def perplexity(surprise: FloatArray) -> float:
    """Return the exponential of the mean surprise of the texts that have one."""
    return float(np.exp(np.nanmean(surprise)))


def subject_alone(authors: IdArray, topics: IdArray, is_known: BoolArray) -> Estimate:
    """Return how many authors are found by their topic alone.

    Of every topic the author is named who wrote most of its known texts; of a topic
    without one, who wrote most of all.
    """
    usual = int(np.bincount(authors[is_known]).argmax())
    named = {
        int(topic): int(np.bincount(authors[is_known & (topics == topic)]).argmax())
        for topic in np.unique(topics[is_known])
    }
    asked = np.flatnonzero(~is_known)
    guess = np.array([named.get(int(topics[i]), usual) for i in asked])
    return Estimate.share(int((guess == authors[asked]).sum()), len(asked))


def within_topics(
    texts: Texts, topics: IdArray, rng: Rng
) -> tuple[Estimate, float, int]:
    """Return how many authors are found among those of the same topic.

    Returns:
        Accuracy of a character 3-gram SVM, static or adaptive, that is taught and asked
        within one topic after the other; that of naming the busiest author of each;
        and the number of topics with two authors or more.
    """
    hits: dict[Knowledge, int] = dict.fromkeys(Knowledge, 0)
    usual = total = used = 0
    for topic in np.unique(topics):
        rows = _contested(texts, np.flatnonzero(topics == topic))
        if not len(rows):
            continue
        part = texts.only(rows)
        documents = Documents(
            part.originals, part.released, part.classes, part.is_known
        )
        truth = part.classes[~part.is_known]
        for knowledge in Knowledge:
            accuracy = attack(NgramSvm(), documents, knowledge, rng).accuracy
            hits[knowledge] += round(accuracy.value * accuracy.n)
        busiest = int(np.bincount(part.classes[part.is_known]).argmax())
        usual += int((truth == busiest).sum())
        total, used = total + len(truth), used + 1
    if not total:
        raise DataError("no topic has texts of two authors on both sides")
    return Estimate.share(max(hits.values()), total), usual / total, used


def _contested(texts: Texts, rows: IdArray) -> IdArray:
    """Return the texts of authors on both sides; none if there is one author only."""
    sides = [set(texts.classes[rows[texts.is_known[rows] == s]]) for s in (True, False)]
    both = sorted(sides[0] & sides[1])
    if len(both) < 2:
        return rows[:0]
    return rows[np.isin(texts.classes[rows], both)]
