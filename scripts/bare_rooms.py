"""Reach rooms of Publius past the front doors of their packages.

A machine with a GPU may have numpy, scipy and torch only, and a front door loads more
than the few modules that write texts need.
"""

import sys
import types
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).parents[1] / "src"


def open_rooms(names: Sequence[str]) -> None:
    """Let modules of these packages be imported without the packages themselves."""
    sys.path.insert(0, str(ROOT))
    for name in names:
        room = types.ModuleType(name)
        room.__path__ = [str(ROOT / name.replace(".", "/"))]
        sys.modules[name] = room
