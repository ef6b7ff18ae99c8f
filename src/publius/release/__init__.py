"""The main job: a table of secret texts in, a folder that may be published out."""

from publius.core.watch import Watch
from publius.release.charging import (
    Charging,
    check_counts,
    check_ledger,
    subject,
)
from publius.release.compared import Measuring
from publius.release.pipeline import release
from publius.release.request import ReleaseRequest
from publius.release.sentences import SentenceSettings

__all__ = [
    "Charging",
    "Measuring",
    "ReleaseRequest",
    "SentenceSettings",
    "Watch",
    "check_counts",
    "check_ledger",
    "release",
    "subject",
]
