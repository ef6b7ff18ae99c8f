"""Write the texts of the rivals' study with torch, on a processor or a GPU.

    python scripts/generate_rivals.py BUNDLE.npz MODEL.gguf OUT.json.gz [PART/PARTS]

BUNDLE.npz comes from ``scripts/measure_rivals.py prepare``; MODEL.gguf is the file that
``publius evaluate --get-language-model`` keeps. Needs numpy, scipy and torch only: of
Publius it reads the tokenizer and the GGUF reader, past the packages' front doors.

Texts are taken in the order of the bundle, some at a time, and every rival writes them
before the next ones are taken: what is finished when time is over is a sample with all
rows. OUT is written after each batch and read at the start, so that a run that was cut
goes on. Several processes can share the work, each with its PART (from 0) and OUT.

The model computes in 16-bit numbers; a prompt is read once for all settings of a rival;
where words are drawn, only their rows of the output table are multiplied.
"""

import gzip
import json
import sys
import time
from collections.abc import Callable, Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from bare_rooms import open_rooms

if __name__ == "__main__":
    MODELS = "publius.language.models"
    open_rooms(
        ["publius", "publius.core", "publius.language", MODELS, f"{MODELS}.causal"]
    )

from publius.language.models.causal.byte_pairs import BytePairs
from publius.language.models.causal.gguf import read_gguf
from publius.language.models.causal.llama import Shape

TAKEN = 128
"""Texts that all rivals write before the next ones are taken."""
BATCH = {"cpu": 64, "cuda": 512}
ROOM = 16
"""Places that memory grows by: keys that are not contiguous are copied at each use."""
EVERY = 8
"""Steps between looks at which rows have ended."""
Rows = list[list[int]]
Run = dict[str, Any]


class State:
    """What a batch remembers: keys and values of every place, and its next place."""

    def __init__(self, memory: Tensor, length: Tensor) -> None:
        self.memory, self.length = memory, length

    def copied(self) -> "State":
        return State(self.memory.clone(), self.length.clone())

    def only(self, rows: Tensor) -> "State":
        return State(self.memory[:, :, rows], self.length[rows])

    def grown(self) -> None:
        """Make room for one more place in every row."""
        places = self.memory.shape[4]
        if int(self.length.max()) == places:
            self.memory = functional.pad(self.memory, (0, 0, 0, ROOM))


