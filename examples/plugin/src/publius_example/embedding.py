"""An embedding that comes with this package: colours where they are on a screen."""

from pathlib import Path

import numpy as np

from publius.embeddings.catalogue import Entry
from publius.embeddings.embedding import Embedding
from publius.embeddings.store import Provenance
from publius.embeddings.vocabulary import Vocabulary

COLOURS = {
    "black": (0, 0, 0),
    "blue": (0, 0, 1),
    "brown": (0.6, 0.3, 0.1),
    "cyan": (0, 1, 1),
    "green": (0, 0.5, 0),
    "grey": (0.5, 0.5, 0.5),
    "magenta": (1, 0, 1),
    "orange": (1, 0.65, 0),
    "pink": (1, 0.75, 0.8),
    "purple": (0.5, 0, 0.5),
    "red": (1, 0, 0),
    "white": (1, 1, 1),
    "yellow": (1, 1, 0),
}


def colours(name: str) -> Embedding:
    """Return the colours as points of the RGB cube."""
    vectors = np.array(list(COLOURS.values()), dtype=np.float64)
    return Embedding(Vocabulary(tuple(COLOURS)), vectors, name=name)


ENTRY = Entry(
    "colours",
    words=len(COLOURS),
    dim=3,
    provenance=Provenance("sRGB, names of the web", "CC0", "none"),
    shipped=colours,
    file=Path(__file__),
)
