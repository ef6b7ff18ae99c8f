"""Reviews with authors and ratings, and the same reviews rewritten."""

import gzip
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.svm import LinearSVC

from publius.autoencoder import sentences
from publius.core.arrays import at_least
from publius.core.errors import DataError
from publius.storage.atomic import write_bytes

_BEFORE_MARK = re.compile(r"\s+([.,!?;:%)\]])")
_AFTER_MARK = re.compile(r"([(\[])\s+")
_QUOTED = re.compile(r'" ([^"]*) "')


@dataclass(frozen=True, slots=True)
class Review:
    """One text, who wrote it and what it says.

    Args:
        author: Who wrote it.
        text: What the attacker sees, before or after rewriting.
        split: ``train`` or ``test``.
        label: Rating class; None where the corpus has none.
    """

    author: str
    text: str
    split: str
    label: int | None = None


def read_reviews(path: Path, *, authors: int) -> list[Review]:
    """Read the reviews of the first `authors` authors, one author after the other.

    Both corpora come cut into tokens; their marks are closed up, as people write.
    """
    at_least("authors", authors, 2)
    kept: dict[tuple[str, str], list[Review]] = {}
    names: dict[str, None] = {}
    for record in _lines(path, ("author", "split", "text")):
        name = str(record["author"])
        if name not in names and len(names) == authors:
            continue
        names[name] = None
        split = "train" if record["split"] == "train" else "test"
        rows = kept.setdefault((name, split), [])
        label = record.get("label3")
        if label is None or isinstance(label, int):
            rows.append(Review(name, closed_up(str(record["text"])), split, label))
    return [review for rows in kept.values() for review in rows]


def thinned(
    reviews: Sequence[Review], *, known: int | None, tested: int | None
) -> list[Review]:
    """Return so many reviews of each author and split, evenly spaced; None is all.

    The first ones would not do: IMDb62 is stored from the least to the most favourable.
    """
    groups: dict[tuple[str, str], list[Review]] = {}
    for review in reviews:
        groups.setdefault((review.author, review.split), []).append(review)
    kept = []
    for (_, split), rows in groups.items():
        asked = known if split == "train" else tested
        count = len(rows) if asked is None else min(len(rows), asked)
        kept += [rows[i * len(rows) // count] for i in range(count)]
    return kept


def shortened(reviews: Sequence[Review], count: int | None) -> list[Review]:
    """Return reviews with their first `count` sentences; None leaves them whole."""
    if count is None:
        return list(reviews)
    at_least("count", count, 1)
    return [
        replace(review, text=" ".join(sentences.split(review.text)[:count]))
        for review in reviews
    ]


def with_sentiment(reviews: Sequence[Review], public: Path) -> list[Review]:
    """Label reviews without ratings by an SVM that learnt other, public reviews.

    A stand-in: what is measured then is how far rewriting keeps the words by which a
    public classifier tells praise from blame, not what the authors' stars said.
    """
    known = list(_lines(public, ("text", "label")))
    reader = TfidfVectorizer(sublinear_tf=True, ngram_range=(1, 2), min_df=2)
    rows = reader.fit_transform([str(line["text"]) for line in known])
    labels = [int(str(line["label"])) for line in known]
    judge = LinearSVC(C=0.5, random_state=0).fit(rows, labels)
    predicted = judge.predict(reader.transform([review.text for review in reviews]))
    pairs = zip(reviews, predicted.tolist(), strict=True)
    return [replace(review, label=int(label)) for review, label in pairs]


def closed_up(text: str) -> str:
    """Write marks next to their words."""
    text = _BEFORE_MARK.sub(r"\1", text)
    return _QUOTED.sub(r'"\1"', _AFTER_MARK.sub(r"\1", text))


def _lines(path: Path, needed: tuple[str, ...]) -> Iterator[dict[str, object]]:
    try:
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            for line in lines:
                record = json.loads(line)
                if not all(name in record for name in needed):
                    raise DataError(f"{path.name} holds no {' and '.join(needed)}")
                yield record
    except (OSError, ValueError) as error:
        raise DataError(f"{path.name} holds no reviews") from error


def write_texts(path: Path, texts: Sequence[str]) -> None:
    """Save rewritten texts, so that they can be scored again and elsewhere."""
    write_bytes(path, gzip.compress(json.dumps(list(texts)).encode(), mtime=0))


def read_texts(path: Path) -> list[str]:
    """Read what ``write_texts`` wrote."""
    with gzip.open(path, "rt", encoding="utf-8") as file:
        return [str(text) for text in json.load(file)]
