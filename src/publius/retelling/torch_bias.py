"""`WordBias` where a torch device is: a step of a batch waits for no processor."""

from collections.abc import Sequence

import torch
from torch import Tensor

from publius.language.models.causal.byte_pairs import BytePairs
from publius.retelling.word_bias import AGAIN, END, NONE, Wanted, spelled


class DeviceBias:
    """What each passage has used of its words so far, and what follows for its pieces.

    Args:
        wanted: Words of each passage.
        tokenizer: Of the model that writes.
        ends: Pieces that end a passage.
        device: Name of a torch device.
    """

    def __init__(
        self, wanted: Wanted, tokenizer: BytePairs, ends: Sequence[int], device: str
    ) -> None:
        own = spelled(wanted.passages, tokenizer)
        self._paths, self._word, self._left = (
            torch.from_numpy(part).to(device) for part in own
        )
        self._strength, self._ahead = wanted.strength, wanted.ahead
        self._ends = torch.tensor(ends, device=device)
        self._length = (self._paths != NONE).sum(dim=2)
        self._all = self._left.sum(dim=1).clamp(min=1)
        self._depth = torch.zeros_like(self._word)
        self._last = torch.full((len(self._left),), -1, device=device)
        self._number = torch.arange(self._left.shape[1], device=device)

    def added(self, rows: Tensor, pieces: Tensor) -> Tensor:
        """Return what is added to the score of each piece of each row."""
        left, word = self._left[rows], self._word[rows]
        open_words = left > 0
        if self._ahead is not None:
            reach = self._last[rows][:, None] + self._ahead
            open_words = open_words & (self._number <= reach)
        is_open = open_words.gather(1, word)
        is_used = (left == 0).gather(1, word)
        hit = _among(pieces, self._next(rows).where(is_open, NONE))
        first = self._paths[rows, :, 0]
        again = _among(pieces, first.where(is_used, NONE)) & ~hit
        share = left.sum(dim=1, keepdim=True) / self._all[rows][:, None]
        end = share * torch.isin(pieces, self._ends)
        return self._strength * (hit.float() - AGAIN * again.float() - END * end)

    def take(self, rows: Tensor, pieces: Tensor) -> None:
        """Note the piece that was drawn for each row."""
        begins = self._paths[rows, :, 0] == pieces[:, None]
        goes_on = self._next(rows) == pieces[:, None]
        depth = torch.where(goes_on, self._depth[rows] + 1, begins.long())
        done = (depth == self._length[rows]) & (depth > 0)
        self._depth[rows] = depth.masked_fill(done, 0)
        word, left = self._word[rows], self._left[rows]
        used = torch.zeros_like(left).scatter_reduce(1, word, done.long(), "amax")
        self._left[rows] = left - (used * (left > 0))
        last = word.masked_fill(~done, -1)
        if last.shape[1]:
            self._last[rows] = torch.maximum(self._last[rows], last.amax(dim=1))

    def _next(self, rows: Tensor) -> Tensor:
        """Return the next piece of each spelling: its first, where it was not begun."""
        depth = self._depth[rows][:, :, None]
        return self._paths[rows].gather(2, depth)[:, :, 0]


def _among(pieces: Tensor, wanted: Tensor) -> Tensor:
    """Say of each piece of a row whether it is one of those wanted there."""
    return (pieces[:, :, None] == wanted[:, None, :]).any(dim=2)
