"""Quantitative information flow: channels, gains, leakage and refinement."""

from publius.information.channel import Channel
from publius.information.confusion import (
    confusability,
    exposure,
    is_confusable,
    is_hiding,
    is_revealing,
    is_universally_confusable,
)
from publius.information.gain import (
    Classes,
    Gain,
    Identity,
    MatrixGain,
    Tries,
    distance_gain,
)
from publius.information.hyper import Hyper
from publius.information.privacy import WorstPair, leakage_bound
from publius.information.refinement import Refinement
from publius.information.ruzicka import ngram_counts, ruzicka, ruzicka_matrix

__all__ = [
    "Channel",
    "Classes",
    "Gain",
    "Hyper",
    "Identity",
    "MatrixGain",
    "Refinement",
    "Tries",
    "WorstPair",
    "confusability",
    "distance_gain",
    "exposure",
    "is_confusable",
    "is_hiding",
    "is_revealing",
    "is_universally_confusable",
    "leakage_bound",
    "ngram_counts",
    "ruzicka",
    "ruzicka_matrix",
]
