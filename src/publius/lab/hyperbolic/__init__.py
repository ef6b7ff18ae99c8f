"""Feyisetan, Diethe and Drake 2019 with sound mechanisms: NAME → function.

Tables III and VI of the paper attack and use released corpora; they belong to the part
of the lab that compares releases and are not here.
"""

from collections.abc import Callable

from publius.lab.directional.result import Reproduction, Setting
from publius.lab.experiment import Experiment, Outcome, Request
from publius.lab.hyperbolic.generalisation import generalisation
from publius.lab.hyperbolic.intents import intents
from publius.lab.hyperbolic.sources import (
    CLOSURE,
    GLOVE,
    NOUNS,
    SNIPS,
    WORD2VEC,
)
from publius.lab.hyperbolic.statistics import equal_worst_case, privacy_statistics

QUICK = 0.2

REPRODUCTIONS: dict[str, Callable[[Setting], Reproduction]] = {
    "feyisetan-fig5": privacy_statistics,
    "feyisetan-generalisation": generalisation,
    "feyisetan-table1": intents,
    "feyisetan-table4": equal_worst_case,
}

NEEDS: dict[str, tuple[str, ...]] = {
    "feyisetan-fig5": (NOUNS,),
    "feyisetan-generalisation": (NOUNS, CLOSURE),
    "feyisetan-table1": (NOUNS, SNIPS),
    "feyisetan-table4": (NOUNS, GLOVE, WORD2VEC),
}
"""Files of the reference data."""


def experiment(name: str) -> Experiment:
    """Return a reproduction in the form of all experiments."""
    reproduce = REPRODUCTIONS[name]

    def run(request: Request) -> Outcome:
        effort = QUICK if request.quick else 1.0
        found = reproduce(Setting(request.folder, request.seed, effort))
        rows = tuple(dict(zip(found.columns, row, strict=True)) for row in found.rows)
        return Outcome(rows, found.remarks, found.picture())

    title = (reproduce.__doc__ or name).partition("\n")[0]
    return Experiment(name, title, NEEDS[name], run)


EXPERIMENTS = {name: experiment(name) for name in REPRODUCTIONS}

__all__ = ["EXPERIMENTS", "REPRODUCTIONS"]
