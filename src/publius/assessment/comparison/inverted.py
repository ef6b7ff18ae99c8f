"""Guess the words behind a release: with the learnt channel, and with the exact one."""

import json
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from publius.assessment.attacks.inversion import (
    Candidates,
    best_weight,
    context_vectors,
    from_channel,
    from_copies,
    guess_words,
    simulate,
)
from publius.assessment.comparison.sample import Sample
from publius.core.arrays import FloatArray, IdArray, Rng
from publius.core.config import WordSettings
from publius.core.errors import DataError
from publius.core.estimate import Estimate
from publius.core.guarantee import JsonValue
from publius.core.mechanism import Finite
from publius.embeddings.embedding import Embedding
from publius.language.frequency import public_prior
from publius.language.passing import are_protected
from publius.language.tokenizer import Tokenizer, fold
from publius.materials.words.assemble import word_mechanism
from publius.mechanisms.words.given import defaults, word_settings
from publius.mechanisms.words.table import word_mechanisms
from publius.numerics.scores import estimate_json
from publius.tables.formats.memory import Input

INVERSION = "inversion"
DRAWS = 100_000
"""Own copies of public words behind a channel that has no closed form."""


@dataclass(frozen=True, slots=True)
class PublicGuess:
    """Guesses of an attacker who knows the mechanism and how frequent words are.

    Args:
        channel: ``exact``, or ``sampled`` for a mechanism without a finite channel.
        mechanism: Its registered name.
        prior: Source of the public word frequencies.
        guessed: Share of words guessed by prior and channel: Bayes-optimal if exact.
        with_context: The same with neighbouring words.
    """

    channel: str
    mechanism: str
    prior: str
    guessed: Estimate
    with_context: Estimate

    def to_json(self) -> dict[str, JsonValue]:
        """Return plain values."""
        return {
            "channel": self.channel,
            "mechanism": self.mechanism,
            "prior": self.prior,
            "guessed": estimate_json(self.guessed),
            "with_context": estimate_json(self.with_context),
        }


@dataclass(frozen=True, slots=True)
class Inverted:
    """How many protected words are guessed.

    Args:
        kept: Share of protected words that were released as they are: the guess of a
            static attacker, who knows nothing of the mechanism.
        guessed: Share that a channel guesses which was learnt from copies.
        with_context: The same with neighbouring words.
        unaligned: Documents left out because words were dropped or joined.
        public: With the mechanism itself; None if it is not known.
    """

    kept: Estimate
    guessed: Estimate
    with_context: Estimate
    unaligned: int
    public: PublicGuess | None = None

    def to_json(self) -> dict[str, JsonValue]:
        """Return plain values."""
        return {
            "attack": INVERSION,
            "kept": estimate_json(self.kept),
            "guessed": estimate_json(self.guessed),
            "with_context": estimate_json(self.with_context),
            "unaligned_documents": self.unaligned,
            "known_mechanism": None if self.public is None else self.public.to_json(),
        }


@dataclass(frozen=True, slots=True, eq=False)
class Aligned:
    """Original and released ids of protected words, place by place."""

    x: IdArray
    z: IdArray
    owner: IdArray
    unaligned: int = field(default=0)


def release_settings(released: Input) -> WordSettings | None:
    """Return the settings that the manifest beside released texts names, if any."""
    if not isinstance(released, str):
        return None
    path = Path(released)
    manifest = (path if path.is_dir() else path.parent) / "manifest.json"
    if not path.exists() or not manifest.is_file():
        return None
    try:
        written = json.loads(manifest.read_text("utf-8"))
        named = written["settings"]
        if named["mechanism"] not in word_mechanisms():
            return None  # whole sentences are rewritten by others
        known = defaults()
        return word_settings({k: v for k, v in named.items() if k in known})
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None


def align(
    sample: Sample, embedding: Embedding, tokenizer: Tokenizer, *, known: bool
) -> Aligned:
    """Pair the words of originals and releases on one side of the split."""
    before: list[str] = []
    after: list[str] = []
    sizes, skipped = [], 0
    for row in np.flatnonzero(sample.is_known == known).tolist():
        words = tokenizer.split(sample.originals[row])[1::2]
        drawn = tokenizer.split(sample.released[row])[1::2]
        if len(words) != len(drawn):
            skipped += 1
            continue
        protected = are_protected(sample.originals[row], tokenizer)
        kept = np.flatnonzero(protected).tolist()
        before += [fold(words[i]) for i in kept]
        after += [fold(drawn[i]) for i in kept]
        sizes.append(len(kept))
    owner = np.repeat(np.arange(len(sizes)), np.array(sizes, dtype=np.int64))
    encode = embedding.vocabulary.encode
    return Aligned(encode(before), encode(after), owner, skipped)


