"""Feyisetan, Diethe and Drake 2019 with sound mechanisms: NAME → function."""

from collections.abc import Callable

from publius.papers.directional.result import Reproduction, Setting
from publius.papers.experiment import Experiment, Outcome, Request
from publius.papers.hyperbolic.authors import NOVELS, PAN11, author_predictions
from publius.papers.hyperbolic.density import densities
from publius.papers.hyperbolic.disk import MAMMALS, disk
from publius.papers.hyperbolic.generalisation import generalisation
from publius.papers.hyperbolic.intents import intents
from publius.papers.hyperbolic.sources import GLOVE, SNIPS, WORD2VEC
from publius.papers.hyperbolic.statistics import equal_worst_case, privacy_statistics
from publius.papers.hyperbolic.utility import FILES, task_scores

QUICK = 0.2

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


def experiment(name: str) -> Experiment:
    """Return a reproduction in the form of all experiments."""
    reproduce = REPRODUCTIONS[name]

    def run(request: Request) -> Outcome:
        effort = QUICK if request.quick else 1.0
        reproduction = reproduce(Setting(request.folder, request.seed, effort))
        rows = tuple(
            dict(zip(reproduction.columns, row, strict=True))
            for row in reproduction.rows
        )
        return Outcome(rows, reproduction.remarks, reproduction.picture())

    title = (reproduce.__doc__ or name).partition("\n")[0]
    title = f"Feyisetan, Diethe and Drake 2019: {title[0].lower()}{title[1:]}"
    return Experiment(name, title, NEEDS[name], run)


EXPERIMENTS = {name: experiment(name) for name in REPRODUCTIONS}

__all__ = ["EXPERIMENTS", "REPRODUCTIONS"]
