"""Traits of the data that would mislead a comparison, measured and not assumed."""

import re
from collections import Counter
from collections.abc import Hashable, Sequence

import numpy as np

from publius.assessment.attacks import Documents, Knowledge, NgramSvm, attack
from publius.assessment.comparison.pictures import bars
from publius.assessment.comparison.rows import Row
from publius.assessment.evaluation.classify import Task, classify
from publius.core.arrays import BoolArray, IdArray, Rng
from publius.core.estimate import Estimate
from publius.numerics.scores import Scores, score_ranking
from publius.papers.documents import codes_of, read_columns, words_only
from publius.papers.experiment import Experiment, Outcome, Request, by_name

NEWSGROUPS = "topic/20ng_12groups.jsonl.gz"
BLOGS = "authorship/blog_shared.jsonl.gz"
REVIEWS = "authorship/imdb62_shared.jsonl.gz"
LEAST_POSTS = 20


def run(request: Request) -> Outcome:
    """Measure signatures, blog topics and the saturation of IMDb62."""
    rng = np.random.default_rng(request.seed)
    rows: list[Row] = []
    request.progress("signatures")
    rows += _signatures(request, rng)
    request.progress("blog topics")
    rows += _blog_topics(request, rng)
    request.progress("IMDb62")
    rows += _reviews(request, rng)
    notes = (
        "Signatures: authors with at least 20 posts in all; original split; character "
        "3-grams and a linear SVM on untouched posts.",
        "Blog topics: word TF-IDF and a linear SVM. Unseen bloggers: the bloggers of "
        "each topic are dealt into two halves, trained on one and tested on the other "
        "and the reverse.",
        "IMDb62: 20 authors. Letters only: without digits and punctuation, the first "
        "and last 30 words cut, three tenths of the training reviews.",
        "expected is what the description of the data says.",
    )
    groups: dict[str, dict[str, float]] = {}
    for row in rows:
        mine = groups.setdefault(str(row["trait"]), {})
        mine[str(row["setting"])] = float(row["accuracy"] or 0)
    return Outcome(tuple(rows), notes, bars(groups, "share found"))


def _signatures(request: Request, rng: Rng) -> list[Row]:
    rows: list[Row] = []
    for column, expected in (("text", 0.955), ("text_clean", 0.85)):
        read = read_columns(request, NEWSGROUPS, column, ("author", "split"))
        kept = [i for i, text in enumerate(read[column]) if text.strip()]
        texts, authors, train = _picked(read, column, "author", kept)
        size = Counter(authors)
        usable = {a for a, n in size.items() if n >= LEAST_POSTS}
        usable &= {a for a, is_train in zip(authors, train, strict=True) if is_train}
        usable &= {
            a for a, is_train in zip(authors, train, strict=True) if not is_train
        }
        kept = [i for i, author in enumerate(authors) if author in usable]
        scores = _authors([texts[i] for i in kept], [authors[i] for i in kept],
                         train[kept], rng)  # fmt: skip
        rows.append(_row("signatures", column, scores.accuracy, scores, expected))
    return rows


def _blog_topics(request: Request, rng: Rng) -> list[Row]:
    read = read_columns(request, BLOGS, "text", ("author", "topic", "split"))
    kept = list(range(0, len(read["text"]), 4 if request.quick else 1))
    texts, topics, train = _picked(read, "text", "topic", kept)
    authors = [read["author"][i] for i in kept]
    seen = _topics(texts, topics, train, rng)
    half = _half_of_bloggers(authors, topics)
    swapped = [_topics(texts, topics, side, rng) for side in (half, ~half)]
    hits = sum(round(s.accuracy.value * s.accuracy.n) for s in swapped)
    total = sum(s.accuracy.n for s in swapped)
    return [
        _row("blog topic", "bloggers seen in training", seen.accuracy, seen, 0.755),
        _row("blog topic", "unseen bloggers", Estimate.share(hits, total), seen, 0.25),
    ]


def _half_of_bloggers(authors: Sequence[str], topics: Sequence[str]) -> BoolArray:
    """Say which posts belong to every other blogger of each topic."""
    order: dict[str, int] = {}
    count: Counter[str] = Counter()
    for author, topic in sorted(set(zip(authors, topics, strict=True))):
        order[author] = count[topic]
        count[topic] += 1
    return np.array([order[author] % 2 == 0 for author in authors])


def _reviews(request: Request, rng: Rng) -> list[Row]:
    read = read_columns(request, REVIEWS, "text", ("author", "split"))
    step = 5 if request.quick else 1
    rank = _ranks(list(zip(read["author"], read["split"], strict=True)))
    kept = np.flatnonzero((rank % step == 0) | (np.array(read["split"]) == "test"))
    texts, authors, train = _picked(read, "text", "author", kept.tolist())
    whole = _authors(texts, authors, train, rng)
    rank = _ranks(list(zip(authors, train.tolist(), strict=True)))
    fewer = np.flatnonzero(~train | (rank % 10 < 3)).tolist()
    bare = [_bare(texts[i]) for i in fewer]
    hard = _authors(bare, [authors[i] for i in fewer], train[fewer], rng)
    return [
        _row("IMDb62", "reviews as they are", whole.accuracy, whole, 0.997),
        _row("IMDb62", "letters only, ends cut, less training", hard.accuracy, hard,
             0.893),
    ]  # fmt: skip


def _ranks(keys: Sequence[Hashable]) -> IdArray:
    """Number equal keys in order of appearance."""
    seen: Counter[Hashable] = Counter()
    ranks = []
    for key in keys:
        ranks.append(seen[key])
        seen[key] += 1
    return np.array(ranks, dtype=np.int64)


def _bare(text: str) -> str:
    words = re.sub(r"[^A-Za-z\s]", " ", text).split()
    return " ".join(words[30:-30])


def _picked(
    read: dict[str, list[str]], text: str, label: str, kept: Sequence[int]
) -> tuple[list[str], list[str], BoolArray]:
    return (
        [read[text][i] for i in kept],
        [read[label][i] for i in kept],
        np.array([read["split"][i] == "train" for i in kept]),
    )


def _authors(
    texts: Sequence[str], authors: Sequence[str], train: BoolArray, rng: Rng
) -> Scores:
    documents = Documents(texts, texts, codes_of(authors), train)
    return attack(NgramSvm(), documents, Knowledge.STATIC, rng)


def _topics(
    texts: Sequence[str], topics: Sequence[str], train: BoolArray, rng: Rng
) -> Scores:
    labels = codes_of(topics)
    task = Task(
        [texts[i] for i in np.flatnonzero(train).tolist()],
        labels[train],
        [texts[i] for i in np.flatnonzero(~train).tolist()],
        int(labels.max()) + 1,
    )
    return score_ranking(classify("svm", task, words_only), labels[~train], rng)


def _row(
    trait: str, setting: str, accuracy: Estimate, scores: Scores, expected: float
) -> Row:
    return {
        "trait": trait,
        "setting": setting,
        "accuracy": accuracy.value,
        "low": accuracy.low,
        "high": accuracy.high,
        "documents": accuracy.n,
        "classes": scores.classes,
        "majority": scores.majority,
        "expected": expected,
    }


EXPERIMENTS = by_name(
    Experiment(
        "data-traits",
        "Signatures, blog topics and IMDb62: what would mislead a comparison",
        (NEWSGROUPS, BLOGS, REVIEWS),
        run,
    ),
)
