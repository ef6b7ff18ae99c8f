"""Build the hyperbolic words that the package ships.

    publius embeddings get wordnet
    publius embeddings train-poincare wordnet -o nouns.publius --frugal 0
    python scripts/build_wordnet_poincare.py nouns.publius [--wordnet FOLDER]

Without nouns.publius it trains first, with these settings. A word is a
noun of WordNet in one piece that is among the words of glove-50k and not a stop word;
it stands where its first, most common meaning does.
"""

import argparse
import shutil
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from publius.core.arrays import FloatArray, IdArray
from publius.core.metric import Hyperbolic
from publius.core.rng import seeded
from publius.embeddings.catalogue import DEFAULT_EMBEDDING, load_embedding
from publius.embeddings.derived import SHIPPED
from publius.embeddings.embedding import Embedding
from publius.embeddings.poincare_numpy import NumpyTrainer
from publius.embeddings.poincare_pairs import Hierarchy
from publius.embeddings.poincare_quality import reconstruction
from publius.embeddings.poincare_shipped import WORDNET_WORDS, in_ball
from publius.embeddings.poincare_training import TrainingPlan, train
from publius.embeddings.poincare_words import PAIRS_FILE, read_hierarchy
from publius.embeddings.preprocess import is_word
from publius.embeddings.vocabulary import Vocabulary
from publius.embeddings.wordnet import noun_hierarchy, wordnet_folder
from publius.language.hypernyms import first_meanings
from publius.language.stop_words import STOP_WORDS
from publius.storage.archive import open_arrays, pack_arrays

PAIRS = 743_241


def trained(folder: Path | None, hierarchy: Hierarchy) -> np.ndarray:
    if folder is None:
        plan = TrainingPlan(frugal=0.0)
        tell = lambda epoch, loss: print(f"epoch {epoch}, loss {loss:.4f}")  # noqa: E731
        return train(hierarchy, plan, NumpyTrainer, progress=tell).points
    stored, _ = read_hierarchy(folder)
    if stored.fingerprint != hierarchy.fingerprint:
        raise SystemExit(f"{folder} was trained on other pairs than WordNet's nouns")
    with open_arrays(folder / PAIRS_FILE) as members:
        return np.asarray(members["points"])


def pack_words(
    name: str, words: Mapping[str, str], hierarchy: Hierarchy, points: FloatArray
) -> bytes:
    """Return the bytes of an embedding for the package.

    Args:
        name: Of the embedding.
        words: Word → name, by falling frequency.
        hierarchy: Closed.
        points: Lorentz coordinates of all its names.
    """
    index = {synset: place for place, synset in enumerate(hierarchy.names)}
    rows = np.array([index[synset] for synset in words.values()])
    small, places = _around(hierarchy, rows)
    space = points[rows, 1:].astype(np.float32)
    vocabulary = Vocabulary(tuple(words))
    embedding = Embedding(vocabulary, in_ball(space), Hyperbolic(), name)
    return pack_arrays(
        {
            "space": space,
            "words_utf8": np.frombuffer(vocabulary.blob(), dtype=np.uint8),
            "fingerprint": np.frombuffer(embedding.fingerprint.encode(), np.uint8),
            "names_utf8": np.frombuffer("\n".join(small.names).encode(), np.uint8),
            "places": places.astype(np.uint32),
            "bounds": small.ancestors.indptr.astype(np.uint32),
            "above": small.ancestors.indices.astype(np.uint32),
        }
    )


def _around(hierarchy: Hierarchy, rows: IdArray) -> tuple[Hierarchy, IdArray]:
    """Keep the names of words and all above them; say where the words' names are."""
    graph = hierarchy.ancestors
    kept = np.zeros(hierarchy.size, dtype=bool)
    kept[rows] = True
    kept[graph[rows].indices] = True
    ids = np.flatnonzero(kept)
    place = np.full(hierarchy.size, -1, dtype=np.int64)
    place[ids] = np.arange(len(ids))
    small = graph[ids][:, ids]
    small.sort_indices()
    names = tuple(hierarchy.names[i] for i in ids)
    return Hierarchy.stored(
        names, small.indptr.astype(np.int64), small.indices.astype(np.int64)
    ), place[rows]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("trained", type=Path, nargs="?")
    parser.add_argument("--wordnet", default="")
    parser.add_argument("--folder", type=Path, default=SHIPPED)
    asked = parser.parse_args()
    hierarchy = noun_hierarchy(asked.wordnet).closed()
    if hierarchy.pairs != PAIRS:
        raise SystemExit(f"{hierarchy.pairs} pairs in place of {PAIRS}")
    points = trained(asked.trained, hierarchy)
    quality = reconstruction(points, hierarchy, None, seeded(0))
    print(f"mean rank {quality.mean_rank.value:.3f}, all {quality.mean_rank.n:,} names")
    print(f"MAP {quality.average_precision.value:.4f}")
    place = wordnet_folder(asked.wordnet)
    meaning = first_meanings(place)
    ranked = load_embedding(DEFAULT_EMBEDDING).vocabulary.words
    words = {
        word: meaning[word]
        for word in ranked
        if word in meaning and is_word(word) and word not in STOP_WORDS
    }
    packed = pack_words(WORDNET_WORDS, words, hierarchy, points)
    (asked.folder / f"{WORDNET_WORDS}.npz").write_bytes(packed)
    licence = next(f for f in (place / "LICENSE.txt", place / "LICENSE") if f.is_file())
    shutil.copyfile(licence, asked.folder / f"{WORDNET_WORDS}-LICENSE.txt")
    print(f"{len(words):,} words, {len(packed):,} bytes; now run build_digests.py")


if __name__ == "__main__":
    main()
