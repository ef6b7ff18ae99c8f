"""Noise: one file per mechanism, one table of registered names."""

from publius.mechanisms.exponential import Exponential
from publius.mechanisms.laplace import Laplace
from publius.mechanisms.nearest_word import NearestWord
from publius.mechanisms.syntf import CosineRatings, SynTF

REGISTERED = {mechanism.name: mechanism for mechanism in (Exponential, Laplace, SynTF)}
"""Every law by its name; a new law gets a new version."""

__all__ = [
    "REGISTERED",
    "CosineRatings",
    "Exponential",
    "Laplace",
    "NearestWord",
    "SynTF",
]
