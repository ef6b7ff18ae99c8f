"""Which noun of WordNet is a kind of which other: pairs to train hyperbolic vectors."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from publius.core.errors import DataError
from publius.language.wordnet import read_lines

ABOVE = ("@", "@i")
"""Pointers to a more general meaning: of a kind, and of one single instance."""


@dataclass(frozen=True, slots=True)
class Hypernyms:
    """Pairs of names; ``london.n.01`` is the first meaning of the noun "london".

    Args:
        lower: One name per pair.
        upper: The more general name right above it.
    """

    lower: tuple[str, ...]
    upper: tuple[str, ...]

    @classmethod
    def read(cls, folder: Path) -> "Hypernyms":
        """Read ``index.noun`` and ``data.noun`` of WordNet's folder."""
        with _reading(folder):
            names = _names(folder)
            pairs = [
                (int(fields[0]), above)
                for fields in read_lines(folder / "data.noun")
                for above in _above(fields)
            ]
            lower, upper = zip(*((names[a], names[b]) for a, b in pairs), strict=True)
        return cls(lower, upper)


def first_meanings(folder: Path) -> dict[str, str]:
    """Return noun → name of its first, most common meaning.

    The name is that of the set of synonyms, so "auto" gives ``car.n.01``.
    """
    with _reading(folder):
        names = _names(folder)
        return {
            noun: names[place]
            for (noun, place), number in _senses(folder)
            if number == 1
        }


@contextmanager
def _reading(folder: Path) -> Iterator[None]:
    """Say of anything that goes wrong that the folder does not hold the nouns."""
    try:
        yield
    except (OSError, UnicodeDecodeError, ValueError, IndexError, KeyError):
        raise DataError(
            f"the folder {folder.name!r} does not hold WordNet's nouns"
        ) from None


def _names(folder: Path) -> dict[int, str]:
    """Return the name of the meaning at each place of ``data.noun``."""
    senses = dict(_senses(folder))
    names = {}
    for fields in read_lines(folder / "data.noun"):
        place, word = int(fields[0]), fields[4].lower()
        names[place] = f"{word}.n.{senses[word, place]:02d}"
    return names


def _senses(folder: Path) -> Iterator[tuple[tuple[str, int], int]]:
    """Yield (noun, place of a meaning) with the number of that meaning."""
    for fields in read_lines(folder / "index.noun"):
        count = int(fields[2])
        places = fields[6 + int(fields[3]) :][:count]
        for number, place in enumerate(places, start=1):
            yield (fields[0], int(place)), number


def _above(fields: list[str]) -> Iterator[int]:
    """Yield the places of the meanings right above a line of ``data.noun``."""
    start = 5 + 2 * int(fields[3], 16)
    for pointer in range(int(fields[start - 1])):
        symbol, place = fields[start + 4 * pointer : start + 4 * pointer + 2]
        if symbol in ABOVE:
            yield int(place)