class Llama:
    """The small Llama in torch with keys and values cached; rows walk in step."""

    def __init__(
        self,
        weights: Mapping[str, np.ndarray],
        shape: Shape,
        device: str,
        kind: torch.dtype = torch.bfloat16,
    ) -> None:
        self.kind, self.device, self.shape = kind, device, shape
        self.size = shape.width // shape.heads

        def own(*names: str) -> Tensor:
            parts = [torch.from_numpy(np.array(weights[f"{n}.weight"])) for n in names]
            return torch.cat(parts).to(device, kind)

        self.layers = []
        for layer in range(shape.layers):
            start = f"blk.{layer}."
            self.layers.append(
                {
                    "before": own(f"{start}attn_norm"),
                    "attention": own(*(f"{start}attn_{part}" for part in "qkv")),
                    "output": own(f"{start}attn_output"),
                    "between": own(f"{start}ffn_norm"),
                    "wide": own(f"{start}ffn_gate", f"{start}ffn_up"),
                    "narrow": own(f"{start}ffn_down"),
                }
            )
        self.embedded, self.last = own("token_embd"), own("output_norm")
        self.table = own("output") if "output.weight" in weights else self.embedded

    def begin(self, prompts: Rows) -> tuple[State, Tensor]:
        """Read prompts; return what is remembered, and the hidden row after each."""
        state, hidden = self._read(prompts)
        rows = torch.arange(len(prompts), device=self.device)
        return state, hidden[rows, state.length - 1]

    def read(self, texts: Rows) -> Tensor:
        """Return the hidden row after every piece."""
        return self._read(texts)[1]

    def _read(self, prompts: Rows) -> tuple[State, Tensor]:
        length = torch.tensor([len(own) for own in prompts], device=self.device)
        reach = int(length.max())
        ids = torch.zeros(len(prompts), reach, dtype=torch.long)
        for row, own in enumerate(prompts):
            ids[row, : len(own)] = torch.tensor(own)
        shape = self.shape
        cells = (shape.layers, 2, len(prompts), shape.shared, reach, self.size)
        memory = torch.zeros(cells, device=self.device, dtype=self.kind)
        state = State(memory, length)
        place = torch.arange(reach, device=self.device).expand(len(prompts), reach)
        open_places = torch.ones(reach, reach, dtype=torch.bool, device=self.device)
        seen = open_places.tril()[None]
        return state, self.hidden(ids.to(self.device), place, seen, state)

    def advance(self, pieces: Tensor, state: State) -> Tensor:
        """Read one more piece in every row; return its hidden row."""
        state.grown()
        place = state.length[:, None]
        state.length = state.length + 1
        every = torch.arange(state.memory.shape[4], device=self.device)
        open_places = (every <= place)[:, None]
        return self.hidden(pieces[:, None], place, open_places, state)[:, 0]

    def scores(self, hidden: Tensor, pieces: Tensor | None = None) -> Tensor:
        table = self.table if pieces is None else pieces
        return functional.linear(hidden, table).float()

    def hidden(
        self, ids: Tensor, place: Tensor, open_places: Tensor, state: State
    ) -> Tensor:
        hidden = self.embedded[ids]
        half = torch.arange(0, self.size, 2, device=self.device)
        angle = place[:, None, :, None] * self.shape.base ** (-half / self.size)
        turn = torch.cos(angle).to(self.kind), torch.sin(angle).to(self.kind)
        # Heads that share keys stand side by side: one mask serves each of them.
        times = self.shape.heads // self.shape.shared
        shut = ~open_places[:, None].repeat(1, 1, times, 1)
        for own, memory in zip(self.layers, state.memory, strict=True):
            hidden = self.layer(own, hidden, place, turn, shut, memory)
        return self.normal(hidden, self.last)

    def layer(
        self,
        own: Mapping[str, Tensor],
        hidden: Tensor,
        place: Tensor,
        turn: tuple[Tensor, Tensor],
        shut: Tensor,
        memory: Tensor,
    ) -> Tensor:
        shape = self.shape
        count, length, _ = hidden.shape
        inner = self.normal(hidden, own["before"])
        heads = functional.linear(inner, own["attention"])
        query, key, value = torch.split(
            heads.view(count, length, -1, self.size).transpose(1, 2),
            [shape.heads, shape.shared, shape.shared],
            dim=1,
        )
        rows = torch.arange(count, device=self.device)[:, None]
        keys, values = memory
        keys[rows, :, place] = turned(key, turn).transpose(1, 2)
        values[rows, :, place] = value.transpose(1, 2)
        grouped = turned(query, turn).reshape(count, shape.shared, -1, self.size)
        score = (grouped @ keys.transpose(2, 3)).float() * self.size**-0.5
        weight = torch.softmax(score.masked_fill_(shut, -torch.inf), dim=-1)
        mixed = weight.to(self.kind) @ values
        mixed = mixed.view(count, shape.heads, length, self.size).transpose(1, 2)
        hidden = hidden + functional.linear(mixed.reshape(hidden.shape), own["output"])
        inner = self.normal(hidden, own["between"])
        gate, up = functional.linear(inner, own["wide"]).chunk(2, dim=-1)
        return hidden + functional.linear(functional.silu(gate) * up, own["narrow"])

    def normal(self, rows: Tensor, weight: Tensor) -> Tensor:
        return functional.rms_norm(rows, weight.shape, weight, self.shape.tiny)


def turned(rows: Tensor, turn: tuple[Tensor, Tensor]) -> Tensor:
    cosine, sine = turn
    even, odd = rows[..., 0::2], rows[..., 1::2]
    return torch.stack(
        (even * cosine - odd * sine, even * sine + odd * cosine), -1
    ).flatten(-2)


class Laws:
    """The laws of publius.assessment.rivals, on the device; single precision."""

    def __init__(self, bundle: Mapping[str, np.ndarray], device: str) -> None:
        self.draws = torch.Generator(device)
        self.pieces = torch.from_numpy(bundle["pieces"]).long().to(device)
        self.distances = torch.from_numpy(bundle["distances"]).to(device)
        self.cap = int(self.distances.max())
        self.base = {
            name: torch.from_numpy(bundle[name]).float().to(device)
            for name in bundle
            if name.startswith("base")
        }

    def chosen(self, weights: Tensor) -> Tensor:
        """Draw a place of each row by log-weights of at most 0, by inverse sums."""
        edges = weights.exp_().cumsum(1)
        chance = torch.rand(len(edges), 1, device=edges.device, generator=self.draws)
        place = torch.searchsorted(edges, chance * edges[:, -1:], right=True)[:, 0]
        return place.clamp(max=weights.shape[1] - 1)

    def draw(self, run: Run, scores: Tensor, secret: Tensor) -> Tensor:
        """Draw a piece of each row; scores are of words unless all pieces are asked."""
        level = scores - scores.max(dim=1, keepdim=True).values
        level = level.clamp_(min=-run["width"])
        if run["kind"] == "prior":
            away = torch.full_like(level, self.cap)
            known = secret < len(self.pieces)
            away[known] = self.distances[secret[known]].float()
            weights = self.base[run["base"]] + level - run["rate"] * away
            weights -= weights.max(dim=1, keepdim=True).values
            return self.pieces[self.chosen(weights)]
        place = self.chosen(level / run["temperature"])
        return place if run["kind"] == "clipped" else self.pieces[place]


