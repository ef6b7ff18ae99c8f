"""Sentences to learn from, what is known about them, and batches of them."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from publius.autoencoder.architecture import Architecture
from publius.autoencoder.objective import Batch
from publius.autoencoder.settings import Training
from publius.autoencoder.subwords import Tokens, framed
from publius.core.arrays import BoolArray, IdArray
from publius.core.errors import DataError

FUNCTION_WORDS = 100
"""So many of the most frequent sub-words are no content words if none are named."""

CHUNK = 64
"""Batches whose sentences are sorted by length together."""


@dataclass(frozen=True, slots=True)
class Corpus:
    """Sentences to learn from.

    Args:
        tokens: Their sub-words.
        authors: Who wrote each, as numbers; None without authors.
        labels: What each should keep telling, as numbers; None without labels.
        is_content: Sub-words that are content words; None finds them by frequency.
    """

    tokens: Tokens
    authors: IdArray | None = None
    labels: IdArray | None = None
    is_content: BoolArray | None = None

    def __post_init__(self) -> None:
        if len(self.tokens) < 2:
            raise DataError("training needs at least two sentences")
        for name, known in (("author", self.authors), ("label", self.labels)):
            if known is not None and len(known) != len(self.tokens):
                raise DataError(f"there must be one {name} for each sentence")


def content_words(corpus: Corpus, shape: Architecture) -> Tensor:
    """Tell which sub-words are content words."""
    counts = np.bincount(corpus.tokens.ids, minlength=shape.vocabulary)
    is_content = counts > 0
    if corpus.is_content is not None:
        is_content &= corpus.is_content
    else:
        is_content[np.argsort(-counts)[:FUNCTION_WORDS]] = False
    return torch.from_numpy(is_content)


def author_prior(corpus: Corpus) -> Tensor:
    """Return the share of each author among the sentences of a label; never 0."""
    nothing = np.zeros(len(corpus.tokens), np.int64)
    what = nothing if corpus.labels is None else corpus.labels
    who = nothing if corpus.authors is None else corpus.authors
    counts = np.ones((int(what.max()) + 1, int(who.max()) + 1))
    np.add.at(counts, (what, who), 1)
    shares = counts / counts.sum(axis=1, keepdims=True)
    return torch.from_numpy(shares.astype(np.float32))


def batches(
    lengths: IdArray, chosen: IdArray, size: int, seed: int
) -> Iterator[IdArray]:
    """Yield batches of sentences of about the same length, in random order."""
    rng = np.random.default_rng(seed)
    order = rng.permutation(chosen)
    runs: list[IdArray] = []
    for start in range(0, len(order), size * CHUNK):
        chunk = order[start : start + size * CHUNK]
        chunk = chunk[np.argsort(lengths[chunk], kind="stable")]
        runs += [chunk[i : i + size] for i in range(0, len(chunk), size)]
    for number in rng.permutation(len(runs)):
        yield runs[number]


def batch_of(corpus: Corpus, rows: IdArray, device: torch.device) -> Batch:
    """Return some sentences as tensors on the device."""
    tokens, lengths = corpus.tokens.rows(rows)
    read, said = framed(tokens, lengths)
    parts = [torch.from_numpy(part).to(device) for part in (tokens, read, said)]
    known = [
        None if one is None else torch.from_numpy(one[rows]).to(device)
        for one in (corpus.authors, corpus.labels)
    ]
    return Batch(
        tokens=parts[0],
        lengths=torch.from_numpy(lengths),
        read=parts[1],
        said=parts[2],
        authors=known[0],
        labels=known[1],
    )


def held_out_split(count: int, settings: Training) -> tuple[IdArray, IdArray]:
    """Return the sentences that are learnt, and those that are only measured."""
    order = np.random.default_rng(settings.seed).permutation(count).astype(np.int64)
    cut = min(count - 1, max(1, round(count * settings.held_out)))
    return order[cut:], order[:cut]
