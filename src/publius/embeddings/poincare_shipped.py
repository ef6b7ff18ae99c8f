"""Hyperbolic words inside the package, with the hierarchy that they come from.

Points are stored as the space part of their Lorentz coordinates in single precision:
its relative error is the same at every radius, where coordinates of the ball would lose
the distance to the boundary.
"""

import numpy as np
from numpy.typing import NDArray

from publius.core.arrays import FloatArray
from publius.core.metric import Hyperbolic
from publius.embeddings.embedding import Embedding
from publius.embeddings.poincare_pairs import Hierarchy
from publius.embeddings.shipped import shipped_path
from publius.embeddings.vocabulary import Vocabulary
from publius.storage.archive import open_arrays
from publius.storage.shipped import shipped_bytes

WORDNET_WORDS = "wordnet-poincare"


def read_words(name: str) -> Embedding:
    """Return hyperbolic words of the package."""
    path = shipped_path(name)
    with open_arrays(path, shipped_bytes(path)) as members:
        space = np.asarray(members["space"])
        words = members["words_utf8"].tobytes().decode().split("\n")
    return Embedding(Vocabulary(tuple(words)), in_ball(space), Hyperbolic(), name)


def read_names(name: str) -> tuple[Hierarchy, dict[str, str]]:
    """Return the hierarchy behind words of the package, and the name of each word."""
    path = shipped_path(name)
    with open_arrays(path, shipped_bytes(path)) as members:
        words = members["words_utf8"].tobytes().decode().split("\n")
        names = members["names_utf8"].tobytes().decode().split("\n")
        bounds = members["bounds"].astype(np.int64)
        above = members["above"].astype(np.int64)
        places = members["places"].tolist()
    hierarchy = Hierarchy.stored(tuple(names), bounds, above)
    return hierarchy, {
        word: names[place] for word, place in zip(words, places, strict=True)
    }


def in_ball(space: NDArray[np.float32]) -> FloatArray:
    """Return points of the Poincaré ball, the same bits on every machine.

    Squares are added column by column, so that no library chooses the order.
    """
    wide = space.astype(np.float64)
    square = np.ones(len(wide))
    for column in wide.T:
        square += column * column
    return np.asarray(wide / (1.0 + np.sqrt(square))[:, None])
