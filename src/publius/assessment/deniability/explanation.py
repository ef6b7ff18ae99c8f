"""What a word is replaced by, and who else could have been there."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches

import numpy as np

from publius.core.arrays import UNKNOWN, FloatArray, IdArray
from publius.core.config import WordSettings
from publius.core.errors import DataError
from publius.core.html import html_table
from publius.core.mechanism import Finite
from publius.core.rng import seeded
from publius.embeddings.embedding import Embedding
from publius.embeddings.like import like_table
from publius.embeddings.poincare_words import relations_behind
from publius.embeddings.relations import Relation, Relations
from publius.embeddings.space_spec import LIKE
from publius.language.collocations import spelled
from publius.language.morphology import LOWER
from publius.language.tokenizer import Tokenizer
from publius.materials.words.assemble import (
    resolved,
    word_embedding,
    word_mechanism,
    word_space,
)
from publius.materials.words.words import find_words
from publius.mechanisms.balance import Progress
from publius.mechanisms.profile import (
    DRAWS,
    MOST_EXPLANATIONS,
    ROW_BUDGET,
    WordProfile,
    finds_inputs,
)
from publius.mechanisms.remap import Remapped
from publius.mechanisms.words.entry import WordMechanism
from publius.mechanisms.words.syntf import morphology

CANDIDATES = 100
"""Of a large vocabulary so many nearest words, and as many likely replacements, are
asked whether they could have been written."""

DRAWN_CANDIDATES = 20
"""The same where every word that is asked costs ``DRAWS`` searches."""

LAW_DRAWS = 5 * DRAWS
"""Draws of the word itself where its law is not known."""

BLOCK = 256


@dataclass(frozen=True, slots=True, eq=False)
class Listed:
    """Words with a figure each, in order.

    Args:
        words: As they are written in a text.
        figures: One per word: a probability or a distance.
    """

    words: tuple[str, ...]
    figures: FloatArray

    def pairs(self, figure: str) -> list[dict[str, object]]:
        """Return each word with its figure under the name of the figure."""
        pairs = zip(self.words, self.figures.tolist(), strict=True)
        return [{"word": word, figure: value} for word, value in pairs]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Explanation:
    """Everything about the replacement of one public word.

    Args:
        word: As it is written in a text.
        settings: With every default filled in.
        mechanism: Registered name.
        replacements: Likeliest outputs with their probabilities.
        others: Probability of all outputs that are not listed.
        profile: N_w, S_w, K_w and entropies of the word; K_w counts the words that were
            asked.
        neighbours: Nearest words with their distance in the metric of the guarantee.
        deniable: Other words that are released as this one at least once in ``DRAWS``
            draws on average, with that probability; likeliest first.
        is_exhaustive: Every word of the vocabulary was asked, not the candidates only.
        relations: What each listed replacement is to the word; empty for an embedding
            that comes from no hierarchy.
        shares: Probability of all replacements that are hypernyms, siblings and so on.
        stand_in: The word that this one is taken for, before anything is drawn; empty
            if it stands for itself.
        word_class: The class whose members are all treated alike; empty if none.
    """

    word: str
    settings: WordSettings
    mechanism: str
    replacements: Listed
    others: float
    profile: WordProfile
    neighbours: Listed
    deniable: Listed
    is_exhaustive: bool
    relations: tuple[str, ...] = ()
    shares: Mapping[str, float] = field(default_factory=dict)
    stand_in: str = ""
    word_class: str = ""

    @property
    def is_exact(self) -> bool:
        """Say whether probabilities are computed; otherwise they were drawn."""
        return self.profile.n == 0

    def to_json(self) -> dict[str, object]:
        """Return plain values."""
        measured = self.profile
        return {
            "word": self.word,
            "mechanism": self.mechanism,
            "epsilon": self.settings.rate,
            "metric": self.settings.metric,
            "exact": self.is_exact,
            "replacements": self._marked(),
            "relations": dict(self.shares),
            "other_words": self.others,
            "unchanged": float(measured.unchanged[0]),
            "distinct_outputs": float(measured.outputs[0]),
            "explanations": float(measured.explanations[0]),
            "hartley_bits": float(measured.hartley[0]),
            "min_entropy_bits": float(measured.min_entropy[0]),
            "draws": DRAWS,
            "neighbours": self.neighbours.pairs("distance"),
            "deniability_set": self.deniable.pairs("probability"),
            "deniability_set_is_complete": self.is_exhaustive,
            "stand_in": self.stand_in,
            "class": self.word_class,
        }

    def _marked(self) -> list[dict[str, object]]:
        """Return replacements, with their relation to the word where it is known."""
        pairs = self.replacements.pairs("probability")
        if not self.relations:
            return pairs
        marked = zip(pairs, self.relations, strict=True)
        return [{**pair, "relation": relation} for pair, relation in marked]

    def __repr__(self) -> str:
        return (
            f"<Explanation of {self.word!r} by {self.mechanism} at "
            f"ε = {self.settings.rate:g}>"
        )

    def _repr_html_(self) -> str:
        return html_table(
            f"{self.word} at ε = {self.settings.rate:g}",
            ("released as", "probability"),
            [
                *zip(
                    self.replacements.words,
                    self.replacements.figures.tolist(),
                    strict=True,
                ),
                ("any other word", self.others),
            ],
        )


def explain(
    word: str,
    settings: WordSettings,
    *,
    best: int = 15,
    progress: Progress = lambda _: None,
    build: Callable[[WordSettings, Progress], WordMechanism] = word_mechanism,
) -> Explanation:
    """Explain what happens to a public word.

    Args:
        word: A word, or a collocation that the vocabulary has.
        settings: The mechanism.
        best: How many replacements and neighbours to list.
        progress: Told what begins.
        build: Builds the mechanism, or returns one that was built before.
    """
    settings = resolved(settings)
    embedding = word_embedding(settings)
    number = unit_id(word, embedding, settings)
    mechanism = build(settings, progress)
    progress("looking at the word")
    share = _law(mechanism, number, embedding.size)
    likely = np.argsort(-share, kind="stable")
    likely = likely[share[likely] > 0]
    distance = word_space(settings).rows(np.array([number]))[0]
    near = _nearest(distance, embedding, number)
    asked, giving, is_exhaustive = _explaining(mechanism, near, likely, number)
    order = np.argsort(-giving, kind="stable")
    order = order[giving[order] >= 1 / DRAWS]
    shown = likely[:best]
    explaining = len(order) + int(share[number] >= 1 / DRAWS)
    known = relations_behind(settings.embedding, embedding.vocabulary.words)

    def listed(ids: IdArray, figures: FloatArray) -> Listed:
        names = embedding.vocabulary.words
        return Listed(tuple(spelled(names[i]) for i in ids), figures)

    return Explanation(
        word=spelled(embedding.vocabulary.words[number]),
        settings=settings,
        mechanism=mechanism.name,
        replacements=listed(shown, share[shown]),
        others=_rest(share[shown]) if len(shown) < len(likely) else 0.0,
        profile=_profile(mechanism, number, share, explaining),
        neighbours=listed(near[:best], distance[near[:best]]),
        deniable=listed(asked[order], giving[order]),
        is_exhaustive=is_exhaustive,
        relations=_labels(known, number, shown),
        shares=_shares(known, number, share),
        **_treated_as(number, embedding, settings),
    )


def _treated_as(
    word: int, embedding: Embedding, settings: WordSettings
) -> dict[str, str]:
    """Return the class of a word, or the word that it is taken for, on a like space."""
    if settings.metric != LIKE:
        return {}
    table = like_table(embedding)
    symbol = int(table.fold[word])
    if table.class_of(symbol):
        return {"word_class": table.class_of(symbol)}
    written = int(table.spoken[table.counts[:symbol].sum()])
    names = embedding.vocabulary.words
    return {} if written == word else {"stand_in": spelled(names[written])}


def _rest(share: FloatArray) -> float:
    """Return what is left of 1; rounding must not make it negative."""
    return max(0.0, 1 - float(share.sum()))


def _labels(known: Relations | None, word: int, others: IdArray) -> tuple[str, ...]:
    """Say what other words are to a word, where a hierarchy tells."""
    if known is None:
        return ()
    return tuple(Relation(kind).label for kind in known.of_word(word)[others])


def _shares(known: Relations | None, word: int, law: FloatArray) -> dict[str, float]:
    """Return the probability of each relation, where a hierarchy tells."""
    if known is None:
        return {}
    shares = known.shares(word, law).tolist()
    return {kind.label: shares[kind] for kind in Relation}


def unit_id(word: str, embedding: Embedding, settings: WordSettings) -> int:
    """Return the place of a word, or of a collocation, in the vocabulary."""
    tokenizer = Tokenizer(protect_all=True, collocations=settings.collocations)
    forms = morphology(settings) if settings.mechanism == "syntf" else LOWER
    words = find_words([word.strip()], tokenizer, embedding.vocabulary, forms)
    if len(words.codes) != 1:
        raise DataError(
            f"expected one word, got {len(words.codes)}; a sequence of words is one "
            "unit only where the vocabulary has it as one entry"
        )
    number = int(words.ids[0])
    if number == UNKNOWN:
        raise DataError(
            "this word is not in the vocabulary: it would be replaced by a draw that "
            f"is the same for every unknown word{_alike(word, embedding)}"
        )
    return number


def _alike(word: str, embedding: Embedding) -> str:
    """Return words of the vocabulary that are written almost the same, if any."""
    words = embedding.vocabulary.words
    close = get_close_matches(word.strip().lower(), words, n=3, cutoff=0.75)
    listed = ", ".join(spelled(name) for name in close)
    return f"; written alike are: {listed}" if close else ""


def _law(mechanism: WordMechanism, word: int, size: int) -> FloatArray:
    """Return the probability of every output, exact or drawn."""
    if isinstance(mechanism, Finite):
        return np.exp(mechanism.channel(np.array([word]))[0])
    drawn = mechanism.perturb(np.full(LAW_DRAWS, word), seeded(0))
    return np.bincount(drawn, minlength=size) / LAW_DRAWS


def _nearest(distance: FloatArray, embedding: Embedding, word: int) -> IdArray:
    """Return all other words, nearest first; vectors decide between equal distances."""
    rows = embedding.vectors
    apart = ((rows - rows[word]) ** 2).sum(axis=1)
    order = np.lexsort((apart, distance))
    return order[order != word].astype(np.int64)


def _explaining(
    mechanism: WordMechanism, near: IdArray, likely: IdArray, word: int
) -> tuple[IdArray, FloatArray, bool]:
    """Return other inputs, how likely each gives the word, and whether that is all."""
    if finds_inputs(mechanism):
        most = min(MOST_EXPLANATIONS, mechanism.size)
        ids, weight = mechanism.likeliest(
            np.array([word]), np.zeros(mechanism.size), most
        )
        others = (ids[0] != word) & (ids[0] != UNKNOWN)
        return ids[0][others], np.exp(weight[0][others]), True
    asked, is_exhaustive = _candidates(mechanism, near, likely, word)
    return asked, _giving(mechanism, asked, word), is_exhaustive


def _candidates(
    mechanism: WordMechanism, near: IdArray, likely: IdArray, word: int
) -> tuple[IdArray, bool]:
    """Return whom to ask, and whether that is everybody."""
    size = len(near) + 1
    if isinstance(mechanism, Finite) and size * size <= ROW_BUDGET:
        return np.sort(near), True
    count = CANDIDATES if isinstance(mechanism, Finite) else DRAWN_CANDIDATES
    parts = [near[:count], likely[:count]]
    if isinstance(mechanism, Remapped):
        before = _law(mechanism.inner, word, size)
        parts.append(np.argsort(-before, kind="stable")[:CANDIDATES])
    asked = np.unique(np.concatenate(parts))
    return asked[asked != word], len(asked) == size


def _profile(
    mechanism: WordMechanism, word: int, share: FloatArray, explaining: int
) -> WordProfile:
    # 1 - (1 - p)^n without cancellation for tiny p.
    missed = DRAWS * np.log1p(-np.minimum(share, 1 - 1e-16))
    return WordProfile(
        np.array([word]),
        unchanged=share[[word]],
        outputs=np.array([-np.expm1(missed).sum()]),
        explanations=np.array([float(explaining)]),
        n=0 if isinstance(mechanism, Finite) else LAW_DRAWS,
        likeliest=np.array([min(float(share.max()), 1.0)]),
    )


def _giving(mechanism: WordMechanism, inputs: IdArray, output: int) -> FloatArray:
    """Return the probability with which each input is released as the output."""
    if isinstance(mechanism, Finite):
        runs = (inputs[i : i + BLOCK] for i in range(0, len(inputs), BLOCK))
        probabilities = [np.exp(mechanism.channel(run)[:, output]) for run in runs]
        return np.concatenate(probabilities) if probabilities else np.zeros(0)
    drawn = mechanism.perturb(np.repeat(inputs, DRAWS), seeded(0))
    return (drawn.reshape(len(inputs), DRAWS) == output).mean(axis=1)
