"""The papers reproduced: a table or figure each, ours beside the published numbers.

Every module listed in `MODULES` has a dictionary ``EXPERIMENTS``; `publius reproduce`
finds them by name.
"""

from importlib import import_module

from publius.core.errors import UnknownNameError
from publius.papers.experiment import Experiment, Outcome, Request

MODULES = (
    "autoencoder",
    "directional",
    "fernandes",
    "fernandes_bags",
    "hyperbolic",
    "newsgroups",
    "qif",
    "rivals",
    "syntf",
    "syntf_search",
    "thesis_bounds",
    "traits",
)
"""Where experiments live; a new one is one line here."""


def experiments() -> dict[str, Experiment]:
    """Return every experiment by name."""
    by_name: dict[str, Experiment] = {}
    for module in MODULES:
        by_name |= import_module(f"publius.papers.{module}").EXPERIMENTS
    return by_name


def experiment(name: str) -> Experiment:
    """Look an experiment up."""
    known = experiments()
    if name not in known:
        raise UnknownNameError("experiment", name, known)
    return known[name]


__all__ = ["Experiment", "Outcome", "Request", "experiment", "experiments"]
