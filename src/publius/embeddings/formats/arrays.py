"""Vectors as arrays: ``.npz`` with words, ``.npy`` or safetensors beside a list."""

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from publius.core.arrays import FloatArray
from publius.core.errors import DataError
from publius.embeddings.formats.collect import Parts, Restriction, opened
from publius.storage.archive import BROKEN, open_arrays

WORD_KEYS = (
    "words_utf8",
    "words",
    "vocab",
    "vocabulary",
    "names_utf8",
    "names",
    "tokens",
)
VECTOR_KEYS = ("vectors", "embeddings", "embedding", "weight", "matrix")
LIST_ENDINGS = (".txt", ".words", ".vocab", ".txt.gz")
TENSOR_TYPES = {"F16": "<f2", "F32": "<f4", "F64": "<f8"}
LONGEST_HEADER = 100 << 20


def read_npz(path: Path, vocabulary: Restriction = None) -> Parts:
    """Read an archive with words and vectors; nothing in it is unpickled."""
    with open_arrays(path) as members:
        raw = np.asarray(members[_one_of(path, WORD_KEYS, members.files)])
        vectors = np.asarray(members[_one_of(path, VECTOR_KEYS, members.files)])
    return _restricted(path, _words(path, raw), vectors, vocabulary)


def read_npy(path: Path, vocabulary: Restriction = None) -> Parts:
    """Read a NumPy matrix and the list of words beside it."""
    try:
        # np.load would take an archive for a matrix and leave its file open.
        vectors = np.lib.format.open_memmap(path, mode="r")
    except BROKEN:
        raise DataError(f"{path.name} is damaged, or holds Python objects") from None
    return _restricted(path, _listed(path), vectors, vocabulary)


def read_safetensors(path: Path, vocabulary: Restriction = None) -> Parts:
    """Read one matrix of a safetensors file and the list of words beside it."""
    try:
        kind, shape, offset = _tensor(path)
        vectors: FloatArray = np.memmap(path, kind, "r", offset, shape)
    except DataError:
        raise
    except BROKEN:
        raise DataError(
            f"{path.name} is damaged, or not of 16, 32 or 64 bits"
        ) from None
    return _restricted(path, _listed(path), vectors, vocabulary)


def _tensor(path: Path) -> tuple[str, tuple[int, int], int]:
    """Return type and shape of the matrix, and where its numbers start."""
    with path.open("rb") as stream:
        length = int.from_bytes(stream.read(8), "little")
        if not 2 <= length <= LONGEST_HEADER:
            raise DataError(f"{path.name} is not a safetensors file")
        header = json.loads(stream.read(length))
    header.pop("__metadata__", None)
    key = next(iter(header)) if len(header) == 1 else _one_of(path, VECTOR_KEYS, header)
    rows, columns = header[key]["shape"]
    begin, _ = header[key]["data_offsets"]
    return TENSOR_TYPES[header[key]["dtype"]], (rows, columns), 8 + length + begin


def _words(path: Path, raw: "NDArray[np.generic]") -> list[str]:
    """Return words kept as one blob of lines, as bytes or as text."""
    readers: dict[str, Callable[[], list[str]]] = {
        "u": lambda: raw.tobytes().decode().split("\n"),
        "S": lambda: [word.decode() for word in raw.ravel().tolist()],
        "U": lambda: raw.ravel().tolist(),
    }
    if raw.dtype.kind not in readers or raw.dtype.itemsize == 0:
        raise DataError(f"the words of {path.name} must be text, got {raw.dtype}")
    try:
        return readers[raw.dtype.kind]()
    except UnicodeDecodeError:
        raise DataError(f"the words of {path.name} are not UTF-8") from None


def _listed(path: Path) -> list[str]:
    """Return the words beside a matrix, one per line."""
    candidates = [path.with_suffix(ending) for ending in LIST_ENDINGS]
    for beside in candidates:
        if beside.is_file():
            with opened(beside) as stream:
                raw = stream.read()
            try:
                lines = raw.decode().split("\n")
            except UnicodeDecodeError:
                raise DataError(f"{beside.name} is not UTF-8") from None
            words = [line.removesuffix("\r") for line in lines]
            return words[:-1] if not words[-1] else words
    names = ", ".join(beside.name for beside in candidates)
    raise DataError(f"{path.name} needs its words, one per line, in one of {names}")


def _restricted(
    path: Path, words: list[str], vectors: FloatArray, vocabulary: Restriction
) -> Parts:
    if vectors.ndim != 2 or vectors.dtype.kind != "f":
        raise DataError(f"{path.name} must hold a matrix of floating-point numbers")
    if len(words) != len(vectors):
        raise DataError(
            f"{path.name} holds {len(vectors)} vectors for {len(words)} words"
        )
    if isinstance(vocabulary, int):
        words, vectors = words[:vocabulary], vectors[:vocabulary]
    elif vocabulary is not None:
        wanted = set(vocabulary)
        kept = [place for place, word in enumerate(words) if word in wanted]
        if not kept:
            raise DataError(f"{path.name} holds none of the words asked for")
        words, vectors = [words[place] for place in kept], vectors[kept]
    narrow = vectors.dtype.itemsize <= 4
    kind = np.float32 if narrow else np.float64
    return tuple(words), np.ascontiguousarray(vectors, dtype=kind)


def _one_of(
    path: Path, known: tuple[str, ...], present: "list[str] | dict[str, object]"
) -> str:
    for key in known:
        if key in present:
            return key
    raise DataError(f"{path.name} needs a member named {' or '.join(known)}")
