"""Let the language model guess the words that a release was drawn from.

    python scripts/invert_rivals.py DATA BUNDLE.npz RESULT.json TEXTS OUT.json.gz …

For the rivals that draw words near the secret ones (`prior inside`): an attacker who
knows the exact channel at every place, and one who also knows how often words are used,
or who weighs whole texts by the language model (a beam from left to right; what passes
counts as evidence). Posts only; RESULT holds figures only.
"""

import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from generate_rivals import Llama, State, ragged
from measure_rivals import finished, read_texts, runs_of, study
from publius.assessment.rivals.asking import PriorReplacement
from publius.assessment.rivals.contest import Ground, entries
from publius.core.estimate import Estimate
from publius.language.models.causal import load_language_model

BEAM = 4
TOGETHER = 16
"""Texts whose beams are read side by side."""
BEGIN = 0


@dataclass(frozen=True, slots=True, eq=False)
class View:
    """What the attacker has of one release.

    Args:
        slots: Pieces that passed, and ``-2 - place`` of each released word.
        channel: log P(released word | word) of every secret word, place by place.
    """

    slots: list[int]
    channel: Tensor


def beamed(model: Llama, pieces: Tensor, views: Sequence[View]) -> list[list[int]]:
    """Return the likeliest words of each text, given channel and language model."""
    count, longest = len(views), max(len(view.slots) for view in views)
    state, hidden = model.begin([[BEGIN]] * (count * BEAM))
    scores = torch.full((count, BEAM), -torch.inf)
    scores[:, 0] = 0.0
    guesses: list[list[list[int]]] = [[[] for _ in range(BEAM)] for _ in views]
    for step in range(longest):
        log = torch.log_softmax(model.scores(hidden), dim=1)
        log = log.view(count, BEAM, -1)
        read = torch.zeros(count, BEAM, dtype=torch.long)
        source = torch.arange(BEAM).repeat(count, 1)
        for row, view in enumerate(views):
            if step >= len(view.slots):
                continue
            given = view.slots[step]
            if given >= 0:
                scores[row] += log[row, :, given]
                read[row] = given
                continue
            own = view.channel[len(guesses[row][0])]
            both = scores[row, :, None] + log[row][:, pieces] + own
            best, place = both.flatten().topk(BEAM)
            scores[row], source[row] = best, place // len(pieces)
            words = (place % len(pieces)).tolist()
            read[row] = pieces[place % len(pieces)]
            guesses[row] = [
                [*guesses[row][old], word]
                for old, word in zip(source[row].tolist(), words, strict=True)
            ]
        if step + 1 < longest:
            rows = (source + BEAM * torch.arange(count)[:, None]).flatten()
            state = State(state.memory[:, :, rows], state.length[rows])
            hidden = model.advance(read.flatten(), state)
    return [own[int(scores[row].argmax())] for row, own in enumerate(guesses)]


class Channels:
    """Exact log-channels of a prior inside the mechanism, seen from a release."""

    def __init__(self, asking: PriorReplacement, model: Llama) -> None:
        self.law, self.model = asking.law, model
        words = asking.language.lexicon
        self.pieces = torch.from_numpy(words.pieces).long()
        self.away = torch.from_numpy(words.distances).float()
        self.kernel = torch.exp(-self.law.rate * self.away)
        self.base = torch.from_numpy(self.law.base).float()

    def of(self, slots: Sequence[int]) -> Tensor:
        """Return log P(released | word), released words by all words.

        The prior at a place is that after the released words before it: the attacker
        computes it as the mechanism did.
        """
        drawn = [-2 - piece for piece in slots if piece < 0]
        read = [BEGIN]
        places = []
        for piece in slots:
            if piece < 0:
                places.append(len(read) - 1)
                read.append(int(self.pieces[-2 - piece]))
            else:
                read.append(piece)
        hidden = self.model.read([read])[0]
        scores = self.model.scores(hidden[places], self.model.table[self.pieces])
        level = scores - scores.max(dim=1, keepdim=True).values
        weights = self.base + level.clamp(min=-self.law.width)
        top = weights.max(dim=1, keepdim=True).values
        totals = torch.log(torch.exp(weights - top) @ self.kernel) + top
        return -self.law.rate * self.away[drawn] - totals


def usual(truth: Sequence[Sequence[int]], size: int) -> Tensor:
    """Return log-frequencies of words in texts, one of each added."""
    flat = np.array([place for own in truth for place in own], dtype=np.int64)
    count = np.bincount(flat[flat < size], minlength=size) + 1.0
    return torch.from_numpy(np.log(count / count.sum())).float()


def shares(
    truth: Sequence[Sequence[int]], guesses: Sequence[Sequence[int]], size: int
) -> dict[str, float]:
    """Return the share of words of the lexicon that were guessed."""
    pairs = [
        (x, guess)
        for own, mine in zip(truth, guesses, strict=True)
        for x, guess in zip(own, mine, strict=True)
        if x < size
    ]
    told = Estimate.share(sum(x == guess for x, guess in pairs), len(pairs))
    return {"share": told.value, "low": told.low, "high": told.high, "words": told.n}


@torch.inference_mode()
def main(folder: str, bundle: str, out: str, texts: str, *paths: str) -> None:
    torch.set_num_threads(1)
    plain = load_language_model()
    ground, model = Ground(plain.tokenizer), Llama(plain.weights, plain.shape, "cpu")
    language, arrays = ground.language, dict(np.load(bundle))
    size, written = language.lexicon.size, read_texts(paths)
    key = PriorReplacement.__name__
    slots = ragged(arrays[f"{key}_slots"], arrays[f"{key}_slots_counts"])
    truth = [[-2 - piece for piece in own if piece < 0] for own in slots]
    corpora, order = study(folder)
    posts = len(corpora[0].texts)
    mine = [i for i in finished(bundle, written) if order[i] < posts]
    asked = mine[: int(texts)]
    # Frequencies come from texts that nobody is asked about.
    rest = [truth[i] for i in range(len(order)) if order[i] < posts and i not in asked]
    log_prior = usual(rest, size)
    losses = {run["name"]: run["loss"] for run in runs_of(bundle)}
    rows = []
    for entry in entries(ground, 384.0):
        if not isinstance(entry.asking, PriorReplacement):
            continue
        channels = Channels(entry.asking, model)
        own = written[f"{entry.key}#0"]
        released = {i: list(language.slots(own[str(i)])) for i in asked}
        kept = [
            i for i in asked if sum(p < 0 for p in released[i]) == len(truth[i])
        ]  # fmt: skip
        views = [View(released[i], channels.of(released[i])) for i in kept]
        answers = [truth[i] for i in kept]
        guesses = {
            "the released word": [[-2 - p for p in v.slots if p < 0] for v in views],
            "channel": [v.channel.argmax(dim=1).tolist() for v in views],
            "channel and frequencies": [
                (v.channel + log_prior).argmax(dim=1).tolist() for v in views
            ],
        }
        beams: list[list[int]] = []
        for start in range(0, len(views), TOGETHER):
            part = views[start : start + TOGETHER]
            beams += beamed(model, channels.pieces, part)
        guesses["channel and language model"] = beams
        for attacker, words in guesses.items():
            row = {"rival": entry.key, "loss": losses[entry.key], "attacker": attacker,
                   "texts": len(kept), **shares(answers, words, size)}  # fmt: skip
            rows.append(row)
            print(row, flush=True)
        Path(out).write_text(json.dumps(rows, indent=1, ensure_ascii=False), "utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
