"""Where released rows lie: in a table, or in the folder of a release."""

import json
from pathlib import Path

from publius.core.errors import DataError, ParameterError
from publius.tables.dataset import is_dataset
from publius.tables.read import format_of

TEXTS, PLACES = "texts", "places"
"""What can be looked at; times are the third material, and nothing attacks them."""

_MANIFEST = "manifest.json"
_PARTS = "parts"
_UNFINISHED = ".partial"
_ATTACKED_BY = {TEXTS: "publius attack", PLACES: "publius linkage"}


def is_file_name(name: str) -> bool:
    """Say whether a name is that of a file or folder, not of a column."""
    path = Path(name)
    try:
        return path.exists() or len(path.parts) > 1 or name.endswith("/")
    except OSError:  # too long for the name of a file
        return False


def released_file(name: str, material: str) -> Path:
    """Return the table that a name leads to, or the folder of its parts.

    Args:
        name: A table, the folder of a release, or a folder of tables.
        material: What was released: texts or places.

    Raises:
        DataError: Nothing released lies there, or another material does.
    """
    path = Path(name)
    if not path.exists():
        raise DataError(
            f"the released {material}: {name!r} does not exist; name a table or the "
            "folder that a release was written to"
        )
    found = _in_folder(path) if path.is_dir() else path
    if found.is_file():
        _refuse_no_table(found)
    _refuse_other(name, found, material)
    return found


def _in_folder(folder: Path) -> Path:
    files = sorted(folder.glob("data.*"))
    if len(files) == 1:
        return files[0]
    if files:
        listed = ", ".join(file.name for file in files)
        raise DataError(f"{str(folder)!r} holds several tables: {listed}; name one")
    parts = folder / _PARTS
    # The manifest of parts is written last.
    is_cut_off = parts.is_dir() and not (folder / _MANIFEST).is_file()
    if is_cut_off or (folder / _UNFINISHED).exists():
        raise DataError(
            f"{str(folder)!r} holds an unfinished release; finish it with --resume"
        )
    for place in (parts, folder):
        if is_dataset(place):
            return place
    raise DataError(
        f"{str(folder)!r} holds no release: neither data.* nor {_PARTS}/; name the "
        "folder that a release was written to, or a table"
    )


def _refuse_no_table(file: Path) -> None:
    try:
        format_of(file)
    except ParameterError:
        raise DataError(
            f"{file.name!r} is no table of released rows; name a table or the folder "
            "that a release was written to"
        ) from None


def _refuse_other(name: str, found: Path, material: str) -> None:
    """Raise if the manifest beside the rows says that something else was released."""
    try:
        written = json.loads((found.parent / _MANIFEST).read_text("utf-8"))
        is_of_it = found.is_dir() or found.name in written["files"]
        kind = str(written.get("kind", TEXTS)) if is_of_it else material
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return  # rows of somebody else
    if kind != material:
        by = _ATTACKED_BY.get(kind)
        hint = f"; look at it with {by}" if by else ""
        raise DataError(f"{name!r} is a release of {kind}, not of {material}{hint}")
