"""The rivals side by side: each with its setting, what it certifies, and its texts."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from publius import autoencoder
from publius.accounting.gaussian import USUAL_DELTA, asked_sigma
from publius.assessment.rivals.asking import (
    Asking,
    ContextReplacement,
    Language,
    PriorReplacement,
    PromptedParaphrase,
)
from publius.assessment.rivals.clipped import (
    ClippedScores,
    prompted,
    replaced_in_context,
)
from publius.assessment.rivals.lexicon import lexicon
from publius.assessment.rivals.passages import content_of, with_words
from publius.assessment.rivals.prior import PriorExponential
from publius.assessment.rivals.rank_list import RankLists, walked
from publius.core.arrays import Rng
from publius.core.config import WordSettings
from publius.core.guarantee import Guarantee
from publius.embeddings.embedding import Embedding
from publius.embeddings.like import LikeTable, like_table
from publius.embeddings.space_spec import DEFAULT_SPACE, LIKE
from publius.language.models.causal.byte_pairs import BytePairs
from publius.materials.words.assemble import resolved, sanitizer, word_embedding

WORDS = 32
"""Content words of every text of the study."""
PIECES = 88
"""Pieces that a paraphrase has at most."""
SENTENCES = 2
"""Sentences that an autoencoder writes for a text."""
PROMPT_WIDTH, CONTEXT_WIDTH = 8.0, 6.0
"""Ranges that scores of the language model are cut to.

