"""Word sequences that a vocabulary has as one entry, such as ``new_york``, as units.

Policy: from left to right the longest sequence that the vocabulary knows becomes one
unit. Letters count without their case; one white-space character stands between two
words. A sequence of stop words only stays what it is: they pass.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from publius.core.arrays import UNKNOWN, IdArray
from publius.language.tokenizer import SPACES, Tokenizer, fold

NONE = -1
"""Code of a gap or a word that no collocation has."""

Path = tuple[str, ...]
"""The first word of a collocation, then gaps and words in turn."""


@dataclass(frozen=True, slots=True, eq=False)
class Units:
    """Collocations found in a batch of words, in order and without overlap.

    Args:
        starts: Place of the first word of each.
        lengths: Number of its words.
        ids: Its place in the vocabulary.
    """

    starts: IdArray
    lengths: IdArray
    ids: IdArray


@dataclass(frozen=True, slots=True, eq=False)
class Collocations:
    """Find the collocations of a vocabulary in texts that were cut into words.

    Args:
        words: The vocabulary.
        tokenizer: Cuts its entries as it cuts texts.
    """

    words: Sequence[str]
    tokenizer: Tokenizer
    _pieces: dict[str, int] = field(default_factory=dict, init=False, repr=False)
    _gaps: dict[str, int] = field(default_factory=dict, init=False, repr=False)
    _steps: IdArray = field(init=False, repr=False)
    _targets: IdArray = field(init=False, repr=False)
    _entry: IdArray = field(init=False, repr=False)

    def __post_init__(self) -> None:
        paths = self._paths()
        for path in paths:
            for piece in path[::2]:
                self._pieces.setdefault(piece, len(self._pieces))
            for gap in ("", *path[1::2]):
                self._gaps.setdefault(gap, len(self._gaps))
        states: dict[Path, int] = {(): 0}
        for path in paths:
            for end in range(1, len(path) + 1, 2):
                states.setdefault(path[:end], len(states))
        steps = np.array([self._step(path, states) for path in states if path] or [0])
        order = np.argsort(steps)
        entry = [paths.get(path, UNKNOWN) for path in states]
        object.__setattr__(self, "_steps", steps[order])
        object.__setattr__(self, "_targets", order + 1)
        object.__setattr__(self, "_entry", np.array(entry, dtype=np.int64))

    @property
    def size(self) -> int:
        """Number of collocations that texts may hold."""
        return int((self._entry != UNKNOWN).sum())

    def find(self, forms: Sequence[str], codes: IdArray, gaps: Sequence[str]) -> Units:
        """Return the longest collocations from left to right.

        Args:
            forms: Distinct words.
            codes: For every word of every text the index of its form.
            gaps: What stands before each word; anything that is in no collocation,
                such as a line feed and a space, at the first word of a text.
        """
        pieces = np.array([self._pieces.get(fold(f), NONE) for f in forms], np.int64)
        piece = pieces[codes] if len(codes) else codes
        known = {gap: self._gaps.get(_plain(gap), NONE) for gap in dict.fromkeys(gaps)}
        gap = np.fromiter(map(known.__getitem__, gaps), np.int64, len(gaps))
        longest = np.zeros(len(codes), dtype=np.int64)
        ids = np.full(len(codes), UNKNOWN, dtype=np.int64)
        start = np.flatnonzero(piece != NONE)
        state = self._next(np.zeros(len(start), np.int64), 0 * start, piece[start])
        length = 1
        while (alive := state > 0).any():
            start, state = start[alive], state[alive]
            ends = self._entry[state] != UNKNOWN
            longest[start[ends]], ids[start[ends]] = length, self._entry[state[ends]]
            inside = start + length < len(codes)
            start, state = start[inside], state[inside]
            place = start + length
            state = self._next(state, gap[place], piece[place])
            length += 1
        chosen = _without_overlap(longest)
        return Units(chosen, longest[chosen], ids[chosen])

    def _paths(self) -> dict[Path, int]:
        """Return each collocation as it would be cut, with its place."""
        paths: dict[Path, int] = {}
        for number, word in enumerate(self.words):
            if "_" not in word and " " not in word:
                continue
            parts = self.tokenizer.split(fold(word).replace("_", " "))
            names = parts[1::2]
            if len(names) < 2 or parts[0] or parts[-1]:
                continue
            if all(map(self.tokenizer.is_stop_word, names)):
                continue
            # As everywhere, an entry in lower case goes before one with capitals.
            path = tuple(parts[1:-1])
            if path not in paths or (
                word.islower() and not self._is_lower(paths[path])
            ):
                paths[path] = number
        return paths

    def _is_lower(self, number: int) -> bool:
        return self.words[number].islower()

    def _step(self, path: Path, states: dict[Path, int]) -> int:
        before, (gap, piece) = path[:-2], ("", *path)[-2:]
        return int(
            (states[before] * len(self._gaps) + self._gaps[gap]) * len(self._pieces)
            + self._pieces[piece]
        )

    def _next(self, state: IdArray, gap: IdArray, piece: IdArray) -> IdArray:
        """Return the state after each step, 0 where there is none."""
        key = (state * len(self._gaps) + gap) * len(self._pieces) + piece
        place = np.minimum(np.searchsorted(self._steps, key), len(self._steps) - 1)
        is_step = (self._steps[place] == key) & (gap != NONE) & (piece != NONE)
        return np.where(is_step, self._targets[place], 0)


def _plain(gap: str) -> str:
    return " " if gap == "\r\n" or (len(gap) == 1 and gap in SPACES) else gap


def _without_overlap(longest: IdArray) -> IdArray:
    """Take from left to right what does not begin inside a unit taken before."""
    chosen, end = [], 0
    starts = np.flatnonzero(longest)
    for start, length in zip(starts.tolist(), longest[starts].tolist(), strict=True):
        if start >= end:
            chosen.append(start)
            end = start + length
    return np.array(chosen, dtype=np.int64)


def spelled(word: str) -> str:
    """Return how an entry of a vocabulary is written in a text: without underscores."""
    if "_" not in word:
        return word
    parts = word.split("_")
    return " ".join(parts) if all(parts) else word
