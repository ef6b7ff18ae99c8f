"""What words are replaced by: more general, more special, beside, or unrelated."""

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from publius.accounting.profile import sample_words
from publius.core.arrays import FloatArray, IdArray
from publius.core.mechanism import Finite
from publius.embeddings.poincare_pairs import Hierarchy, read_pairs
from publius.lab.directional.result import Cell, Reproduction, Setting, curve
from publius.lab.hyperbolic.sources import CLOSURE, VECTORS_ARE, Nouns, nouns
from publius.lab.hyperbolic.statistics import UNSOUND
from publius.mechanisms.exponential import Exponential

EPSILONS = (0.1, 0.2, 0.3, 0.5, 0.75, 1.0, 2.0)
SHOWN_AT = 0.5
VOCABULARY, WORDS = 4000, 400
KINDS = ("kept", "hypernym", "hyponym", "sibling", "unrelated")
SHOWN = ("london", "ohio", "techno", "movie", "restaurant", "doctor")


@dataclass(frozen=True, slots=True, eq=False)
class Relations:
    """For words of a vocabulary, which others are above, below and beside them.

    Args:
        above: Stored (i, j) says that word j is more general than word i.
        beside: Stored (i, j) says that both have a common direct hypernym.
    """

    above: "sp.csr_array[np.float64]"
    beside: "sp.csr_array[np.float64]"

    @classmethod
    def of(cls, hierarchy: Hierarchy, names: tuple[str, ...]) -> "Relations":
        """Restrict a closed hierarchy to the names of a vocabulary."""
        index = {name: place for place, name in enumerate(hierarchy.names)}
        rows = np.array([index[name] for name in names])
        parents = sp.csr_array(hierarchy.direct()[rows])
        above = sp.csr_array(hierarchy.ancestors[rows][:, rows])
        return cls(above, sp.csr_array(parents @ parents.T))

    def shares(self, mechanism: Finite, ids: IdArray) -> dict[str, FloatArray]:
        """Return for each id the exact probability of each kind of replacement."""
        found: dict[str, FloatArray] = {kind: np.zeros(len(ids)) for kind in KINDS}
        below = sp.csr_array(self.above.T)
        for place, word in enumerate(ids):
            share = np.exp(mechanism.channel(np.array([word])))[0]
            left = np.ones(len(share), dtype=bool)
            masks = {
                "kept": np.array([word]),
                "hypernym": _members(self.above, word),
                "hyponym": _members(below, word),
                "sibling": _members(self.beside, word),
            }
            for kind, members in masks.items():
                fresh = members[left[members]]
                found[kind][place] = share[fresh].sum()
                left[fresh] = False
            found["unrelated"][place] = share[left].sum()
        return found


def generalisation(setting: Setting) -> Reproduction:
    """Measure the share of hypernyms, hyponyms, siblings and others over ε."""
    source = nouns(setting, setting.times(VOCABULARY))
    relations = Relations.of(read_pairs(setting.file(CLOSURE)), source.synsets)
    ids = sample_words(source.embedding.size, setting.times(WORDS))
    rows: list[tuple[Cell, ...]] = []
    curves, examples = [], []
    for weights, balanced in (("balanced", True), ("equal", False)):
        means: dict[str, list[float]] = {kind: [] for kind in KINDS}
        for epsilon in EPSILONS:
            space = source.embedding.space("hyperbolic")
            mechanism = Exponential.calibrated(space, epsilon, balanced=balanced)
            found = relations.shares(mechanism, ids)
            for kind in KINDS:
                means[kind].append(float(found[kind].mean()))
            decay = mechanism.certificate.beta
            rows.append((weights, epsilon, decay, *(means[kind][-1] for kind in KINDS)))
            if epsilon == SHOWN_AT:
                examples += _examples(source, mechanism, weights)
        curves += [
            curve(f"{weights} weights", kind, EPSILONS, means[kind]) for kind in KINDS
        ]
    size = source.embedding.size
    chance = _chance(relations, ids, size)
    rows.append(("uniform draw", None, None, *(chance[kind] for kind in KINDS)))
    return Reproduction(
        "feyisetan-generalisation",
        "Share of replacements by their relation to the word, exact channel",
        ("weights", "ε", "decay", *KINDS),
        tuple(rows),
        tuple(curves),
        ("ε per unit of hyperbolic distance", "probability"),
        (VECTORS_ARE, UNSOUND,
         f"Mean over {len(ids)} of the {size} most frequent nouns; only hypernyms that "
         "are themselves words of the vocabulary can be drawn.",
         "A hypernym lies near many words. Weights that are balanced for the largest "
         "decay make such words rare outputs; equal weights draw them more often, at a "
         "smaller decay for the same certified ε.",
         *examples),
    )  # fmt: skip


def _members(table: "sp.csr_array[np.float64]", row: int) -> IdArray:
    return table.indices[table.indptr[row] : table.indptr[row + 1]].astype(np.int64)


def _chance(relations: Relations, ids: IdArray, size: int) -> dict[str, float]:
    """Return the shares of a uniform draw from the vocabulary."""
    below = sp.csr_array(relations.above.T)
    counts = dict.fromkeys(KINDS, 0.0)
    for word in ids:
        seen = {int(word)}
        counts["kept"] += 1
        for kind, table in (
            ("hypernym", relations.above),
            ("hyponym", below),
            ("sibling", relations.beside),
        ):
            fresh = set(_members(table, word).tolist()) - seen
            counts[kind] += len(fresh)
            seen |= fresh
    total = len(ids) * size
    shares = {kind: counts[kind] / total for kind in KINDS}
    shares["unrelated"] = 1 - sum(shares[kind] for kind in KINDS[:-1])
    return shares


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
