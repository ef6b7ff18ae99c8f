"""Keep the pieces that would end a blocked word from being drawn.

It looks at pieces that were written from released words, and at a public list. What a
piece ends is judged with all that a passage has so far, so that a word is found across
its pieces too.
"""

from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from publius.core.arrays import BoolArray, IdArray
from publius.language.models.causal.byte_pairs import BytePairs
from publius.language.models.causal.gguf import Array
from publius.retelling.block_list import BlockList, plain

_LISTS = 2


class Guard:
    """What each passage says last, and which pieces it may not go on with.

    A word of letters is barred as soon as it would stand there, a number only where it
    would end: its digits are pieces of their own.

    Args:
        blocked: The list.
        tokenizer: Of the model that writes.
        ends: Pieces that end a passage.
        rows: How many passages.
    """

    def __init__(
        self,
        blocked: BlockList,
        tokenizer: BytePairs,
        ends: Sequence[int],
        rows: int,
    ) -> None:
        self._blocked, self._ends = blocked, frozenset(ends)
        self._forms, self._is_suspect = _pieces(blocked, tokenizer)
        self._said = [""] * rows
        self._is_number = np.zeros(rows, dtype=bool)

    def favour(
        self, rows: IdArray, pieces: IdArray, scores: Array
    ) -> tuple[IdArray, Array]:
        """Return likely pieces with their scores, the highest first, barred ones last.

        Where all are barred, none is: the text is read once more when it is written.
        """
        made = np.where(self.barred(rows, pieces), -np.inf, scores)
        order = np.argsort(-made, axis=1, kind="stable")
        chosen = np.take_along_axis(pieces, order, axis=1)
        ranked: Array = np.take_along_axis(made, order, axis=1).astype(scores.dtype)
        return chosen, ranked

    def barred(self, rows: IdArray, pieces: IdArray) -> BoolArray:
        """Say of each piece of each row whether it would end a blocked word there."""
        asked = self._is_suspect[pieces] | self._is_number[rows][:, None]
        made = np.zeros(pieces.shape, dtype=bool)
        for row, place in zip(*np.nonzero(asked), strict=True):
            said, piece = self._said[rows[row]], int(pieces[row, place])
            made[row, place] = self._ends_word(said, piece)
        made &= ~made.all(axis=1, keepdims=True)
        return made

    def take(self, rows: IdArray, pieces: IdArray) -> None:
        """Note the piece that was drawn for each row."""
        for row, piece in zip(rows.tolist(), pieces.tolist(), strict=True):
            said = self._blocked.last_words(self._said[row] + self._form(piece))
            self._said[row] = said
            self._is_number[row] = said[-1:].isdigit() and any(
                stop == len(said) for _, stop in self._blocked.spans(said)
            )

    def _form(self, piece: int) -> str:
        return "" if piece in self._ends else self._forms[piece]

    def _ends_word(self, said: str, piece: int) -> bool:
        more = self._form(piece)
        whole, goes_on = said + more, more[:1].isalnum()
        for _, stop in self._blocked.spans(whole):
            is_open = stop == len(whole) and whole[-1:].isdigit() and bool(more)
            is_new = stop > len(said) or (stop == len(said) and not goes_on)
            if is_new and not is_open:
                return True
        return False


def guard_of(
    blocked: BlockList | None, tokenizer: BytePairs, ends: Sequence[int], rows: int
) -> Guard | None:
    """Return the guard of some passages that say nothing yet."""
    return None if blocked is None else Guard(blocked, tokenizer, ends, rows)


@lru_cache(maxsize=_LISTS)
def _pieces(blocked: BlockList, tokenizer: BytePairs) -> tuple[list[str], BoolArray]:
    """Return every piece as it is compared, and whether it could end an entry.

    Where one ends in a piece, the piece has an end of the entry's last word.
    """
    last = {entry[-1] for entry in blocked.entries}
    endings = {word[i:] for word in last for i in range(len(word))}
    forms = [plain(tokenizer.decode([piece])) for piece in range(len(tokenizer.pieces))]
    marked = BlockList(frozenset((ending,) for ending in endings))
    signs = {sign[-1] for sign in blocked.signs}
    is_suspect = [
        any(True for _ in marked.spans(form)) or any(map(form.count, signs))
        for form in forms
    ]
    return forms, np.array(is_suspect, dtype=bool)
