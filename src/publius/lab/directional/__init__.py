"""Chapter 7 of the thesis, figure by figure: NAME → function."""

from collections.abc import Callable

from publius.lab.directional.busyness import examples, over_place_level, over_time_level
from publius.lab.directional.checkins import place_histograms, time_histograms
from publius.lab.directional.complexity import sample_complexity
from publius.lab.directional.laws import (
    angular_cdfs,
    angular_densities,
    expected_angles,
    expected_distances,
    mixture_cdfs,
)
from publius.lab.directional.result import Curve, Experiment, Reproduction
from publius.lab.directional.sampling import sampling_rates
from publius.lab.directional.sleep import mean_wake_time, ranking

REPRODUCTIONS: dict[str, Callable[[Experiment], Reproduction]] = {
    "thesis-7.2": angular_densities,
    "thesis-7.3": expected_angles,
    "thesis-7.4": sampling_rates,
    "thesis-7.5": expected_distances,
    "thesis-7.6": angular_cdfs,
    "thesis-7.7": mixture_cdfs,
    "thesis-7.8": sample_complexity,
    "thesis-7.9": mean_wake_time,
    "thesis-7.10": ranking,
    "thesis-7.11": time_histograms,
    "thesis-7.12": place_histograms,
    "thesis-7.13": over_time_level,
    "thesis-7.14": over_place_level,
    "thesis-7.15": examples,
}

__all__ = ["REPRODUCTIONS", "Curve", "Experiment", "Reproduction"]
