"""Texts as the papers prepare them: content words, cut to one length."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from publius.core.arrays import IdArray, Rng
from publius.core.errors import DataError
from publius.core.mechanism import Mechanism
from publius.embeddings.embedding import Embedding
from publius.language.counts import spread
from publius.language.stop_words import STOP_WORDS
from publius.papers.experiment import Request
from publius.tables.columns import Columns
from publius.tables.read import open_source

Table = dict[str, list[str]]

PAPER_LENGTH = 2.5
"""About the length of the papers' word vectors of content words; ours have length 1.

An ε or a scale of the papers is converted by it, so that noise and distances between
words have about the same ratio.
"""


@dataclass(frozen=True, slots=True, eq=False)
class Split:
    """Content words of training and test documents, with their classes."""

    train: list[list[str]]
    labels: IdArray
    test: list[list[str]]
    truth: IdArray


def read_columns(
    request: Request, file: str, text: str, others: Sequence[str]
) -> Table:
    """Read string columns of a file of the data folder."""
    columns = Columns((text,), keep=tuple(others))
    source = open_source(request.path(file), columns=columns)
    table: Table = {name: [] for name in (text, *others)}
    for batch in source.batches():
        for name in table:
            values = batch.column(batch.schema.get_field_index(name)).to_pylist()
            table[name] += ["" if value is None else str(value) for value in values]
    return table


def content_words(text: str) -> list[str]:
    """Return lower-case words without stop words and numbers, in order."""
    seen = spread([text])
    words = [seen.forms[code] for code in seen.codes.tolist()]
    return [word for word in words if word not in STOP_WORDS and word.isalpha()]


@dataclass(frozen=True, slots=True, eq=False)
class WordNoise:
    """Replace words by a mechanism; unknown words pass, as in the papers.

    Passing unknown words is no release: this belongs to the lab, where the papers'
    numbers are made again, and the notes of each experiment say so.
    """

    embedding: Embedding
    mechanism: Mechanism[IdArray, IdArray]

    def apply(self, documents: Sequence[Sequence[str]], rng: Rng) -> list[list[str]]:
        """Return the documents with every known word replaced."""
        words = [word for document in documents for word in document]
        ids = self.embedding.vocabulary.encode(words)
        known = np.flatnonzero(ids >= 0)
        drawn = self.mechanism.perturb(ids[known], rng)
        names = self.embedding.vocabulary.words
        for place, new in zip(known.tolist(), drawn.tolist(), strict=True):
            words[place] = names[new]
        replaced, start = [], 0
        for document in documents:
            replaced.append(words[start : start + len(document)])
            start += len(document)
        return replaced


def joined(documents: Sequence[Sequence[str]]) -> list[str]:
    """Return documents as strings."""
    return [" ".join(words) for words in documents]


def codes_of(names: Sequence[str]) -> IdArray:
    """Number names in sorted order."""
    if not names:
        raise DataError("there are no documents")
    return np.unique(list(names), return_inverse=True)[1].astype(np.int64)


def words_only() -> Embedding:
    """Stand in for the embedding of a classifier that reads words only."""
    raise DataError("this classifier was given no embedding")
