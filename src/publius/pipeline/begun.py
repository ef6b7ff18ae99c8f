"""The metric and ε of a run that began under other defaults."""

import json
from collections.abc import Mapping
from dataclasses import replace

from publius.core.config import WordSettings
from publius.core.errors import OutputError
from publius.engines.store import WORKING, address_of, store_at
from publius.pipeline.request import ReleaseRequest

JOB = f"{WORKING}/job.json"
"""Where folders and stores keep the record of an unfinished run."""


def begun_with(request: ReleaseRequest[object], settings: WordSettings) -> WordSettings:
    """Return the settings with what a resumed run began with, where nothing is asked.

    A default may change between versions; a run keeps the law of its first words.
    """
    if not request.resume:
        return settings
    stored = _stored(request)
    metric, epsilon = stored.get("metric"), stored.get("epsilon")
    if not settings.metric and isinstance(metric, str):
        settings = replace(settings, metric=metric)
    is_open = settings.epsilon is None and settings.level is None
    if is_open and isinstance(epsilon, int | float):
        settings = replace(settings, epsilon=float(epsilon))
    return settings


def _stored(request: ReleaseRequest[object]) -> Mapping[str, object]:
    """Return the settings of the unfinished run; empty if none can be read."""
    try:
        job = json.loads(store_at(address_of(request.out)).get(JOB) or b"{}")
    except (OSError, ValueError, OutputError):
        return {}
    settings = job.get("settings") if isinstance(job, dict) else None
    return settings if isinstance(settings, dict) else {}