def filled(
    model: Llama, start: tuple[State, Tensor], slots: Rows, run: Run, laws: Laws
) -> Rows:
    """Return the pieces of every row after its prompt, given and drawn ones."""
    longest, device = max(map(len, slots)), model.device
    grid = torch.zeros(len(slots), longest, dtype=torch.long)
    for row, own in enumerate(slots):
        grid[row, : len(own)] = torch.tensor(own)
    grid = grid.to(device)
    ends = torch.tensor(run["ends"], dtype=torch.long, device=device)
    table = None if run["kind"] == "clipped" else model.table[laws.pieces]
    rows = torch.arange(len(slots), device=device)
    ended = torch.zeros(len(slots), dtype=torch.bool, device=device)
    state, hidden = start[0].copied(), start[1]
    for step in range(longest):
        given = grid[rows, step]
        drawn = (given < 0).nonzero()[:, 0]
        if len(drawn):
            scores = model.scores(hidden[drawn], table)
            given[drawn] = laws.draw(run, scores, -2 - given[drawn])
            grid[rows, step] = given
        ended |= torch.isin(given, ends)
        if len(ends) and step % EVERY == EVERY - 1:
            going = (~ended).nonzero()[:, 0]
            if not len(going):
                break
            state, rows = state.only(going), rows[going]
            given, ended = given[going], ended[going]
        if step + 1 < longest:
            hidden = model.advance(given, state)
    return grid.clamp(min=0).tolist()


class Work:
    """The runs of a bundle, and the texts that were written."""

    def __init__(self, bundle: dict[str, np.ndarray], model: Llama, out: Path) -> None:
        self.bundle, self.model, self.out = bundle, model, out
        self.runs: list[Run] = json.loads(bundle["runs"].tobytes())
        self.laws = Laws(bundle, model.device)
        self.written: dict[str, dict[str, str]] = {}
        if out.is_file():
            with gzip.open(out, "rt") as file:
                self.written = json.load(file)

    def asked(self) -> list[str]:
        return list(dict.fromkeys(r["rows"] for r in self.runs if r["kind"] != "given"))

    def rows(self, key: str) -> list[tuple[list[int], list[int]]]:
        """Return prompt and slots of every text."""
        parts = (
            ragged(self.bundle[f"{key}_{part}"], self.bundle[f"{key}_{part}_counts"])
            for part in ("prompt", "slots")
        )
        return list(zip(*parts, strict=True))

    def write(self, key: str, texts: list[int], decode: Callable[..., str]) -> None:
        """Let every setting of a rival write some texts."""
        rows = self.rows(key)
        order = sorted(texts, key=lambda i: (len(rows[i][1]), len(rows[i][0])))
        step = BATCH[self.model.device]
        for place in range(0, len(order), step):
            part = order[place : place + step]
            runs = [
                (number, run) for number, run in enumerate(self.runs)
                if run["rows"] == key and str(part[0]) not in self.texts_of(run)
            ]  # fmt: skip
            if not runs:
                continue
            start = self.model.begin([rows[i][0] for i in part])
            slots = [rows[i][1] for i in part]
            for number, run in runs:
                self.laws.draws.manual_seed(1_000_000 * number + part[0])
                drawn = filled(self.model, start, slots, run, self.laws)
                for i, pieces, own in zip(part, drawn, slots, strict=True):
                    kept = until(pieces[: len(own)], run["ends"])
                    self.texts_of(run)[str(i)] = " ".join(decode(kept).split())
            self.keep()

    def texts_of(self, run: Run) -> dict[str, str]:
        return self.written.setdefault(f"{run['name']}#{run['draw']}", {})

    def keep(self) -> None:
        beside = self.out.with_suffix(".new")
        with gzip.open(beside, "wt") as file:
            json.dump(self.written, file)
        beside.replace(self.out)


def until(pieces: list[int], ends: list[int]) -> list[int]:
    stop = next((i for i, piece in enumerate(pieces) if piece in ends), len(pieces))
    return pieces[:stop]


def ragged(flat: np.ndarray, counts: np.ndarray) -> Rows:
    edges = np.concatenate(([0], np.cumsum(counts)))
    return [flat[a:b].tolist() for a, b in pairwise(edges)]


@torch.inference_mode()
def main(bundle: str, model: str, out: str, share: str = "0/1") -> None:
    device = "cuda" if torch.cuda.is_available() else "cpu"
    file = read_gguf(Path(model))
    names, merges = (file.settings[f"tokenizer.ggml.{k}"] for k in ("tokens", "merges"))
    tokenizer = BytePairs(names, [tuple(pair.split(" ")) for pair in merges])
    llama = Llama(file.weights, Shape.of(file), device)
    work = Work(dict(np.load(bundle)), llama, Path(out))
    part, parts = map(int, share.split("/"))
    count = max(run["texts"] for run in work.runs)
    for first in range(part * TAKEN, count, parts * TAKEN):
        taken = list(range(first, min(first + TAKEN, count)))
        for key in work.asked():
            work.write(key, taken, tokenizer.decode)
            print(f"{time.process_time():6.0f} s of processor time: {key}, texts "
                  f"{taken[0]} to {taken[-1]}", flush=True)  # fmt: skip


if __name__ == "__main__":
    main(*sys.argv[1:])
