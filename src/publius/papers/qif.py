"""Fernandes, Dras & McIver 2018, figures 2 and 3: bags of frequent words with noise."""

from collections import Counter
from collections.abc import Sequence

import numpy as np

from publius.assessment.comparison.pictures import lines
from publius.assessment.comparison.rows import Row
from publius.assessment.evaluation.classify import Task, classify
from publius.core.arrays import FloatArray, IdArray, Rng
from publius.core.estimate import Estimate
from publius.embeddings.embedding import Embedding
from publius.embeddings.formats import read_vectors
from publius.papers.documents import (
    PAPER_LENGTH,
    Split,
    codes_of,
    content_words,
    joined,
    read_columns,
    words_only,
)
from publius.papers.experiment import Experiment, Outcome, Request, by_name, number

REUTERS = "authorship/c50_shared.jsonl.gz"
BLOGS = "authorship/blog_shared.jsonl.gz"
NEWSGROUPS = "topic/20ng_12groups.jsonl.gz"
VECTORS = "vectors/word2vec_gnews_26k_300d.npz"
SCALES = (0.0, 0.1, 0.2, 0.5)
FURTHER = (0.7, 1.0)
"""Scales beyond the paper's: where our bags lose what the paper's lose at 0.5."""


Numbers = dict[str, dict[str, tuple[float, ...]]]
PUBLISHED_AUTHORS: Numbers = {
    "Reuters": {
        "content": (68.5, 67.9, 67.9, 41.7), "1000": (65.9, 62.1, 63.5, 41.9),
        "500": (64.1, 61.7, 62.1, 40.9), "200": (47.9, 46.9, 48.5, 27.1),
        "50": (23.9, 20.0, 19.0, 6.2),
    },
    "fan fiction": {
        "content": (67.7, 67.7, 67.6, 4.9), "1000": (48.0, 35.3, 40.2, 2.0),
        "500": (46.1, 34.3, 34.3, 5.9), "200": (36.3, 19.6, 18.6, 8.8),
        "50": (13.7, 4.9, 4.9, 1.0),
    },
}  # fmt: skip
PUBLISHED_TOPICS: Numbers = {
    "Reuters": {
        "content": (81.4, 81.6, 81.0, 71.9), "1000": (80.4, 80.8, 80.8, 75.2),
        "500": (79.2, 79.4, 79.4, 70.7), "200": (76.0, 76.0, 76.0, 66.7),
        "50": (66.3, 67.9, 68.1, 61.7),
    },
}  # fmt: skip
BAGS = ("content", "1000", "500", "200", "50")


def authors(request: Request) -> Outcome:
    """Figure 2: who wrote it?"""
    sets = {
        "Reuters": _split(request, REUTERS, "text", "author", 20),
        "blogs": _split(request, BLOGS, "text", "author", 48),
    }
    stand_in = {"blogs": "fan fiction"}
    rows = _rows(request, sets, PUBLISHED_AUTHORS, stand_in)
    notes = (
        "Reuters: 20 of the 25 authors to be had (the paper: 20 of its own choice); "
        "blogs (48 authors) stand beside the paper's fan fiction (100 authors).",
        *_NOTES,
    )
    return Outcome(rows, notes, _figure(rows, "share of authors found"))


def topics(request: Request) -> Outcome:
    """Figure 3: what is it about?"""
    sets = {"newsgroups": _split(request, NEWSGROUPS, "text_clean", "topic", 5)}
    rows = _rows(request, sets, PUBLISHED_TOPICS, {"newsgroups": "Reuters"})
    notes = (
        "The Reuters set here has no topics, and blog topics only stand for the "
        "blogger: five newsgroups stand beside the paper's five Reuters topics.",
        *_NOTES,
    )
    return Outcome(rows, notes, _figure(rows, "share of topics found"))


_NOTES = (
    "BOW-k keeps the k most frequent content words of the training texts. The paper "
    "does not say how its scale enters; here every coordinate gets Laplace noise of "
    "that scale, divided by 2.5 because our vectors have length 1 and the paper's "
    "about 2.5. This is no guarantee: such noise is private in the Manhattan metric.",
    "Training texts are originals, test texts are noisy (static), word TF-IDF and a "
    "linear SVM. Intervals: Wilson.",
)