def invert_sample(
    sample: Sample,
    embedding: Embedding,
    rng: Rng,
    *,
    settings: WordSettings | None = None,
) -> Inverted:
    """Learn from the known side, guess the words of the other.

    Args:
        sample: Originals and released texts.
        embedding: Vocabulary of the release.
        rng: Draws copies where a mechanism has no finite channel.
        settings: Of the mechanism, if the attacker knows it.
    """
    tokenizer = Tokenizer(
        protect_all=settings is not None and settings.protect == "all"
    )
    copies = align(sample, embedding, tokenizer, known=True)
    target = align(sample, embedding, tokenizer, known=False)
    seen = (target.x >= 0) & (target.z >= 0)
    n = int(seen.sum())
    if not n:
        raise DataError(
            "no released word can be paired with its original; inversion needs a "
            "release as text that keeps the number of words"
        )
    vectors = np.asarray(embedding.vectors, dtype=np.float64)
    task = _Task(copies, target, seen, vectors, tokenizer)
    learnt = from_copies(copies.x, copies.z, task.z, size=embedding.size)
    half = copies.owner < (copies.owner.max(initial=0) + 1) / 2
    trial = from_copies(
        copies.x[half], copies.z[half], copies.z[copies.z >= 0], size=embedding.size
    )
    guessed, with_context = task.guesses(learnt, trial, ~half)
    public = None
    if settings is not None:
        public = _public(task, embedding, settings, rng)
    return Inverted(
        kept=Estimate.share(int((task.z == task.x).sum()), n),
        guessed=guessed,
        with_context=with_context,
        unaligned=target.unaligned + copies.unaligned,
        public=public,
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Task:
    """The attacker's copies and the released words; the truth is for the scorer."""

    copies: Aligned
    target: Aligned
    seen: "np.ndarray"
    vectors: FloatArray
    tokenizer: Tokenizer

    @property
    def x(self) -> IdArray:
        return self.target.x[self.seen]

    @property
    def z(self) -> IdArray:
        return self.target.z[self.seen]

    def guesses(
        self, candidates: Candidates, trial: Candidates, held: "np.ndarray"
    ) -> tuple[Estimate, Estimate]:
        """Return the share guessed without and with context.

        The weight of the context is tried out on the `held` copies.
        """
        own = held & (self.copies.z >= 0)
        weight = 0.0
        if own.any():
            near = context_vectors(self.copies.z, self.copies.owner, self.vectors)[own]
            weight = best_weight(
                trial, self.copies.x[own], self.copies.z[own], near, self.vectors
            )
        contexts = context_vectors(self.target.z, self.target.owner, self.vectors)
        plain = guess_words(candidates, self.z)
        wise = guess_words(
            candidates,
            self.z,
            contexts=contexts[self.seen],
            vectors=self.vectors,
            weight=weight,
        )
        n = len(self.x)
        return (
            Estimate.share(int((plain == self.x).sum()), n),
            Estimate.share(int((wise == self.x).sum()), n),
        )


def _public(
    task: _Task, embedding: Embedding, settings: WordSettings, rng: Rng
) -> PublicGuess:
    """Guess with the mechanism that the settings name and public frequencies."""
    mechanism = word_mechanism(settings)
    words = embedding.vocabulary.words
    # A stop word is replaced only where it is joined to something, which is rare.
    is_stop = np.array([task.tokenizer.is_stop_word(w) for w in words], dtype=bool)
    prior = np.where(is_stop, 0.0, public_prior(words, settings.prior))
    prior /= prior.sum()
    copied = task.copies.z[task.copies.z >= 0]
    every = np.concatenate([task.z, copied])
    if isinstance(mechanism, Finite):
        channel, candidates = "exact", from_channel(mechanism, prior, every)
    else:
        x, drawn = simulate(mechanism, prior, DRAWS, rng)
        channel = "sampled"
        candidates = from_copies(x, drawn, every, size=embedding.size)
    is_held = np.ones(len(task.copies.z), dtype=bool)
    guessed, with_context = task.guesses(candidates, candidates, is_held)
    return PublicGuess(channel, mechanism.name, settings.prior, guessed, with_context)
