"""The main job: a table of secrets in, a folder that may be published out."""

from publius.core.watch import Watch
from publius.materials.places.treatment import PlaceSettings
from publius.materials.sentences.settings import SentenceSettings
from publius.materials.times.treatment import TimeSettings
from publius.pipeline.check import check
from publius.pipeline.compared import Measuring
from publius.pipeline.release import release
from publius.pipeline.request import ReleaseRequest

__all__ = [
    "Measuring",
    "PlaceSettings",
    "ReleaseRequest",
    "SentenceSettings",
    "TimeSettings",
    "Watch",
    "check",
    "release",
]
