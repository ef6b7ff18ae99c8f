"""What words are replaced by: more general, more special, beside, or unrelated."""

import numpy as np

from publius.core.arrays import FloatArray, IdArray
from publius.core.mechanism import Finite
from publius.embeddings.relations import Relation, Relations
from publius.mechanisms.profile import sample_words
from publius.papers.directional.result import Cell, Reproduction, Setting, curve
from publius.papers.hyperbolic.sources import (
    UNSOUND,
    VECTORS_ARE,
    Nouns,
    exponential,
    nouns,
)

EPSILONS = (0.125, 0.5, 1.0, 2.0, 4.0, 8.0)
SHOWN_AT = 2.0
WORDS = 400
SHOWN = ("london", "ohio", "techno", "movie", "restaurant", "doctor")


def shares(relations: Relations, mechanism: Finite, ids: IdArray) -> FloatArray:
    """Return the mean probability of each relation over words, from exact channels."""
    total = np.zeros(len(Relation))
    for word in ids.tolist():
        law = np.exp(mechanism.channel(np.array([word]))[0])
        total += relations.shares(word, law)
    return total / len(ids)


def generalisation(setting: Setting) -> Reproduction:
    """Measure the share of hypernyms, hyponyms, siblings and others over ε."""
    source = nouns(setting)
    size = source.embedding.size
    ids = sample_words(size, setting.times(WORDS))
    rows: list[tuple[Cell, ...]] = []
    curves, examples = [], []
    for weights in ("balanced", "equal", "general"):
        relation_shares = []
        for epsilon in EPSILONS:
            mechanism = exponential(source.embedding, epsilon, weights)
            relation_shares.append(shares(source.relations, mechanism, ids))
            decay = mechanism.certificate.beta
            rows.append((weights, epsilon, decay, *relation_shares[-1].tolist()))
            if epsilon == SHOWN_AT:
                examples += _examples(source, mechanism, weights)
        curves += [
            curve(
                f"{weights} weights",
                kind.label,
                EPSILONS,
                [f[kind] for f in relation_shares],
            )
            for kind in Relation
        ]
    uniform = np.full(size, 1 / size)
    chance = np.mean([source.relations.shares(i, uniform) for i in ids.tolist()], 0)
    rows.append(("uniform draw", None, None, *chance.tolist()))
    return Reproduction(
        "feyisetan-generalisation",
        "Share of replacements by their relation to the word, exact channel",
        ("weights", "ε", "decay", *(kind.label for kind in Relation)),
        tuple(rows),
        tuple(curves),
        ("ε per unit of hyperbolic distance", "probability"),
        (VECTORS_ARE, UNSOUND,
         f"Mean over {len(ids)} of {size} nouns; only hypernyms that are themselves "
         "words of the vocabulary can be drawn.",
         "A hypernym lies near many words. Weights that are balanced for the largest "
         "decay make such words rare outputs; equal weights draw them more often, at a "
         "smaller decay for the same certified ε; the weights of the mechanism "
         "generalising favour them. All three carry their own certificate.",
         *examples),
    )  # fmt: skip


def _examples(source: Nouns, mechanism: Finite, weights: str) -> list[str]:
    """Return the likeliest replacements of a few public words."""
    words = source.embedding.vocabulary.words
    lines = []
    ids = source.embedding.vocabulary.encode(SHOWN)
    for word, number in zip(SHOWN, ids, strict=True):
        if number < 0:
            continue
        order = np.argsort(-mechanism.channel(np.array([number]))[0])
        best = [words[i] for i in order[:9] if i != number]
        lines.append(f"{weights} weights, ε = {SHOWN_AT}: {word} → {', '.join(best)}.")
    return lines