At one loss a smaller range goes with a lower temperature and, down to about 6, keeps
more of a text; see docs/explanation/rivals.md."""
LEXICON = 6000
LISTS = 2

Release = Callable[[Sequence[str], Rng], list[str]]


@dataclass(frozen=True, slots=True, eq=False)
class Entry:
    """One rival at one setting.

    Args:
        name: Of the rival.
        setting: In words.
        loss: Certified between any two texts of `WORDS` content words, as far as they
            are covered; infinite where nothing is certified.
        covers: What the loss speaks of.
        release: Writes texts without a language model; None where one is asked.
        asking: What a language model is asked.
    """

    name: str
    setting: str
    loss: float
    covers: str
    release: Release | None = None
    asking: Asking | None = None

    @property
    def key(self) -> str:
        """Name and setting."""
        return f"{self.name}, {self.setting}" if self.setting else self.name


@dataclass(frozen=True)
class Ground:
    """Words, pieces and distances that the rivals share; all public.

    Args:
        tokenizer: Of the language model.
        most: Words of the lexicon.
    """

    tokenizer: BytePairs = field(repr=False)
    most: int = LEXICON

    @cached_property
    def embedding(self) -> Embedding:
        """Words of the like space."""
        return word_embedding(resolved(WordSettings(metric=LIKE)))

    @cached_property
    def table(self) -> LikeTable:
        """The like space."""
        return like_table(self.embedding)

    @cached_property
    def language(self) -> Language:
        """Pieces and words."""
        words = lexicon(self.embedding, self.table, self.tokenizer, self.most)
        return Language(self.tokenizer, words, self.embedding.vocabulary)

    @cached_property
    def orders(self) -> "np.ndarray":
        """Lists of the words, from public starts."""
        words = self.language.lexicon.words
        vectors = self.embedding.vectors[self.embedding.vocabulary.encode(words)]
        starts = range(0, len(words), len(words) // LISTS)
        return np.stack([walked(vectors, start) for start in starts[:LISTS]])


def of_a_text(guarantee: Guarantee) -> float:
    """Return what the words of a text cost at most, unknown ones included."""
    worst = max(guarantee.worst_loss, guarantee.landmarks.unknown_loss)
    return worst * WORDS


def word_entry(name: str, metric: str, epsilon: float) -> Entry:
    """Return a release word by word, as text."""
    cleaner = sanitizer(WordSettings(metric=metric, epsilon=epsilon))

    def release(texts: Sequence[str], rng: Rng) -> list[str]:
        return list(cleaner.release(texts, rng).texts)

    loss = of_a_text(cleaner.mechanism.guarantee())
    covers = "content words; stop words, punctuation and layout pass"
    return Entry(name, f"ε = {epsilon:g}", loss, covers, release)


def prompt_entry(ground: Ground, loss: float) -> Entry:
    """Return DP-Prompt at a loss per piece."""
    outputs = len(ground.tokenizer.pieces)
    law = ClippedScores.of_loss(loss, outputs, width=PROMPT_WIDTH)
    asking = PromptedParaphrase(ground.language, law, PIECES)
    worst = prompted(law, outputs, PIECES).worst_loss
    setting = f"ε = {loss:.3g} per piece"
    return Entry("DP-Prompt", setting, worst, "the whole text", asking=asking)


def context_entry(ground: Ground, loss: float) -> Entry:
    """Return DP-MLM by the causal model at a loss per draw."""
    outputs = ground.language.lexicon.size
    law = ClippedScores.of_loss(loss, outputs, width=CONTEXT_WIDTH)
    asking = ContextReplacement(ground.language, law)
    worst = replaced_in_context(law, outputs, WORDS).worst_loss
    covers = "content words, all or one alike; stop words and punctuation pass"
    setting = f"ε = {loss:.3g} per word"
    return Entry("DP-MLM (causal)", setting, worst, covers, asking=asking)


def prior_entry(ground: Ground, rate: float, width: float) -> Entry:
    """Return the prior inside the mechanism."""
    words = ground.language.lexicon
    law = PriorExponential.balanced(words.distances, rate, width)
    asking = PriorReplacement(ground.language, law)
    covers = "content words; stop words and punctuation pass"
    setting = f"λ = {rate:.3g}, range {width:g}"
    loss = of_a_text(law.guarantee())
    return Entry("prior inside", setting, loss, covers, asking=asking)


def list_entry(ground: Ground, epsilon: float) -> Entry:
    """Return 1-Diffractor at ε per place; an unknown word is drawn from all alike."""
    lists = RankLists(ground.orders, epsilon)
    words = ground.language.lexicon

    def release(texts: Sequence[str], rng: Rng) -> list[str]:
        own = [content_of(text) for text in texts]
        flat = [word for content in own for word in content]
        places = words.places(ground.embedding.vocabulary.encode(flat))
        unknown = places == words.size
        places[unknown] = rng.integers(0, words.size, int(unknown.sum()))
        drawn = lists.perturb(places, rng).tolist()
        edges = np.cumsum([0, *map(len, own)]).tolist()
        return [
            with_words(text, [words.words[i] for i in drawn[a:b]])
            for text, a, b in zip(texts, edges[:-1], edges[1:], strict=True)
        ]

    # Between an unknown word and a known one no more than between two known ones:
    # its law is a mixture of theirs.
    loss = lists.guarantee().worst_loss * WORDS
    covers = "content words; stop words and punctuation pass"
    return Entry("1-Diffractor", f"ε = {epsilon:.3g} per place", loss, covers, release)


def sentence_entry(epsilon: float) -> Entry:
    """Return the DP-VAE at an ε per text."""
    model = autoencoder.SentenceVAE.load()
    sigma = asked_sigma(
        None, epsilon, USUAL_DELTA, sensitivity=2 * model.shape.bound, count=SENTENCES
    )

    def release(texts: Sequence[str], rng: Rng) -> list[str]:
        done = model.rewrite(texts, rng, sigma=sigma, sentences=SENTENCES)
        return list(done.texts)

    setting = f"ε = {epsilon:.3g}, δ = {USUAL_DELTA:g} per text"
    return Entry("DP-VAE", setting, epsilon, "the whole text", release)


def untouched() -> Entry:
    """Return the originals as they are."""
    return Entry("untouched", "", math.inf, "nothing", lambda texts, _: list(texts))


def word_entries() -> list[Entry]:
    """Return releases word by word of Publius."""
    return [
        word_entry("words, hop", DEFAULT_SPACE, 4.0),
        word_entry("words, like", LIKE, 3.0),
        word_entry("words, like", LIKE, 4.0),
    ]


def entries(ground: Ground, target: float) -> list[Entry]:
    """Return every rival at an equal certified loss per text, and at larger ones."""
    places = ground.most - 1
    return [
        untouched(),
        *word_entries(),
        *(list_entry(ground, loss) for loss in (target / WORDS / places, 0.1, 1.0)),
        sentence_entry(target),
        *(prompt_entry(ground, loss) for loss in (target / PIECES, 24.0, 28.0)),
        *(context_entry(ground, loss) for loss in (target / WORDS, 18.0)),
        *(
            prior_entry(ground, rate, width)
            for rate, width in ((3.0, 0.0), (2.0, 4.0), (3.0, 4.0))
        ),
    ]
