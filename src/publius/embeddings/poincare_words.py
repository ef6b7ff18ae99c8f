"""From names of a hierarchy to words: a public map, written beside the vectors.

WordNet's synsets are named ``lemma.n.02``: the second sense of the noun "lemma". The
word gets the vector of its first sense among the names. Lemmas of several words are
left out. Other hierarchies keep their names, or come with a map of their own.
"""

import csv
import io
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from publius.core.errors import DataError
from publius.core.metric import Hyperbolic
from publius.embeddings.embedding import Embedding
from publius.embeddings.poincare_pairs import Hierarchy, read_table
from publius.embeddings.poincare_shipped import WORDNET_WORDS, read_names
from publius.embeddings.poincare_training import State
from publius.embeddings.preprocess import is_word
from publius.embeddings.relations import Relations
from publius.embeddings.store import Provenance, write_store
from publius.embeddings.vocabulary import Vocabulary
from publius.numerics.geometry import lorentz
from publius.storage.archive import open_arrays, pack_arrays
from publius.storage.atomic import write_bytes

SYNSET = re.compile(r"(.+)\.([nvasr])\.(\d+)")
MAP_FILE, PAIRS_FILE = "words.csv", "hierarchy.npz"


def first_senses(names: Sequence[str]) -> dict[str, str]:
    """Return word → name of its first sense; names that are no synsets stay."""
    best: dict[str, tuple[int, str]] = {}
    for name in names:
        parsed = SYNSET.fullmatch(name)
        if parsed is None:
            best[name] = (0, name)
            continue
        word, sense = parsed[1].lower(), int(parsed[3])
        if is_word(word) and (word not in best or sense < best[word][0]):
            best[word] = (sense, name)
    return {word: name for word, (_, name) in best.items()}


def read_word_map(path: Path) -> dict[str, str]:
    """Read ``word,name`` per line; the first line of a word counts."""
    words: dict[str, str] = {}
    for number, row in read_table(path):
        if len(row) != 2 or not all(row):
            raise DataError(f"line {number} of {path.name} must hold a word and a name")
        words.setdefault(row[0].lower(), row[1])
    return words


def word_embedding(
    hierarchy: Hierarchy,
    state: State,
    words: Mapping[str, str],
    *,
    ranked: Sequence[str] = (),
    name: str = "poincare",
) -> Embedding:
    """Return words with the vectors of their names, in the Poincaré ball.

    Args:
        hierarchy: Names and pairs.
        state: What the training reached.
        words: Word → name.
        ranked: Words by falling frequency; others come after them, by alphabet.
        name: Of the embedding.
    """
    index = dict(zip(hierarchy.names, range(hierarchy.size), strict=True))
    lost = sum(target not in index for target in words.values())
    if lost:
        raise DataError(f"{lost} of {len(words)} words are mapped to unknown names")
    if not words:
        raise DataError("no name stands for a word; give a map of words")
    rank = {word: place for place, word in enumerate(ranked)}
    chosen = sorted(words, key=lambda word: (rank.get(word, len(rank)), word))
    rows = np.array([index[words[word]] for word in chosen])
    vectors = lorentz.to_poincare(state.points[rows])
    return Embedding(Vocabulary(tuple(chosen)), vectors, Hyperbolic(), name)


def write_words(
    embedding: Embedding,
    hierarchy: Hierarchy,
    state: State,
    words: Mapping[str, str],
    folder: Path,
    provenance: Provenance,
) -> None:
    """Write the embedding, the map of its words, and all names with their points."""
    write_store(embedding, folder, provenance)
    table = io.StringIO()
    writer = csv.writer(table, lineterminator="\n")
    writer.writerow(("word", "name"))
    writer.writerows((word, words[word]) for word in embedding.vocabulary.words)
    write_bytes(folder / MAP_FILE, table.getvalue().encode())
    graph = hierarchy.ancestors
    packed: dict[str, NDArray[np.generic]] = {
        "names_utf8": np.frombuffer("\n".join(hierarchy.names).encode(), np.uint8),
        "bounds": graph.indptr.astype(np.int64),
        "above": graph.indices.astype(np.uint32),
        "points": state.points,
    }
    write_bytes(folder / PAIRS_FILE, pack_arrays(packed))


def read_hierarchy(folder: Path) -> tuple[Hierarchy, dict[str, str]]:
    """Return the hierarchy behind an embedding that was trained on one."""
    with open_arrays(folder / PAIRS_FILE) as members:
        names = members["names_utf8"].tobytes().decode().split("\n")
        bounds, above = members["bounds"], members["above"].astype(np.int64)
        hierarchy = Hierarchy.stored(tuple(names), bounds, above)
    return hierarchy, read_word_map(folder / MAP_FILE)


def relations_behind(source: str, words: Sequence[str]) -> Relations | None:
    """Return how the words of an embedding stand to each other, where it knows.

    Args:
        source: Name of the embedding in the catalogue, or its folder.
        words: Some or all of its words.
    """
    if source == WORDNET_WORDS:
        hierarchy, names = read_names(source)
    elif (Path(source) / PAIRS_FILE).is_file():
        hierarchy, names = read_hierarchy(Path(source))
    else:
        return None
    return Relations.of(hierarchy, [names[word] for word in words])
