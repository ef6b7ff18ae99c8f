"""How often writers were recognised after a release: measured figures of the package.

The file is made by scripts/measure_recognition.py; docs/measurements holds the same.
"""

import json
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import Any

from publius.core.errors import UnknownNameError

FILE = "recognition.json"


@dataclass(frozen=True, slots=True)
class Recognition:
    """Shares of texts whose writer was named, by the strongest attack that was run.

    Args:
        options: Of the release.
        released: After it, with the ends of its 95 % interval.
        low: Lower end.
        high: Upper end.
        untouched: On the originals.
        chance: By guessing.
        date: When it was measured.
    """

    options: str
    released: float
    low: float
    high: float
    untouched: float
    chance: float
    date: str


def recognition(setting: str) -> Recognition:
    """Return what was measured for one kind of release.

    Raises:
        UnknownNameError: It was not measured.
    """
    known = about()["settings"]
    if setting not in known:
        raise UnknownNameError("measured setting", setting, known)
    measurement = known[setting]
    after = measurement["released"]
    return Recognition(
        options=measurement["options"],
        released=after["value"],
        low=after["low"],
        high=after["high"],
        untouched=measurement["untouched"]["value"],
        chance=after["chance"],
        date=measurement["date"],
    )


def settings_measured() -> tuple[str, ...]:
    """Return the names of what was measured."""
    return tuple(about()["settings"])


@lru_cache(maxsize=1)
def about() -> dict[str, Any]:
    """Return everything that was measured, and how."""
    text = files("publius.reporting").joinpath(FILE).read_text("utf-8")
    figures: dict[str, Any] = json.loads(text)
    return figures
