"""Chapter 7 of the thesis, figure by figure: NAME → function, and as experiments."""

from collections.abc import Callable

from publius.papers.directional.busyness import (
    examples,
    over_place_level,
    over_time_level,
)
from publius.papers.directional.checkins import place_histograms, time_histograms
from publius.papers.directional.complexity import sample_complexity
from publius.papers.directional.laws import (
    angular_cdfs,
    angular_densities,
    expected_angles,
    expected_distances,
    mixture_cdfs,
)
from publius.papers.directional.result import (
    Curve,
    Reproduction,
    Setting,
    as_experiment,
)
from publius.papers.directional.sampling import sampling_rates
from publius.papers.directional.sleep import mean_wake_time, ranking, wake_time_curves
from publius.papers.directional.sources import CITY, SURVEY, WORLD

REPRODUCTIONS: dict[str, Callable[[Setting], Reproduction]] = {
    "thesis-7.2": angular_densities,
    "thesis-7.3": expected_angles,
    "thesis-7.4": sampling_rates,
    "thesis-7.5": expected_distances,
    "thesis-7.6": angular_cdfs,
    "thesis-7.7": mixture_cdfs,
    "thesis-7.8": sample_complexity,
    "thesis-7.9": mean_wake_time,
    "thesis-7.9a": wake_time_curves,
    "thesis-7.10": ranking,
    "thesis-7.11": time_histograms,
    "thesis-7.12": place_histograms,
    "thesis-7.13": over_time_level,
    "thesis-7.14": over_place_level,
    "thesis-7.15": examples,
}

NEEDS: dict[str, tuple[str, ...]] = {
    "thesis-7.9": (SURVEY,),
    "thesis-7.9a": (SURVEY,),
    "thesis-7.10": (SURVEY,),
    "thesis-7.11": (CITY,),
    "thesis-7.12": (WORLD,),
    "thesis-7.13": (CITY,),
    "thesis-7.14": (CITY,),
    "thesis-7.15": (CITY,),
}
"""Files of the reference data; the other figures need none."""


EXPERIMENTS = {
    name: as_experiment(
        name,
        reproduce,
        source=f"Thesis, {name.removeprefix('thesis-')}",
        needs=NEEDS.get(name, ()),
        quick=0.1,
    )
    for name, reproduce in REPRODUCTIONS.items()
}

__all__ = ["EXPERIMENTS", "REPRODUCTIONS", "Curve", "Reproduction", "Setting"]
