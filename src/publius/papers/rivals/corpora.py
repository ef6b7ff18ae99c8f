"""Texts of the study: cut after so many content words, with author and use."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from publius.assessment.rivals.contest import WORDS
from publius.assessment.rivals.passages import cut_after
from publius.core.arrays import BoolArray, IdArray
from publius.papers.documents import codes_of, read_columns
from publius.papers.experiment import Request

NEWSGROUPS = "topic/20ng_12groups.jsonl.gz"
CRITICS = "authorship/movie_scale_4authors.jsonl.gz"
LEAST_POSTS = 20
OTHER_POSTS = 900
REVIEWS = 1000
CREDITS = 40
"""Words at the start of a review that may be a list of its cast."""


@dataclass(frozen=True, slots=True, eq=False)
class Corpus:
    """Texts with authors, a use, and a split.

    Args:
        name: For tables.
        use: What analysts want to know: topic or rating.
        texts: All of one number of content words.
        authors: As numbers; -1 for texts that serve the use only.
        labels: Of the use, as numbers.
        is_known: On the side that is learnt from.
    """

    name: str
    use: str
    texts: list[str]
    authors: IdArray
    labels: IdArray
    is_known: BoolArray

    def only(self, rows: IdArray) -> "Corpus":
        """Return some of the texts."""
        texts = [self.texts[i] for i in rows.tolist()]
        parts = (self.authors[rows], self.labels[rows], self.is_known[rows])
        return Corpus(self.name, self.use, texts, *parts)

    def numbered(self) -> "Corpus":
        """Return the same with authors and labels counted from 0 without gaps."""
        authors, labels = (
            np.unique(codes, return_inverse=True)[1].astype(np.int64)
            for codes in (self.authors, self.labels)
        )
        return Corpus(self.name, self.use, self.texts, authors, labels, self.is_known)


def newsgroups(request: Request) -> Corpus:
    """Return posts of busy authors, and posts of others for the topic."""
    read = read_columns(request, NEWSGROUPS, "text_clean", ("author", "topic", "split"))
    cut = [cut_after(text, WORDS) for text in read["text_clean"]]
    kept = [i for i, text in enumerate(cut) if text is not None]
    size = Counter(read["author"][i] for i in kept)
    sides = {
        side: {read["author"][i] for i in kept if read["split"][i] == side}
        for side in ("train", "test")
    }
    both = sides["train"] & sides["test"]
    busy = [
        i
        for i in kept
        if size[read["author"][i]] >= LEAST_POSTS and read["author"][i] in both
    ]
    chosen = set(busy)
    rest = np.array([i for i in kept if i not in chosen])
    others = np.random.default_rng(0).permutation(rest)[:OTHER_POSTS].tolist()
    authors = codes_of([read["author"][i] for i in busy])
    rows = [*busy, *others]
    return _corpus(
        "20 Newsgroups",
        "topic",
        [str(cut[i]) for i in rows],
        np.concatenate([authors, np.full(len(others), -1)]),
        codes_of([read["topic"][i] for i in rows]),
        [read["split"][i] for i in rows],
    )


def critics(request: Request) -> Corpus:
    """Return reviews of four critics with three classes of stars."""
    read = read_columns(request, CRITICS, "text", ("author", "label3", "split"))
    order = np.random.default_rng(0).permutation(len(read["text"]))
    cut = {
        i: cut_after(" ".join(read["text"][i].split()[CREDITS:]), WORDS)
        for i in order.tolist()
    }
    rows = [i for i, text in cut.items() if text is not None][:REVIEWS]
    return _corpus(
        "four critics",
        "rating",
        [str(cut[i]) for i in rows],
        codes_of([read["author"][i] for i in rows]),
        codes_of([read["label3"][i] for i in rows]),
        [read["split"][i] for i in rows],
    )


def _corpus(
    name: str,
    use: str,
    texts: list[str],
    authors: IdArray,
    labels: IdArray,
    split: Sequence[str],
) -> Corpus:
    is_known = np.array([side == "train" for side in split])
    return Corpus(name, use, texts, authors, labels, is_known)
