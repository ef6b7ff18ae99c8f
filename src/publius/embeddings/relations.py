"""How one word of a hierarchy stands to another: more general, more special, beside."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import IntEnum

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from publius.core.arrays import FloatArray, IdArray
from publius.core.errors import DataError
from publius.embeddings.poincare_pairs import Hierarchy


class Relation(IntEnum):
    """What a replacement is to the word that stood there."""

    KEPT = 0
    SYNONYM = 1
    HYPERNYM = 2
    HYPONYM = 3
    SIBLING = 4
    OTHER = 5

    @property
    def label(self) -> str:
        """As people read it."""
        return "unrelated" if self is Relation.OTHER else self.name.lower()


@dataclass(frozen=True, slots=True, eq=False)
class Relations:
    """Words, the name that each stands for, and the closed hierarchy of the names.

    Two words are synonyms when they stand for one name, siblings when their names have
    a direct hypernym in common.

    Args:
        hierarchy: Closed: every name with all names above it.
        places: For each word, the place of its name in the hierarchy.
    """

    hierarchy: Hierarchy
    places: IdArray
    _below: "sp.csr_array[np.float64]" = field(init=False, repr=False)
    _parents: "sp.csr_array[np.float64]" = field(init=False, repr=False)
    _children: "sp.csr_array[np.float64]" = field(init=False, repr=False)

    def __post_init__(self) -> None:
        size = self.hierarchy.size
        if not ((self.places >= 0) & (self.places < size)).all():
            raise DataError("a word stands for a name that is not in the hierarchy")
        parents = self.hierarchy.direct()
        object.__setattr__(self, "_parents", parents)
        object.__setattr__(self, "_children", sp.csr_array(parents.T))
        object.__setattr__(self, "_below", sp.csr_array(self.hierarchy.ancestors.T))

    @classmethod
    def of(cls, hierarchy: Hierarchy, names: Sequence[str]) -> "Relations":
        """Return the relations of words that stand for `names`, one name per word."""
        index = {name: place for place, name in enumerate(hierarchy.names)}
        return cls(hierarchy, np.array([index.get(name, -1) for name in names]))

    def of_word(self, word: int) -> NDArray[np.int8]:
        """Return the relation of every word to one word."""
        own = int(self.places[word])
        kinds = np.full(self.hierarchy.size, Relation.OTHER, dtype=np.int8)
        for parent in _members(self._parents, own):
            kinds[_members(self._children, parent)] = Relation.SIBLING
        kinds[_members(self._below, own)] = Relation.HYPONYM
        kinds[_members(self.hierarchy.ancestors, own)] = Relation.HYPERNYM
        kinds[own] = Relation.SYNONYM
        relations = kinds[self.places]
        relations[word] = Relation.KEPT
        return relations

    def shares(self, word: int, probability: FloatArray) -> FloatArray:
        """Return how much of a word's replacement law falls to each relation."""
        shares = np.bincount(self.of_word(word), probability, minlength=len(Relation))
        return np.asarray(shares, dtype=np.float64)


def _members(table: "sp.csr_array[np.float64]", row: int) -> IdArray:
    return table.indices[table.indptr[row] : table.indptr[row + 1]].astype(np.int64)
