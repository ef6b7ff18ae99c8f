"""Guess words behind a release with the exact channel, alone and with their context.

The prior of a word is public (``zipf``), or that of posts which the attacker has; with
context it is a bigram model of those posts, and the likeliest sequence of words is
found by Viterbi's algorithm among the best candidates of every place.
"""

from collections import Counter
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from publius.assessment.attacks.inversion import Candidates, from_channel
from publius.core.arrays import FloatArray, IdArray
from publius.core.config import WordSettings
from publius.core.rng import seeded
from publius.language.frequency import public_prior
from publius.language.passing import are_protected
from publius.language.tokenizer import Tokenizer, fold
from publius.materials.words.assemble import resolved, sanitizer

WORDS, DRAWS = 4000, 3
CONTEXT_WORDS = 9000
CANDIDATES = 20
PAIRED = (0.02, 0.1, 0.3)
"""Shares of the bigrams in the attacker's model; the best one counts."""


def share(hits: "np.ndarray[tuple[int], np.dtype[np.bool_]]") -> dict[str, float]:
    value, half = float(hits.mean()), 1.96 * float(hits.std()) / np.sqrt(len(hits))
    return {"value": value, "low": value - half, "high": value + half, "n": len(hits)}


def single_words(settings: WordSettings) -> dict[str, dict[str, float]]:
    """Return what is found of words that are drawn by their public frequencies."""
    cleaner = sanitizer(settings)
    prior = public_prior(cleaner.embedding.vocabulary.words, "zipf")
    prior = prior / prior.sum()
    asked = seeded(1).choice(len(prior), WORDS * DRAWS, p=prior)
    drawn = cleaner.mechanism.perturb(asked, seeded(2))
    guess = _best(from_channel(cleaner.mechanism, prior, drawn, most=5), drawn)
    return {"found": share(guess == asked), "kept": share(drawn == asked)}


def _best(candidates: Candidates, z: IdArray) -> IdArray:
    rows = np.arange(len(candidates.released))
    best = candidates.originals[rows, candidates.log_weight.argmax(axis=1)]
    return best[candidates.rows(z)]


@dataclass(frozen=True, slots=True)
class Background:
    """What the attacker knows of such posts: single words, and pairs of words."""

    single: FloatArray
    pairs: Counter[tuple[int, int]]
    first: Counter[int]

    @classmethod
    def of(cls, posts: list[IdArray], words: tuple[str, ...]) -> "Background":
        count = np.bincount(np.concatenate(posts), minlength=len(words)).astype(float)
        public = public_prior(words, "zipf")
        single = 0.9 * count / count.sum() + 0.1 * public / public.sum()
        pairs: Counter[tuple[int, int]] = Counter()
        first: Counter[int] = Counter()
        for ids in posts:
            listed = ids.tolist()
            pairs.update(pairwise(listed))
            first.update(listed[:-1])
        return cls(single, pairs, first)

    def steps(self, before: IdArray, after: IdArray, paired: float) -> FloatArray:
        """Return log p(after | before) for all pairs of candidates."""
        seen = [
            [self.pairs.get((a, b), 0) for b in after.tolist()] for a in before.tolist()
        ]
        total = np.array([max(self.first.get(a, 0), 1) for a in before.tolist()])
        log_probabilities: FloatArray = np.log(
            paired * np.array(seen) / total[:, None]
            + (1 - paired) * self.single[after][None]
        )
        return log_probabilities


def in_context(
    settings: WordSettings, known: list[str], asked: list[str]
) -> dict[str, dict[str, float]]:
    """Return what is found of the words of posts, with three priors."""
    settings = resolved(settings)
    cleaner = sanitizer(settings)
    vocabulary = cleaner.embedding.vocabulary
    background = Background.of(word_ids(known, vocabulary), vocabulary.words)
    posts, total = [], 0
    for ids in word_ids(asked, vocabulary):
        if len(ids) and total < CONTEXT_WORDS:
            posts.append(ids)
            total += len(ids)
    drawn = [cleaner.mechanism.perturb(ids, seeded(50 + i)) for i, ids in
             enumerate(posts)]  # fmt: skip
    x, z = np.concatenate(posts), np.concatenate(drawn)
    public = public_prior(vocabulary.words, "zipf")
    plain = from_channel(cleaner.mechanism, public, z, most=5)
    taught = from_channel(cleaner.mechanism, background.single, z, most=CANDIDATES)
    hits = [
        np.concatenate([viterbi(taught, own, background, w) for own in drawn]) == x
        for w in PAIRED
    ]
    return {
        "kept": share(z == x),
        "public prior": share(_best(plain, z) == x),
        "prior of posts": share(_best(taught, z) == x),
        "bigrams of posts": share(max(hits, key=np.mean)),
    }


def word_ids(texts: list[str], vocabulary: object) -> list[IdArray]:
    tokenizer, sequences = Tokenizer(), []
    for text in texts:
        tokens = tokenizer.split(text)[1::2]
        flags = are_protected(text, tokenizer)
        kept = [fold(t) for t, p in zip(tokens, flags, strict=True) if p]
        ids = vocabulary.encode(kept)  # type: ignore[attr-defined]
        sequences.append(ids[ids >= 0])
    return sequences


def viterbi(
    candidates: Candidates, z: IdArray, background: Background, paired: float
) -> IdArray:
    """Return the likeliest words of one post under channel and bigrams."""
    rows = candidates.rows(z)
    ids = [candidates.originals[row] for row in rows]
    kept = [own >= 0 for own in ids]
    # The channel alone: the prior of single words was a factor of every weight.
    channel = [
        candidates.log_weight[row][is_there] - np.log(background.single[own[is_there]])
        for row, own, is_there in zip(rows, ids, kept, strict=True)
    ]
    ids = [own[is_there] for own, is_there in zip(ids, kept, strict=True)]
    score = np.log(background.single[ids[0]]) + channel[0]
    came = []
    for place in range(1, len(z)):
        total = score[:, None] + background.steps(ids[place - 1], ids[place], paired)
        came.append(total.argmax(axis=0))
        score = total.max(axis=0) + channel[place]
    best = [int(score.argmax())]
    for back in reversed(came):
        best.append(int(back[best[-1]]))
    order = best[::-1]
    return np.array([own[i] for own, i in zip(ids, order, strict=True)])
