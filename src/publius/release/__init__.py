"""The main job: a table of secrets in, a folder that may be published out."""

from publius.core.watch import Watch
from publius.release.compared import Measuring
from publius.release.pipeline import release
from publius.release.places import PlaceSettings
from publius.release.request import ReleaseRequest
from publius.release.sentences import SentenceSettings
from publius.release.times import TimeSettings

__all__ = [
    "Measuring",
    "PlaceSettings",
    "ReleaseRequest",
    "SentenceSettings",
    "TimeSettings",
    "Watch",
    "release",
]
