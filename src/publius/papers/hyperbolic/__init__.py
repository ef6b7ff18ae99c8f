"""Feyisetan, Diethe and Drake 2019 with sound mechanisms: NAME → function."""

from collections.abc import Callable

from publius.papers.directional.result import Reproduction, Setting, as_experiment
from publius.papers.hyperbolic.authors import NOVELS, PAN11, author_predictions
from publius.papers.hyperbolic.density import densities
from publius.papers.hyperbolic.disk import MAMMALS, disk
from publius.papers.hyperbolic.generalisation import generalisation
from publius.papers.hyperbolic.intents import intents
from publius.papers.hyperbolic.sources import GLOVE, SNIPS, WORD2VEC
from publius.papers.hyperbolic.statistics import equal_worst_case, privacy_statistics
from publius.papers.hyperbolic.utility import FILES, task_scores

REPRODUCTIONS: dict[str, Callable[[Setting], Reproduction]] = {
    "feyisetan-fig3": densities,
    "feyisetan-fig4": disk,
    "feyisetan-fig5": privacy_statistics,
    "feyisetan-generalisation": generalisation,
    "feyisetan-table1": intents,
    "feyisetan-table3": author_predictions,
    "feyisetan-table4": equal_worst_case,
    "feyisetan-table6": task_scores,
}

NEEDS: dict[str, tuple[str, ...]] = {
    "feyisetan-fig3": (),
    "feyisetan-fig4": (MAMMALS,),
    "feyisetan-fig5": (),
    "feyisetan-generalisation": (),
    "feyisetan-table1": (SNIPS,),
    "feyisetan-table3": (PAN11, NOVELS),
    "feyisetan-table4": (GLOVE, WORD2VEC),
    "feyisetan-table6": tuple(FILES.values()),
}
"""Files of the reference data."""


EXPERIMENTS = {
    name: as_experiment(
        name,
        reproduce,
        source="Feyisetan, Diethe and Drake 2019",
        needs=NEEDS[name],
        quick=0.2,
    )
    for name, reproduce in REPRODUCTIONS.items()
}

__all__ = ["EXPERIMENTS", "REPRODUCTIONS"]
