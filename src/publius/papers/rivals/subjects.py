"""Style against subject: what a text's subject alone gives away of its author.

Hiding a style does not hide a subject. For every corpus: how many authors are found in
untouched texts, how many from the subject alone, and how many among authors of the same
subject, where only the rest can help.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from sklearn.cluster import KMeans
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import TfidfVectorizer

from publius.assessment.comparison.rows import Row
from publius.assessment.rivals.measure import (
    Texts,
    author_risk,
    strongest,
    subject_alone,
    svm_attackers,
    within_topics,
)
from publius.assessment.rivals.passages import content_of
from publius.core.arrays import BoolArray, IdArray
from publius.numerics.scores import as_cells
from publius.papers.documents import codes_of, read_columns
from publius.papers.experiment import Outcome, Request, Shown

SUBJECTS = 12
"""Clusters that stand for subjects where a corpus names none."""
DIRECTIONS = 50
WORDS = 200
"""Words of a text that are read."""
MOST = (60, 30)
"""Texts of an author for training and for the test."""
LEAST = 5


@dataclass(frozen=True, slots=True)
class Source:
    """A corpus with authors.

    Args:
        name: For the table.
        file: In the data folder.
        text: Column of texts.
        subject: Column of subjects; empty where they are found by clustering.
    """

    name: str
    file: str
    text: str = "text"
    subject: str = ""


SOURCES = (
    Source("20 Newsgroups", "topic/20ng_12groups.jsonl.gz", "text_clean", "topic"),
    Source("blogs", "authorship/blog_shared.jsonl.gz", subject="topic"),
    Source("C50", "authorship/c50_shared.jsonl.gz"),
    Source("Enron", "authorship/pan11_enron_small.jsonl.gz"),
    Source("IMDb62", "authorship/imdb62_shared.jsonl.gz"),
    Source("four critics", "authorship/movie_scale_4authors.jsonl.gz"),
)


def run(request: Request) -> Outcome:
    """Measure subject and style on every corpus."""
    rng = np.random.default_rng(request.seed)
    rows: list[Row] = []
    for source in SOURCES[:2] if request.quick else SOURCES:
        request.progress(source.name)
        texts, subjects = _read(request, source)
        whole = strongest(author_risk(texts, svm_attackers(), rng))
        alone = subject_alone(texts.classes, subjects, texts.is_known)
        inside, usual, used = within_topics(texts, subjects, rng)
        truth = texts.classes[~texts.is_known]
        rows.append(
            {
                "corpus": source.name,
                "subjects": source.subject or f"{SUBJECTS} clusters",
                "authors": int(texts.classes.max()) + 1,
                "documents": len(truth),
                "largest author": float(np.bincount(truth).max() / len(truth)),
                **as_cells("author", whole, " "),
                **as_cells("by subject alone", alone, " "),
                **as_cells("within a subject", inside, " "),
                "busiest within": usual,
                "subjects used": used,
            }
        )
    notes = (
        f"Untouched texts, their first {WORDS} words; at most {MOST[0]} texts of an "
        f"author to learn from and {MOST[1]} to attack.",
        "author: the strongest of SVMs on words and on character 3-grams. By subject "
        "alone: the busiest author of the text's subject. Within a subject: character "
        "3-grams, taught and asked within one subject after the other, beside the "
        "busiest author there.",
        f"Where a corpus names no subjects, {SUBJECTS} clusters of its content words "
        "stand for them (TF-IDF, 50 directions, k-means on the known side). A blogger "
        "has one industry, a beat of Reuters one subject: there both are one.",
    )
    return Outcome(tuple(rows), notes, shown=_SHOWN)


_SHOWN = (
    Shown("corpus", "corpus"),
    Shown("authors", "authors"),
    Shown("author", "author", 2, has_interval=True),
    Shown("by subject alone", "by subject alone", 2, has_interval=True),
    Shown("within a subject", "within a subject", 2, has_interval=True),
    Shown("busiest within", "busiest there", 2),
)


def _read(request: Request, source: Source) -> tuple[Texts, IdArray]:
    columns = [source.subject] if source.subject else []
    read = read_columns(
        request, source.file, source.text, ("author", "split", *columns)
    )
    texts = [" ".join(text.split()[:WORDS]) for text in read[source.text]]
    known = [side == "train" for side in read["split"]]
    rows = _chosen(texts, read["author"], known)
    authors = codes_of([read["author"][i] for i in rows])
    is_known = np.array([known[i] for i in rows])
    kept = [texts[i] for i in rows]
    if source.subject:
        subjects = codes_of([read[source.subject][i] for i in rows])
    else:
        subjects = _clusters(kept, is_known)
    return Texts(kept, kept, authors, is_known), subjects


def _chosen(
    texts: Sequence[str], authors: Sequence[str], known: Sequence[bool]
) -> list[int]:
    """Return the first texts of every author who has enough on both sides."""
    seen: Counter[tuple[str, bool]] = Counter()
    rows = []
    for row, (text, author, side) in enumerate(zip(texts, authors, known, strict=True)):
        if len(text.split()) >= 20 and seen[author, side] < MOST[not side]:
            seen[author, side] += 1
            rows.append(row)
    return [
        row
        for row in rows
        if min(seen[authors[row], True], seen[authors[row], False]) >= LEAST
    ]


def _clusters(texts: Sequence[str], is_known: BoolArray) -> IdArray:
    """Return a cluster of content words for every text."""
    bags = [" ".join(content_of(text)) for text in texts]
    known = np.flatnonzero(is_known)
    reader = TfidfVectorizer(sublinear_tf=True, min_df=3)
    rows = reader.fit([bags[i] for i in known.tolist()]).transform(bags)
    directions = TruncatedSVD(min(DIRECTIONS, rows.shape[1] - 1), random_state=0)
    points = directions.fit(rows[known]).transform(rows)
    points /= np.maximum(np.linalg.norm(points, axis=1, keepdims=True), 1e-12)
    clusters = KMeans(SUBJECTS, n_init=3, random_state=0).fit(points[known])
    return np.asarray(clusters.predict(points)).astype(np.int64)
