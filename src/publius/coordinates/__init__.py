"""Release tables of times and places from end to end."""

from publius.coordinates.places import PlaceSettings, release_places
from publius.coordinates.request import TableRequest
from publius.coordinates.times import TimeSettings, release_times

__all__ = [
    "PlaceSettings",
    "TableRequest",
    "TimeSettings",
    "release_places",
    "release_times",
]
