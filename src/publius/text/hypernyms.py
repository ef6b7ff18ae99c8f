"""Which noun of WordNet is a kind of which other: pairs to train hyperbolic vectors."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from publius.core.errors import DataError
from publius.text.wordnet import read_lines

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
        try:
            senses = dict(_senses(folder))
            names, pairs = {}, []
            for fields in read_lines(folder / "data.noun"):
                place, word = int(fields[0]), fields[4].lower()
                names[place] = f"{word}.n.{senses[word, place]:02d}"
                pairs += [(place, above) for above in _above(fields)]
            lower, upper = zip(*((names[a], names[b]) for a, b in pairs), strict=True)
        except (OSError, UnicodeDecodeError, ValueError, IndexError, KeyError):
            raise DataError(
                f"the folder {folder.name!r} does not hold WordNet's nouns"
            ) from None
        return cls(lower, upper)


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
