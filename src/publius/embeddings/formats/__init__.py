"""Files of vectors that others wrote: one reader per layout, found from the content.

A word that stands twice in a word2vec, fastText or GloVe file keeps its first vector,
which has the better rank; in arrays it is an error.
"""

from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

from publius.core.errors import DataError, UnknownNameError
from publius.embeddings.embedding import Embedding
from publius.embeddings.formats.arrays import read_npy, read_npz, read_safetensors
from publius.embeddings.formats.collect import Parts, Restriction, opened
from publius.embeddings.formats.text import header, read_glove, read_headed
from publius.embeddings.formats.word2vec_binary import read_word2vec_binary
from publius.embeddings.vocabulary import Vocabulary

Reader: TypeAlias = Callable[[Path, Restriction], Parts]

FORMATS: dict[str, Reader] = {
    "fasttext": read_headed,
    "glove": read_glove,
    "npy": read_npy,
    "npz": read_npz,
    "safetensors": read_safetensors,
    "word2vec": read_headed,
    "word2vec-binary": read_word2vec_binary,
}

TEXT_BYTES = frozenset(b"0123456789+-.eEnaifNAIF \t\r\n")


def read_vectors(
    path: Path, vocabulary: Restriction = None, layout: str | None = None
) -> Embedding:
    """Return the embedding in a file.

    Args:
        path: The file; text and binary ones may be packed with gzip.
        vocabulary: How many words, which words, or None for all. It is applied while
            reading, so that the rest takes no memory.
        layout: A name in `FORMATS`; found from the content when not given.
    """
    chosen = sniff(path) if layout is None else layout
    if chosen not in FORMATS:
        raise UnknownNameError("embedding format", chosen, FORMATS)
    words, vectors = FORMATS[chosen](path, vocabulary)
    try:
        return Embedding(Vocabulary(words), vectors, name=path.name.split(".")[0])
    except DataError as wrong:
        raise DataError(f"{path.name}: {wrong}") from None


def sniff(path: Path) -> str:
    """Return the layout of a file from its name and first bytes."""
    with opened(path) as stream:
        start = stream.read(1 << 16)
    if not start:
        raise DataError(f"{path.name} is empty")
    if path.suffix == ".safetensors":
        return "safetensors"
    if start.startswith(b"PK\x03\x04"):
        return "npz"
    if start.startswith(b"\x93NUMPY"):
        return "npy"
    line, newline, rest = start.partition(b"\n")
    try:
        _, dim = header(path.name, line)
    except DataError:
        return _headless(path, line)
    if not newline:
        raise DataError(f"{path.name} ends after its first line")
    numbers = rest.partition(b" ")[2][: 4 * dim]
    if not TEXT_BYTES.issuperset(numbers.partition(b"\n")[0]):
        return "word2vec-binary"
    return "fasttext" if path.name.removesuffix(".gz").endswith(".vec") else "word2vec"


def _headless(path: Path, line: bytes) -> str:
    numbers = line.partition(b" ")[2]
    if numbers and TEXT_BYTES.issuperset(numbers):
        return "glove"
    known = ", ".join(sorted(FORMATS))
    raise DataError(f"{path.name} is in no known format; known: {known}")
