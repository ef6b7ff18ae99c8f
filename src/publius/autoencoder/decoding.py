"""From noisy vectors to words: post-processing, which costs no privacy."""

from dataclasses import dataclass

import torch
from torch import Tensor

from publius.autoencoder.architecture import BEGIN, BLANK, END, PAD
from publius.autoencoder.gru import State
from publius.autoencoder.network import SentenceNetwork
from publius.core.arrays import Rng, at_least, positive
from publius.core.errors import ParameterError, UnknownNameError

STRETCH = 4
"""Sub-words that are chosen before finished sentences are looked for."""

STRATEGIES = ("greedy", "beam", "top-k", "nucleus")


@dataclass(frozen=True, slots=True)
class Decoding:
    """How the next word is chosen.

    Args:
        strategy: ``greedy``, ``beam``, ``top-k`` or ``nucleus``.
        beams: Sentences that a beam search follows at once.
        best: Words among which ``top-k`` draws.
        mass: Probability of the words among which ``nucleus`` draws.
        temperature: Of drawn words; below 1 prefers likely ones.
    """

    strategy: str = "greedy"
    beams: int = 4
    best: int = 20
    mass: float = 0.9
    temperature: float = 1.0

    def __post_init__(self) -> None:
        if self.strategy not in STRATEGIES:
            raise UnknownNameError("decoding", self.strategy, STRATEGIES)
        at_least("beams", self.beams, 1)
        at_least("best", self.best, 1)
        positive("temperature", self.temperature)
        if not 0 < self.mass <= 1:
            raise ParameterError(f"mass must lie in (0, 1], got {self.mass}")


@torch.inference_mode()
def decode(
    network: SentenceNetwork, condition: Tensor, decoding: Decoding, rng: Rng
) -> list[list[int]]:
    """Return the sub-words of one sentence per row of `condition`.

    Drawing strategies take ``max_tokens`` numbers of the stream for each row in turn:
    rows that are decoded in several calls, in order, get the same words.
    """
    if decoding.strategy == "beam":
        return _beam(network, condition, decoding.beams)
    size, most = len(condition), network.shape.max_tokens
    said: list[list[int]] = [[] for _ in range(size)]
    is_drawn = decoding.strategy != "greedy"
    # The caller's stream decides, never a stream of torch's own.
    lots = torch.from_numpy(rng.random((size, most if is_drawn else 0)))
    lots = lots.to(condition.device)
    rows = torch.arange(len(condition), device=condition.device)
    state = network.start(condition)
    last = torch.full((len(rows), 1), BEGIN, device=condition.device)
    for start in range(0, most, STRETCH):
        stretch = []
        for step in range(start, min(start + STRETCH, most)):
            scores, state = _scores(network, last, state)
            if is_drawn:
                chosen = _drawn(scores, decoding, lots[rows, step])
            else:
                chosen = scores.argmax(dim=1)
            stretch.append(chosen)
            last = chosen[:, None]
        words = torch.stack(stretch, dim=1)
        for row, more in zip(rows.tolist(), words.tolist(), strict=True):
            said[row] += more
        # Sentences that have ended leave the batch: most are shorter than the longest.
        is_open = (words != END).all(dim=1)
        if not bool(is_open.any()):
            break
        rows, last = rows[is_open], last[is_open]
        state = tuple(part[is_open] for part in state)
    return [_until_end(row) for row in said]


def _scores(
    network: SentenceNetwork, last: Tensor, state: State
) -> tuple[Tensor, State]:
    logits, state = network.advance(last, state)
    scores = logits[:, -1].float()
    scores[:, [PAD, BEGIN, BLANK]] = float("-inf")
    return scores, state


def _drawn(scores: Tensor, decoding: Decoding, lots: Tensor) -> Tensor:
    """Draw a word for each row by its lot in [0, 1)."""
    ranked, order = torch.sort(scores / decoding.temperature, dim=1, descending=True)
    share = torch.softmax(ranked, dim=1)
    if decoding.strategy == "top-k":
        share[:, decoding.best :] = 0
    else:
        before = torch.cumsum(share, dim=1) - share
        share[before >= decoding.mass] = 0  # the first word has nothing before it
    total = torch.cumsum(share.double(), dim=1)
    lot = lots * total[:, -1]
    place = torch.searchsorted(total, lot[:, None], right=True)
    return order.gather(1, place.clamp(max=scores.shape[1] - 1))[:, 0]


def _beam(network: SentenceNetwork, condition: Tensor, beams: int) -> list[list[int]]:
    """Follow the `beams` most likely beginnings of every row; length-normalised."""
    rows, device = len(condition), condition.device
    state = tuple(part.repeat_interleave(beams, 0) for part in network.start(condition))
    last = torch.full((rows * beams, 1), BEGIN, device=device)
    total = torch.full((rows, beams), float("-inf"), device=device)
    total[:, 0] = 0  # all beams start equal: only one of them may be extended
    said = torch.full((rows, beams, 0), PAD, device=device)
    is_open = torch.ones(rows, beams, dtype=torch.bool, device=device)
    for _ in range(network.shape.max_tokens):
        scores, state = _scores(network, last, state)
        gain = torch.log_softmax(scores, dim=1).reshape(rows, beams, -1)
        # A finished sentence goes on with filling at no cost.
        gain = gain.masked_fill(~is_open[..., None], float("-inf"))
        gain[..., PAD] = torch.where(is_open, gain[..., PAD], 0.0)
        joint = (total[..., None] + gain).flatten(1)
        total, place = joint.topk(beams, dim=1)
        origin, word = place // gain.shape[2], place % gain.shape[2]
        said = said.gather(1, origin[..., None].expand(-1, -1, said.shape[2]))
        said = torch.cat([said, word[..., None]], dim=2)
        is_open = is_open.gather(1, origin) & (word != END)
        if not bool(is_open.any()):
            break
        flat = (torch.arange(rows, device=device)[:, None] * beams + origin).flatten()
        state = tuple(part[flat] for part in state)
        last = word.reshape(-1, 1)
    length = (said != PAD).sum(dim=2).clamp(min=1)
    best = (total / length).argmax(dim=1)
    chosen = said[torch.arange(rows, device=device), best]
    return [_until_end(row) for row in chosen.tolist()]


def _until_end(row: list[int]) -> list[int]:
    stop = row.index(END) if END in row else len(row)
    return [token for token in row[:stop] if token != PAD]
