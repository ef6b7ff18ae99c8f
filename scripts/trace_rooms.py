"""Count how often one row changes rooms on its way through a release.

A room is a folder of ``src/publius``. A profiler sees every function of Publius that is
entered during a release of one row. Each function counts once, where it is entered
first: two functions in a row from different rooms are one change. Changes between all
calls are told beside it. Runs twice and counts the second time, so that what is loaded
once per process is not counted.

Usage: python scripts/trace_rooms.py [words|places|sentences …]
"""

import json
import sys
import tempfile
from collections.abc import Callable, Iterable
from itertools import pairwise
from pathlib import Path
from types import FrameType

import pyarrow as pa
from pyarrow import parquet

import publius as pb

ROOT = str(Path(pb.__file__).parent) + "/"
LEVEL = {"level": 1.0, "radius": "200m"}


def words(table: Path, out: Path) -> None:
    """Release one text."""
    pb.release(table, text="text", out=out)


def sentences(table: Path, out: Path) -> None:
    """Rewrite one text."""
    pb.rewrite(table, text="text", out=out)


def places(table: Path, out: Path) -> None:
    """Release one latitude and longitude."""
    pb.release_places(table, lat="lat", lon="lon", out=out, **LEVEL)


WALKS: dict[str, Callable[[Path, Path], None]] = {
    "words": words, "places": places, "sentences": sentences,
}  # fmt: skip


def traced(walk: Callable[[Path, Path], None], table: Path, out: Path) -> list[str]:
    """Return the files of the functions that were entered, in order."""
    seen: list[str] = []

    def note(frame: FrameType, event: str, _: object) -> None:
        name = frame.f_code.co_filename
        if event == "call" and name.startswith(ROOT):
            seen.append(f"{name.removeprefix(ROOT)}:{frame.f_code.co_qualname}")

    sys.setprofile(note)
    try:
        walk(table, out)
    finally:
        sys.setprofile(None)
    return seen


def changes(seen: Iterable[str]) -> int:
    """Return how often the room changes from one function to the next."""
    rooms = [place.partition("/")[0] for place in seen if "/" in place]
    return sum(before != after for before, after in pairwise(rooms))


def figures(seen: list[str]) -> dict[str, int]:
    """Return functions, files and changes of room."""
    functions = list(dict.fromkeys(seen))
    return {
        "functions": len(functions),
        "files": len({place.partition(":")[0] for place in functions}),
        "changes_of_room": changes(functions),
        "changes_between_all_calls": changes(seen),
    }


def main() -> None:
    """Print the figures of every walk as JSON."""
    told = {}
    with tempfile.TemporaryDirectory() as folder:
        table = Path(folder) / "one.parquet"
        row = {"text": ["The people met."], "lat": [40.7], "lon": [-74.0]}
        parquet.write_table(pa.table(row), table)
        for name in sys.argv[1:] or WALKS:
            WALKS[name](table, Path(folder) / f"{name}-first")
            told[name] = figures(traced(WALKS[name], table, Path(folder) / name))
    print(json.dumps(told, indent=1))


if __name__ == "__main__":
    main()