def _split(request: Request, file: str, text: str, label: str, most: int) -> Split:
    read = read_columns(request, file, text, (label, "split"))
    names = sorted(set(read[label]))[:most]
    per_class = max(15, 300 // len(names)) if request.quick else len(read[text])
    seen: Counter[tuple[str, str]] = Counter()
    rows = []
    for body, name, side in zip(read[text], read[label], read["split"], strict=True):
        if name in names and seen[name, side] < per_class and body.strip():
            seen[name, side] += 1
            rows.append((content_words(body)[:500], name, side))
    train = [row for row in rows if row[2] == "train"]
    test = [row for row in rows if row[2] == "test"]
    codes = codes_of([row[1] for row in train] + [row[1] for row in test])
    return Split(
        [row[0] for row in train],
        codes[: len(train)],
        [row[0] for row in test],
        codes[len(train) :],
    )


def _rows(
    request: Request,
    sets: dict[str, Split],
    published: Numbers,
    stand_in: dict[str, str],
) -> tuple[Row, ...]:
    embedding = read_vectors(request.path(VECTORS))
    rng = np.random.default_rng(request.seed)
    rows: list[Row] = []
    for name, split in sets.items():
        frequent = Counter(w for words in split.train for w in words)
        for scale in SCALES if request.quick else (*SCALES, *FURTHER):
            request.progress(f"{name}, scale {scale:g}")
            # One noisy copy serves all bags: they only choose among its words.
            noisy = _noisy(split.test, embedding, scale, rng)
            for bag in BAGS:
                accuracy = _accuracy(split, noisy, _kept(frequent, bag))
                numbers = published[stand_in.get(name, name)][bag]
                paper = dict(zip(SCALES, numbers, strict=True)).get(scale)
                rows.append(_row(name, bag, scale, accuracy, paper))
    return tuple(rows)


def _row(
    name: str, bag: str, scale: float, accuracy: Estimate, paper: float | None
) -> Row:
    return {
        "set": name,
        "bag": "content words" if bag == "content" else f"BOW-{bag}",
        "scale": scale,
        "accuracy": accuracy.value,
        "low": accuracy.low,
        "high": accuracy.high,
        "documents": accuracy.n,
        "published": None if paper is None else paper / 100,
    }


def _kept(frequent: "Counter[str]", bag: str) -> frozenset[str] | None:
    if bag == "content":
        return None
    return frozenset(word for word, _ in frequent.most_common(int(bag)))


Pairs = list[list[tuple[str, str]]]


def _noisy(
    documents: Sequence[Sequence[str]], embedding: Embedding, scale: float, rng: Rng
) -> Pairs:
    """Return original and noisy words side by side; unknown words stay."""
    words = [word for document in documents for word in document]
    ids = embedding.vocabulary.encode(words)
    known = np.flatnonzero(ids >= 0)
    after = list(words)
    if scale > 0:
        for start in range(0, len(known), 8192):
            part = known[start : start + 8192]
            nearest = embedding.nearest(_moved(embedding, ids[part], scale, rng))
            for place, new in zip(part.tolist(), nearest.tolist(), strict=True):
                after[place] = embedding.vocabulary.words[new]
    pairs, start = [], 0
    for document in documents:
        stop = start + len(document)
        pairs.append(list(zip(words[start:stop], after[start:stop], strict=True)))
        start = stop
    return pairs


def _moved(embedding: Embedding, ids: IdArray, scale: float, rng: Rng) -> FloatArray:
    points = np.asarray(embedding.vectors[ids], dtype=np.float64)
    return points + rng.laplace(scale=scale / PAPER_LENGTH, size=points.shape)


def _accuracy(split: Split, noisy: Pairs, kept: frozenset[str] | None) -> Estimate:
    """Choose words of the originals by frequency, then read their noisy copies."""
    train = [[w for w in words if kept is None or w in kept] for words in split.train]
    test = [[z for x, z in pairs if kept is None or x in kept] for pairs in noisy]
    classes = int(split.labels.max()) + 1
    task = Task(joined(train), split.labels, joined(test), classes)
    guesses = classify("svm", task, words_only).argmax(axis=1)
    return Estimate.share(int((guesses == split.truth).sum()), len(guesses))


def _figure(rows: Sequence[Row], label: str) -> str:
    series: dict[str, list[tuple[float, float]]] = {}
    for row in rows:
        if row["bag"] not in ("BOW-1000", "BOW-50"):
            continue
        for kind, name in (("", "accuracy"), ("published ", "published")):
            if row[name] is None:
                continue
            key = f"{kind}{row['set']}, {row['bag']}"
            series.setdefault(key, []).append((number(row["scale"]), number(row[name])))
    return lines(series, "scale", label)


EXPERIMENTS = by_name(
    Experiment(
        "qif-fig2",
        "Fernandes et al. 2018, figure 2: authors of noisy bags of words",
        (REUTERS, BLOGS, VECTORS),
        authors,
    ),
    Experiment(
        "qif-fig3",
        "Fernandes et al. 2018, figure 3: topics of noisy bags of words",
        (NEWSGROUPS, VECTORS),
        topics,
    ),
)
