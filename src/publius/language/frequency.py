"""How often words occur in the language: public, fixed before a text is read."""

import importlib
from collections.abc import Callable, Sequence

import numpy as np

from publius.core.arrays import FloatArray
from publius.core.errors import DataError, ParameterError, UnknownNameError

MANDELBROT = 2.7
"""Mandelbrot's shift: the first words are less frequent than Zipf's law says."""


def zipf(words: Sequence[str]) -> FloatArray:
    """Return frequencies by rank, for words in order of frequency."""
    return 1.0 / (np.arange(len(words)) + 1.0 + MANDELBROT)


def uniform(words: Sequence[str]) -> FloatArray:
    """Return the same frequency for every word."""
    return np.ones(len(words))


def wordfreq(words: Sequence[str]) -> FloatArray:
    """Return the frequencies of the package wordfreq, for English."""
    try:
        look_up = importlib.import_module("wordfreq").word_frequency
    except ImportError:
        raise ParameterError(
            "the prior wordfreq needs the package of that name: pip install wordfreq"
        ) from None
    frequencies = [float(look_up(word, "en")) for word in words]
    # A word that the list does not know is as rare as the rarest one that it knows.
    known = [value for value in frequencies if value > 0]
    return np.maximum(np.array(frequencies), min(known, default=1.0))


SOURCES: dict[str, Callable[[Sequence[str]], FloatArray]] = {
    "uniform": uniform,
    "wordfreq": wordfreq,
    "zipf": zipf,
}


def public_prior(words: Sequence[str], source: str = "zipf") -> FloatArray:
    """Return the public probability of each word.

    Args:
        words: In order of frequency.
        source: A name in `SOURCES`.
    """
    if source not in SOURCES:
        raise UnknownNameError("prior", source, SOURCES)
    if not len(words):
        raise DataError("a prior needs at least one word")
    frequency = SOURCES[source](words)
    return frequency / frequency.sum()


def inverse_frequency(prior: FloatArray) -> FloatArray:
    """Return idf weights in (0, 1], ``ln(1 / p)`` scaled to the rarest word.

    With public frequencies in place of document counts, a term that the language uses
    often says little about a text.
    """
    weight = -np.log(np.minimum(prior, 1 - 1e-12))
    return weight / weight.max()
