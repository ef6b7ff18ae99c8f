"""Structural and lexical totals of texts: lengths, lines, richness."""

from collections.abc import Sequence

import numpy as np

from publius.core.arrays import FloatArray
from publius.language.counts import Spread


def structure(texts: Sequence[str], seen: Spread) -> FloatArray:
    """Return totals of each text, damped by the logarithm where they grow with it."""
    shape = np.array([_marks(text) for text in texts], dtype=np.float64)
    shape = shape.reshape(len(texts), 6)
    characters, lines, paragraphs, sentences, capitals, digits = shape.T
    words = np.bincount(seen.owner, minlength=seen.texts).astype(np.float64)
    length = np.array([len(form) for form in seen.forms], dtype=np.float64)
    letters = np.bincount(
        seen.owner,
        weights=length[seen.codes] if len(seen.codes) else None,
        minlength=seen.texts,
    )
    size = max(1, len(seen.forms))
    pairs, counts = np.unique(seen.owner * size + seen.codes, return_counts=True)
    distinct = np.bincount(pairs // size, minlength=seen.texts)
    once = np.bincount(pairs[counts == 1] // size, minlength=seen.texts)
    total = np.maximum(words, 1)
    return np.column_stack(
        [
            np.log1p(characters),
            np.log1p(words),
            np.log1p(lines),
            np.log1p(paragraphs),
            letters / total,
            distinct / total,
            once / total,
            words / np.maximum(sentences, 1) / 20,
            capitals / np.maximum(characters, 1),
            digits / np.maximum(characters, 1),
        ]
    )


def _marks(text: str) -> tuple[int, ...]:
    return (
        len(text),
        text.count("\n") + 1,
        text.count("\n\n") + 1,
        text.count(".") + text.count("!") + text.count("?"),
        sum(map(str.isupper, text)),
        sum(map(str.isdigit, text)),
    )
