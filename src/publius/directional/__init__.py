"""Times, places and unit vectors for arrays: what notebooks import."""

from publius.materials.directional_table import release_places, release_times
from publius.materials.places.sanitizer import PlaceSanitizer, PointsOfInterest
from publius.materials.times.clock import Clock
from publius.materials.times.sanitizer import TimeSanitizer
from publius.numerics.circular.histogram import (
    Busyness,
    SphereBins,
    circular_histogram,
    mean_absolute_error,
)
from publius.numerics.circular.statistics import (
    circular_difference,
    circular_distance,
    circular_mean,
    circular_variance,
    mean_direction,
    rank_agreement,
    resultant_length,
)
from publius.numerics.circular.transport import circular_emd, great_circle_emd
from publius.numerics.geometry.earth import great_circle, metres_to_angle, place_vectors

__all__ = [
    "Busyness",
    "Clock",
    "PlaceSanitizer",
    "PointsOfInterest",
    "SphereBins",
    "TimeSanitizer",
    "circular_difference",
    "circular_distance",
    "circular_emd",
    "circular_histogram",
    "circular_mean",
    "circular_variance",
    "great_circle",
    "great_circle_emd",
    "mean_absolute_error",
    "mean_direction",
    "metres_to_angle",
    "place_vectors",
    "rank_agreement",
    "release_places",
    "release_times",
    "resultant_length",
]
