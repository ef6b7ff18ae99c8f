"""Count how often one row changes rooms on its way through a release.

A room is a folder of ``src/publius``, or a module beside them. A profiler sees every
function of Publius that the command line enters while it releases one row; all modules
are imported beforehand, so that nothing of an import is counted. Each function counts
once, where it is entered first: two functions in a row from different rooms are one
change. Values of ``core`` (errors, guarantees, checks of numbers) are used everywhere
and count as functions, but not as a room.

This is the nearest of some twenty ways of counting to the figures that the redesign
began with; at that commit it counts 351, 247 and 322 functions in 66, 43 and 48 files,
and 70, 64 and 57 changes, where 406, 256, 327 in 74, 50, 56 and 72, 65, 55 were told.

Usage: python scripts/trace_rooms.py [--list] [words|places|sentences …]
"""

import importlib
import json
import os
import pkgutil
import subprocess
import sys
import tempfile
from itertools import groupby, pairwise
from pathlib import Path
from types import FrameType

import publius
from publius.cli import main as command_line

ROOT = f"{Path(publius.__file__).parent}{os.sep}"
EVERYWHERE = "core"
WALKS = {
    "words": "release IN --text text --author user -o OUT",
    "places": "places IN --lat lat --lon lon --user user -o OUT",
    "sentences": "release IN --text text --author user --mechanism dp-vae --sigma 1 "
    "-o OUT",
}
ROW = "text,lat,lon,user\nThe people met.,40.7,-74.0,a\n"


def everything() -> None:
    """Import every module that the installed extras allow."""
    for module in pkgutil.walk_packages(publius.__path__, "publius."):
        try:
            importlib.import_module(module.name)
        except (ImportError, publius.PubliusError):
            continue  # of an extra that is not installed


def traced(arguments: list[str]) -> list[tuple[str, str]]:
    """Run a command and return file and name of its functions, by first entry."""
    seen: dict[tuple[str, str], None] = {}

    def note(frame: FrameType, event: str, _: object) -> None:
        code = frame.f_code
        if event == "call" and code.co_filename.startswith(ROOT):
            seen[code.co_filename.removeprefix(ROOT), code.co_qualname] = None

    def ended(code: int) -> None:
        raise SystemExit(code)

    os._exit = ended  # type: ignore[assignment]
    sys.argv = ["publius", *arguments]
    sys.setprofile(note)
    try:
        command_line()
    except SystemExit as error:
        if error.code:
            raise
    finally:
        sys.setprofile(None)
    return [(file, name) for file, name in seen if name != "<module>"]


def figures(seen: list[tuple[str, str]]) -> dict[str, int]:
    """Return functions, files and changes of room."""
    rooms = [file.partition("/")[0] for file, _ in seen]
    changes = pairwise(room for room in rooms if room != EVERYWHERE)
    return {
        "functions": len(seen),
        "files": len({file for file, _ in seen}),
        "changes_of_room": sum(before != after for before, after in changes),
    }


def walk(name: str, *, is_listed: bool) -> None:
    """Trace one walk in this process; print its figures, or its stretches."""
    with tempfile.TemporaryDirectory() as folder:
        table = Path(folder) / "one.csv"
        table.write_text(ROW, "utf-8")
        place = {"IN": str(table), "OUT": str(Path(folder) / "out")}
        everything()
        with Path(os.devnull).open("w", encoding="utf-8") as sink:
            sys.stdout = sink
            seen = traced([place.get(word, word) for word in WALKS[name].split()])
            sys.stdout = sys.__stdout__
    print(json.dumps(figures(seen)))
    if is_listed:
        known = (one for one in seen if not one[0].startswith(EVERYWHERE))
        for room, stretch in groupby(known, lambda one: one[0].partition("/")[0]):
            print(room, *(" ".join(one) for one in stretch), sep="\n    ")


def main() -> None:
    """Trace every walk in a process of its own."""
    names = [name for name in sys.argv[1:] if name in WALKS]
    is_listed = "--list" in sys.argv
    if len(names) == 1:
        walk(names[0], is_listed=is_listed)
        return
    for name in names or WALKS:
        told = subprocess.run(
            [sys.executable, __file__, name],
            capture_output=True, text=True, check=True,
        )  # fmt: skip
        print(name, told.stdout.strip())


if __name__ == "__main__":
    main()
