"""Attack a release: every attack static and adaptive, beside the untouched texts."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from publius.attacks import Documents, Knowledge, Resources, attack, training
from publius.attacks.inversion import (
    best_weight,
    context_vectors,
    from_copies,
    guess_words,
)
from publius.core.arrays import FloatArray, IdArray, Rng
from publius.core.errors import DataError
from publius.core.guarantee import JsonValue
from publius.core.report import Estimate
from publius.core.scores import Scores, estimate_json
from publius.embeddings.embedding import Embedding
from publius.lab.sample import Sample
from publius.text.tokenizer import Tokenizer, fold

INVERSION = "inversion"
DEFAULT_ATTACKS = ("delta", "koppel", "ngram_svm")

Progress = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class AttackResult:
    """One attack on one kind of target.

    Args:
        attack: Its name.
        target: ``original`` or ``released`` texts.
        knowledge: Trained on originals (static) or on obfuscated copies (adaptive).
        scores: Against the truth.
    """

    attack: str
    target: str
    knowledge: Knowledge
    scores: Scores

    def to_json(self) -> dict[str, JsonValue]:
        """Return plain values."""
        return {
            "attack": self.attack,
            "target": self.target,
            "knowledge": self.knowledge.value,
            **self.scores.to_json(),
        }


def attack_sample(  # noqa: PLR0913 - what is attacked, by what, and who is told
    sample: Sample,
    names: Sequence[str],
    knowledge: Sequence[Knowledge],
    resources: Resources,
    rng: Rng,
    *,
    with_original: bool = True,
    progress: Progress = lambda _: None,
) -> list[AttackResult]:
    """Run attacks on the released texts, and on the originals for comparison."""
    trainings = [training(name, resources) for name in names]
    released = Documents(
        sample.originals, sample.released, sample.classes, sample.is_known
    )
    untouched = Documents(
        sample.originals, sample.originals, sample.classes, sample.is_known
    )
    results = []
    for made in trainings:
        if with_original:
            progress(f"{made.name} on originals")
            scores = attack(made, untouched, Knowledge.STATIC, rng)
            results.append(
                AttackResult(made.name, "original", Knowledge.STATIC, scores)
            )
        for known in knowledge:
            progress(f"{made.name}, {known.value}")
            scores = attack(made, released, known, rng)
            results.append(AttackResult(made.name, "released", known, scores))
    return results


@dataclass(frozen=True, slots=True)
class Inverted:
    """How many protected words are guessed.

    Args:
        kept: Share of protected words that were released as they are: the guess of an
            attacker who knows nothing of the mechanism.
        guessed: Share that the learnt channel guesses.
        with_context: The same with neighbouring words.
        unaligned: Documents left out because words were dropped or joined.
    """

    kept: Estimate
    guessed: Estimate
    with_context: Estimate
    unaligned: int

    def to_json(self) -> dict[str, JsonValue]:
        """Return plain values."""
        return {
            "attack": INVERSION,
            "kept": estimate_json(self.kept),
            "guessed": estimate_json(self.guessed),
            "with_context": estimate_json(self.with_context),
            "unaligned_documents": self.unaligned,
        }


@dataclass(frozen=True, slots=True, eq=False)
class Aligned:
    """Original and released ids of protected words, place by place."""

    x: IdArray
    z: IdArray
    owner: IdArray
    unaligned: int = field(default=0)


def align(sample: Sample, embedding: Embedding, *, known: bool) -> Aligned:
    """Pair the words of originals and releases on one side of the split."""
    tokenizer = Tokenizer()
    before: list[str] = []
    after: list[str] = []
    sizes, skipped = [], 0
    for row in np.flatnonzero(sample.is_known == known).tolist():
        words = tokenizer.split(sample.originals[row])[1::2]
        drawn = tokenizer.split(sample.released[row])[1::2]
        if len(words) != len(drawn):
            skipped += 1
            continue
        kept = [i for i, word in enumerate(words) if not tokenizer.passes(word)]
        before += [fold(words[i]) for i in kept]
        after += [fold(drawn[i]) for i in kept]
        sizes.append(len(kept))
    owner = np.repeat(np.arange(len(sizes)), np.array(sizes, dtype=np.int64))
    encode = embedding.vocabulary.encode
    return Aligned(encode(before), encode(after), owner, skipped)


def invert_sample(sample: Sample, embedding: Embedding) -> Inverted:
    """Learn the channel from copies of the known side, guess words of the other."""
    copies = align(sample, embedding, known=True)
    target = align(sample, embedding, known=False)
    seen = (target.x >= 0) & (target.z >= 0)
    n = int(seen.sum())
    if not n:
        raise DataError(
            "no released word can be paired with its original; inversion needs a "
            "release as text that keeps the number of words"
        )
    vectors = np.asarray(embedding.vectors, dtype=np.float64)
    z, x = target.z[seen], target.x[seen]
    contexts = context_vectors(target.z, target.owner, vectors)[seen]
    candidates = from_copies(copies.x, copies.z, z, size=embedding.size)
    weight = _context_weight(copies, vectors)
    plain = guess_words(candidates, z)
    wise = guess_words(candidates, z, contexts=contexts, vectors=vectors, weight=weight)
    return Inverted(
        kept=Estimate.share(int((z == x).sum()), n),
        guessed=Estimate.share(int((plain == x).sum()), n),
        with_context=Estimate.share(int((wise == x).sum()), n),
        unaligned=target.unaligned + copies.unaligned,
    )


def _context_weight(copies: Aligned, vectors: FloatArray) -> float:
    """Choose the weight on the second half of the copies, learnt on the first."""
    half = copies.owner < (copies.owner.max(initial=0) + 1) / 2
    own = ~half & (copies.z >= 0)
    if not own.any():
        return 0.0
    learnt = from_copies(
        copies.x[half], copies.z[half], copies.z[own], size=len(vectors)
    )
    contexts = context_vectors(copies.z, copies.owner, vectors)[own]
    return best_weight(learnt, copies.x[own], copies.z[own], contexts, vectors)


def fresh(seed: int | None) -> Rng:
    """Return the generator of an experiment; attacks may be reproducible."""
    return np.random.default_rng(seed)
