"""Favour pieces of released words that a passage has not used yet.

A taught writer leaves out many of the words that it is given. Here the score of a piece
rises where it begins or goes on with a word that is still to be used, and falls where
it would begin a word again, or end the passage while words are left. Only the likeliest
pieces are looked at: a word is never forced where the model sees no place for it.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from publius.core.arrays import FloatArray, IdArray
from publius.language.models.causal.byte_pairs import BytePairs
from publius.language.models.causal.gguf import Array

END, AGAIN = 1.0, 0.5
"""Of the strength: taken from an end while no word was used, and from a word again."""
AHEAD = 4
"""Words after the last one used that are favoured where their order is kept."""
NONE = -1
"""Stands where a spelling has no more pieces."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """Words that passages should use, and how much that counts; all of it public.

    Args:
        passages: Released words of each passage.
        strength: Added to the score of a piece of a word that was not used yet.
        ahead: Words after the last one used that are favoured; None for all.
    """

    passages: Sequence[Sequence[str]]
    strength: float
    ahead: int | None = None

    def only(self, rows: Sequence[int]) -> "Wanted":
        """Return the same for some passages."""
        return replace(self, passages=[self.passages[row] for row in rows])


class Spelled(NamedTuple):
    """How the words of passages are written in pieces, each in small and in capitals.

    Args:
        paths: Pieces of each spelling; ``(passages, spellings, pieces)``, -1 for none.
        word: Which word of its passage a spelling is of.
        left: How often each word of a passage is still to be used.
    """

    paths: IdArray
    word: IdArray
    left: IdArray


def spelled(passages: Sequence[Sequence[str]], tokenizer: BytePairs) -> Spelled:
    """Return how words are written, none of which was used yet."""
    counts = [_counted(words) for words in passages]
    own = [
        [
            (place, tokenizer.encode(f" {form}"))
            for place, word in enumerate(words)
            for form in sorted({word, word.capitalize()})
        ]
        for words in counts
    ]
    most = max((len(forms) for forms in own), default=0)
    longest = max((len(pieces) for forms in own for _, pieces in forms), default=1)
    paths = np.full((len(own), most, longest), NONE, dtype=np.int64)
    word = np.zeros((len(own), most), dtype=np.int64)
    for row, forms in enumerate(own):
        for place, (number, pieces) in enumerate(forms):
            paths[row, place, : len(pieces)] = pieces
            word[row, place] = number
    words = max((len(count) for count in counts), default=0)
    left = np.zeros((len(counts), max(words, 1)), dtype=np.int64)
    for row, count in enumerate(counts):
        left[row, : len(count)] = list(count.values())
    return Spelled(paths, word, left)


class WordBias:
    """What each passage has used of its words so far, and what follows for its pieces.

    It is a function of released words and of pieces that were written from them.
    `torch_bias.DeviceBias` is the same where a torch device is.

    Args:
        wanted: Words of each passage.
        tokenizer: Of the model that writes.
        ends: Pieces that end a passage.
    """

    def __init__(
        self, wanted: Wanted, tokenizer: BytePairs, ends: Sequence[int]
    ) -> None:
        self._strength, self._ahead = wanted.strength, wanted.ahead
        self._ends = np.array(ends)
        self._paths, self._word, self._left = spelled(wanted.passages, tokenizer)
        self._length = (self._paths != NONE).sum(axis=2)
        self._all = np.maximum(self._left.sum(axis=1), 1)
        self._depth = np.zeros_like(self._word)
        self._last = np.full(len(self._left), -1)

    def favour(
        self, rows: IdArray, pieces: IdArray, scores: Array
    ) -> tuple[IdArray, Array]:
        """Return likely pieces of each row with their new scores, the highest first."""
        made = scores + self.added(rows, pieces).astype(scores.dtype)
        order = np.argsort(-made, axis=1, kind="stable")
        chosen = np.take_along_axis(pieces, order, axis=1)
        return chosen, np.take_along_axis(made, order, axis=1)

    def added(self, rows: IdArray, pieces: IdArray) -> FloatArray:
        """Return what is added to the score of each piece of each row."""
        left, word = self._left[rows], self._word[rows]
        open_words = left > 0
        if self._ahead is not None:
            reach = self._last[rows][:, None] + self._ahead
            open_words &= np.arange(left.shape[1]) <= reach
        is_open = np.take_along_axis(open_words, word, axis=1)
        is_used = np.take_along_axis(left == 0, word, axis=1)
        first = self._paths[rows, :, 0]
        hit = _among(pieces, np.where(is_open, self._next(rows), NONE))
        again = _among(pieces, np.where(is_used, first, NONE)) & ~hit
        share = left.sum(axis=1, keepdims=True) / self._all[rows][:, None]
        end = share * np.isin(pieces, self._ends)
        made: FloatArray = self._strength * (hit - AGAIN * again - END * end)
        return made

    def take(self, rows: IdArray, pieces: IdArray) -> None:
        """Note the piece that was drawn for each row."""
        depth = self._depth[rows]
        begins = self._paths[rows, :, 0] == pieces[:, None]
        goes_on = self._next(rows) == pieces[:, None]
        depth = np.where(goes_on, depth + 1, begins)
        done = (depth == self._length[rows]) & (depth > 0)
        self._depth[rows] = np.where(done, 0, depth)
        place, spelling = np.nonzero(done)
        word = self._word[rows[place], spelling]
        used = np.zeros((len(rows), self._left.shape[1]), dtype=bool)
        used[place, word] = True
        self._left[rows] -= used & (self._left[rows] > 0)
        np.maximum.at(self._last, rows[place], word)

    def _next(self, rows: IdArray) -> IdArray:
        """Return the next piece of each spelling: its first, where it was not begun."""
        depth = self._depth[rows][:, :, None]
        return np.take_along_axis(self._paths[rows], depth, axis=2)[:, :, 0]


def bias_of(
    wanted: Wanted | None,
    rows: Sequence[int],
    tokenizer: BytePairs,
    ends: Sequence[int],
) -> WordBias | None:
    """Return the bias of some passages, none of whose words was used yet."""
    if wanted is None:
        return None
    return WordBias(wanted.only(rows), tokenizer, ends)


def _counted(words: Sequence[str]) -> dict[str, int]:
    """Return how often each word stands in a passage, in the order of their places."""
    counts: dict[str, int] = {}
    for word in words:
        counts[word] = counts.get(word, 0) + 1
    return counts


def _among(pieces: IdArray, wanted: IdArray) -> NDArray[np.bool_]:
    """Say of each piece of a row whether it is one of those wanted there."""
    is_wanted: NDArray[np.bool_]
    is_wanted = (pieces[:, :, None] == wanted[:, None, :]).any(axis=2)
    return is_wanted
