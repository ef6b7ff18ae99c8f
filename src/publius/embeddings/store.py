"""Publius's own folder for an embedding: mapped and shared by processes.

``X.publius/`` holds ``vectors.npy``, mapped into memory and never copied, ``words.txt``
with one word per line, and ``meta.json``; where they were made, ``like.npz`` with a
like space and ``stop-words.txt``.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from publius.core.errors import DataError, OutputError, ParameterError
from publius.core.metric import POINT_METRICS, point_metric
from publius.embeddings.embedding import Embedding, Language
from publius.embeddings.vocabulary import Vocabulary
from publius.storage.archive import damage_as_error
from publius.storage.atomic import new_folder
from publius.storage.cache import refuse_foreign

SUFFIX = ".publius"
VERSION = 1
LIKE_FILE = "like.npz"
STOP_WORDS_FILE = "stop-words.txt"


@dataclass(frozen=True, slots=True)
class Provenance:
    """Where an embedding comes from.

    Args:
        source: Who published it, or the file it was read from.
        licence: Terms as the source states them.
        preprocessing: What was done to the vectors.
    """

    source: str = ""
    licence: str = ""
    preprocessing: str = "none"


def write_store(
    embedding: Embedding, folder: Path, provenance: Provenance | None = None
) -> Path:
    """Write an embedding to a new folder, all or nothing, and return the folder."""
    if embedding.metric.id not in POINT_METRICS:
        raise ParameterError(f"cannot store the metric {embedding.metric.id!r}")
    if folder.exists():
        raise OutputError(f"{folder} exists already; remove it first")
    from_ = provenance or Provenance()
    meta: dict[str, str | int] = {
        "version": VERSION,
        "name": embedding.name,
        "words": embedding.size,
        "dim": embedding.dim,
        "metric": embedding.metric.id,
        "fingerprint": embedding.fingerprint,
        "source": from_.source,
        "licence": from_.licence,
        "preprocessing": from_.preprocessing,
    }
    beside = _beside(embedding.language)
    meta |= {name: hashlib.sha256(part).hexdigest() for name, part in beside.items()}
    with new_folder(folder) as draft:
        np.save(draft / "vectors.npy", np.ascontiguousarray(embedding.vectors))
        (draft / "words.txt").write_bytes(embedding.vocabulary.blob())
        for name, part in beside.items():
            (draft / name).write_bytes(part)
        (draft / "meta.json").write_text(json.dumps(meta, indent=1) + "\n", "utf-8")
    return folder


def _beside(language: Language) -> dict[str, bytes]:
    """Return the files of a language by name."""
    files: dict[str, bytes] = {}
    if language.like:
        files[LIKE_FILE] = language.like
    if language.stop_words is not None:
        files[STOP_WORDS_FILE] = "\n".join(sorted(language.stop_words)).encode()
    return files


def _language(folder: Path, meta: Mapping[str, str | int]) -> Language:
    """Read the files of a language; each must be the one that was written."""
    files: dict[str, bytes] = {}
    for name in (LIKE_FILE, STOP_WORDS_FILE):
        if name not in meta:
            continue
        refuse_foreign(folder / name)
        with damage_as_error(folder.name, "an embedding of Publius"):
            files[name] = (folder / name).read_bytes()
        if hashlib.sha256(files[name]).hexdigest() != meta[name]:
            raise DataError(f"{folder.name} is damaged: {name} is not what was written")
    listed = files.get(STOP_WORDS_FILE)
    words = None if listed is None else frozenset(listed.decode().split("\n")) - {""}
    return Language(words, files.get(LIKE_FILE, b""))


def read_store(folder: Path) -> Embedding:
    """Open an embedding and check that it is the one that was written.

    Raises:
        DataError: It is damaged, or a part of it is of another embedding.
        TrustError: Others may write it.
    """
    for path in (folder, folder / "vectors.npy", folder / "words.txt"):
        refuse_foreign(path)
    meta = read_meta(folder)
    with damage_as_error(folder.name, "an embedding of Publius"):
        words = (folder / "words.txt").read_bytes().decode().split("\n")
        vectors = np.load(folder / "vectors.npy", mmap_mode="r", allow_pickle=False)
        metric = point_metric(str(meta["metric"]))
    if vectors.shape != (meta["words"], meta["dim"]):
        raise DataError(f"{folder.name} is damaged: vectors do not match meta.json")
    language = _language(folder, meta)
    embedding = Embedding(
        Vocabulary(tuple(words)), vectors, metric, str(meta["name"]), language
    )
    if embedding.fingerprint != meta["fingerprint"]:
        raise DataError(
            f"{folder.name} is damaged: its fingerprint is {embedding.fingerprint}, "
            "not the one in meta.json; get or convert it again"
        )
    return embedding


def read_meta(folder: Path) -> Mapping[str, str | int]:
    """Return what a folder says about its embedding."""
    try:
        meta = json.loads((folder / "meta.json").read_text("utf-8"))
    except (OSError, ValueError):
        raise DataError(f"{folder.name} is not an embedding of Publius") from None
    needed = {"version", "name", "words", "dim", "metric", "fingerprint"}
    if not isinstance(meta, dict) or not needed <= meta.keys():
        raise DataError(f"{folder.name} has an incomplete meta.json")
    if meta["version"] != VERSION or not meta["fingerprint"]:
        raise DataError(f"{folder.name} was written by another version of Publius")
    return meta
