"""Write the texts of the rivals' study with torch, on a machine with a GPU or without.

    python scripts/generate_rivals.py BUNDLE.npz MODEL.gguf OUT.json.gz [ADAPTER]

BUNDLE.npz comes from ``scripts/measure_rivals.py prepare``; MODEL.gguf is the file that
``publius evaluate --get-language-model`` keeps. Needs numpy, scipy and torch only: of
Publius it reads the tokenizer, the GGUF reader and the adapter, past the packages'
front doors. ADAPTER is the file of a taught retelling, ``-`` for none; runs that need
it are left out then. OUT holds texts and their surprise under MODEL, as it was
published.
"""

import gzip
import json
import sys
import time
import types
from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

ROOT = Path(__file__).parents[1] / "src"
sys.path.insert(0, str(ROOT))
if "publius" not in sys.modules:
    _models = "publius.language.models"
    for _name in (
        "publius",
        "publius.core",
        "publius.language",
        _models,
        f"{_models}.causal",
        "publius.retelling",
    ):
        _room = types.ModuleType(_name)
        _room.__path__ = [str(ROOT / _name.replace(".", "/"))]
        sys.modules[_name] = _room

from publius.language.models.causal.byte_pairs import BytePairs  # noqa: E402
from publius.language.models.causal.gguf import read_gguf  # noqa: E402
from publius.language.models.causal.llama import Shape  # noqa: E402
from publius.retelling.adapter import read_adapter  # noqa: E402

BATCH, READ, LENGTH = 512, 128, 128
Rows = list[list[int]]
Run = dict[str, Any]


class Llama:
    """The small Llama in torch with keys and values cached; rows walk in step."""

    def __init__(
        self, weights: Mapping[str, np.ndarray], shape: Shape, device: str
    ) -> None:
        self.kind = torch.bfloat16 if device == "cuda" else torch.float32
        self.device, self.shape = device, shape
        self.weights = {
            name: torch.from_numpy(np.ascontiguousarray(value)).to(device, self.kind)
            for name, value in weights.items()
        }

    def begin(self, prompts: Rows, longest: int) -> Tensor:
        length = [len(own) for own in prompts]
        reach = max(length)
        ids = torch.zeros(len(prompts), reach, dtype=torch.long)
        for row, own in enumerate(prompts):
            ids[row, : len(own)] = torch.tensor(own)
        shape = self.shape
        cells = (shape.layers, 2, len(prompts), shape.shared, reach + longest,
                 shape.width // shape.heads)  # fmt: skip
        self.memory = torch.zeros(cells, device=self.device, dtype=self.kind)
        self.length = torch.tensor(length, device=self.device)
        place = torch.arange(reach, device=self.device).expand(len(prompts), reach)
        open_places = torch.tril(
            torch.ones(reach, reach, dtype=torch.bool, device=self.device)
        )
        hidden = self.hidden(ids.to(self.device), place, open_places[None, None])
        rows = torch.arange(len(prompts), device=self.device)
        return self.scores(hidden[rows, self.length - 1])

    def advance(self, pieces: Tensor) -> Tensor:
        place = self.length[:, None]
        self.length = self.length + 1
        reach = int(self.length.max())
        open_places = torch.arange(reach, device=self.device) <= place
        hidden = self.hidden(pieces[:, None], place, open_places[:, None, None, :])
        return self.scores(hidden[:, 0])

    def scores(self, hidden: Tensor) -> Tensor:
        table = self.weights.get("output.weight", self.weights["token_embd.weight"])
        return (hidden @ table.T).float()

    def hidden(self, ids: Tensor, place: Tensor, open_places: Tensor) -> Tensor:
        hidden = self.weights["token_embd.weight"][ids]
        size = self.shape.width // self.shape.heads
        pace = self.shape.base ** (-torch.arange(0, size, 2, device=self.device) / size)
        angle = place[:, None, :, None].float() * pace
        turn = torch.cos(angle).to(self.kind), torch.sin(angle).to(self.kind)
        for layer in range(self.shape.layers):
            hidden = self.layer(layer, hidden, place, turn, open_places)
        return self.normal(hidden, "output_norm")

    def layer(
        self,
        layer: int,
        hidden: Tensor,
        place: Tensor,
        turn: tuple[Tensor, Tensor],
        open_places: Tensor,
    ) -> Tensor:
        name, shape = f"blk.{layer}.", self.shape
        count, length, _ = hidden.shape
        inner = self.normal(hidden, f"{name}attn_norm")

        def heads(kind: str, number: int) -> Tensor:
            made = inner @ self.weights[f"{name}attn_{kind}.weight"].T
            return made.view(count, length, number, -1).transpose(1, 2)

        query = turned(heads("q", shape.heads), turn)
        rows = torch.arange(count, device=self.device)[:, None]
        keys, values = self.memory[layer]
        keys[rows, :, place] = turned(heads("k", shape.shared), turn).transpose(1, 2)
        values[rows, :, place] = heads("v", shape.shared).transpose(1, 2)
        reach, times = open_places.shape[-1], shape.heads // shape.shared
        mixed = functional.scaled_dot_product_attention(
            query,
            keys[:, :, :reach].repeat_interleave(times, 1),
            values[:, :, :reach].repeat_interleave(times, 1),
            attn_mask=open_places,
        )
        mixed = mixed.transpose(1, 2).reshape(hidden.shape)
        hidden = hidden + mixed @ self.weights[f"{name}attn_output.weight"].T
        inner = self.normal(hidden, f"{name}ffn_norm")
        gate = functional.silu(inner @ self.weights[f"{name}ffn_gate.weight"].T)
        gate = gate * (inner @ self.weights[f"{name}ffn_up.weight"].T)
        return hidden + gate @ self.weights[f"{name}ffn_down.weight"].T

    def normal(self, rows: Tensor, name: str) -> Tensor:
        wide = rows.float()
        scaled = wide * torch.rsqrt(wide.pow(2).mean(-1, keepdim=True)
                                    + self.shape.tiny)  # fmt: skip
        return (scaled * self.weights[f"{name}.weight"].float()).to(self.kind)


def turned(rows: Tensor, turn: tuple[Tensor, Tensor]) -> Tensor:
    cosine, sine = turn
    even, odd = rows[..., 0::2], rows[..., 1::2]
    return torch.stack(
        (even * cosine - odd * sine, even * sine + odd * cosine), -1
    ).flatten(-2)


class Laws:
    """The laws of publius.assessment.rivals, on the device."""

    def __init__(
        self, bundle: Mapping[str, np.ndarray], device: str, seed: int
    ) -> None:
        self.draws = torch.Generator(device).manual_seed(seed)
        self.pieces = torch.from_numpy(bundle["pieces"]).long().to(device)
        self.distances = torch.from_numpy(bundle["distances"]).to(device)
        self.base = {
            name: torch.from_numpy(bundle[name]).float().to(device)
            for name in bundle
            if name.startswith("base")
        }

    def argmax(self, weights: Tensor) -> Tensor:
        """Gumbel-max: the argmax of noisy log weights samples the softmax."""
        noise = torch.rand(weights.shape, device=weights.device, generator=self.draws)
        return (weights - torch.log(-torch.log(noise.clamp_(1e-30, 1 - 1e-7)))).argmax(
            1
        )

    def draw(self, run: Run, scores: Tensor, secret: Tensor) -> Tensor:
        kind = run["kind"]
        if kind == "nucleus":
            return self.nucleus(run, scores)
        if kind != "clipped":
            scores = scores[:, self.pieces]
        level = scores - scores.max(dim=1, keepdim=True).values
        level = level.clamp(min=-run["width"])
        if kind == "prior":
            cap = int(self.distances.max())
            size = len(self.pieces)
            away = torch.full_like(level, cap)
            known = secret < size
            away[known] = self.distances[secret[known]].float()
            weights = self.base[run["base"]] + level - run["rate"] * away
            return self.pieces[self.argmax(weights)]
        drawn = self.argmax(level / run["temperature"])
        return drawn if kind == "clipped" else self.pieces[drawn]

    def nucleus(self, run: Run, scores: Tensor) -> Tensor:
        value, best = scores.topk(64, dim=1)
        weight = torch.softmax(value / run["temperature"], dim=1)
        weight[weight.cumsum(1) - weight >= run["share"]] = 0
        drawn = torch.multinomial(weight, 1, generator=self.draws)
        return best.gather(1, drawn)[:, 0]


def filled(model: Llama, prompts: Rows, slots: Rows, run: Run, laws: Laws) -> Rows:
    longest = max(map(len, slots))
    device = model.device
    grid = torch.zeros(len(slots), longest, dtype=torch.long)
    for row, own in enumerate(slots):
        grid[row, : len(own)] = torch.tensor(own)
    grid = grid.to(device)
    ended = torch.zeros(len(slots), dtype=torch.bool, device=device)
    ends = torch.tensor(run.get("ends", []), device=device)
    scores = model.begin(prompts, longest)
    for step in range(longest):
        drawn = (grid[:, step] < 0).nonzero()[:, 0]
        if len(drawn):
            secret = -2 - grid[drawn, step]
            grid[drawn, step] = laws.draw(run, scores[drawn], secret)
        ended |= torch.isin(grid[:, step], ends)
        if ended.all() and len(ends):
            break
        if step + 1 < longest:
            scores = model.advance(grid[:, step].clamp(min=0))
    return grid.clamp(min=0).tolist()


def written(
    model: Llama,
    rows: list[tuple[list[int], list[int]]],
    run: Run,
    laws: Laws,
    tokenizer: BytePairs,
) -> list[str]:
    """Return a text for each row of prompts and slots."""
    order = sorted(range(len(rows)), key=lambda i: (len(rows[i][1]), len(rows[i][0])))
    texts = [""] * len(rows)
    for start in range(0, len(order), BATCH):
        part = order[start : start + BATCH]
        prompts, slots = ([rows[i][k] for i in part] for k in (0, 1))
        ends = set(run.get("ends", []))
        drawn = filled(model, prompts, slots, run, laws)
        for row, pieces in zip(part, drawn, strict=True):
            own = pieces[: len(rows[row][1])]
            stop = next((i for i, piece in enumerate(own) if piece in ends), len(own))
            texts[row] = " ".join(tokenizer.decode(own[:stop]).split())
    return texts


def surprise(model: Llama, pieces: Rows) -> list[float | None]:
    """Return the mean negative log-probability per piece; None for no piece."""
    order = sorted((i for i in range(len(pieces)) if pieces[i]),
                   key=lambda i: len(pieces[i]))  # fmt: skip
    losses: list[float | None] = [None] * len(pieces)
    for start in range(0, len(order), READ):
        part = order[start : start + READ]
        rows = [[0, *pieces[i]] for i in part]
        reach = max(map(len, rows))
        ids = torch.zeros(len(rows), reach, dtype=torch.long)
        for row, own in enumerate(rows):
            ids[row, : len(own)] = torch.tensor(own)
        ids = ids.to(model.device)
        model.begin([[0]] * len(rows), reach)
        place = torch.arange(reach, device=model.device).expand(len(rows), reach)
        mask = torch.ones(reach, reach, dtype=torch.bool, device=model.device).tril()
        hidden = model.hidden(ids, place, mask[None, None])
        for row, own in enumerate(rows):
            scores = model.scores(hidden[row, : len(own) - 1])
            loss = functional.cross_entropy(scores, ids[row, 1 : len(own)])
            losses[part[row]] = float(loss)
    return losses


def ragged(flat: np.ndarray, counts: np.ndarray) -> Rows:
    edges = np.concatenate(([0], np.cumsum(counts)))
    return [flat[a:b].tolist() for a, b in pairwise(edges)]


@torch.inference_mode()
def main(
    bundle_path: str, model_path: str, out: str, adapter: str = "-", device: str = ""
) -> None:
    device = device or ("cuda" if torch.cuda.is_available() else "cpu")
    bundle = dict(np.load(bundle_path))
    runs = json.loads(bundle["runs"].tobytes())
    file = read_gguf(Path(model_path))
    names, merges = (file.settings[f"tokenizer.ggml.{k}"] for k in ("tokens", "merges"))
    tokenizer = BytePairs(names, [tuple(pair.split(" ")) for pair in merges])
    plain = Llama(file.weights, Shape.of(file), device)
    taught = None
    if adapter != "-":
        added = read_adapter(Path(adapter))[0]
        taught = Llama(added.merged(file.weights), Shape.of(file), device)
    draws, began = {}, time.time()
    for number, run in enumerate(runs):
        model = taught if run.get("adapter") else plain
        if model is None:
            continue
        key = run["rows"]
        prompts = ragged(bundle[f"{key}_prompt"], bundle[f"{key}_prompt_counts"])
        slots = ragged(bundle[f"{key}_slots"], bundle[f"{key}_slots_counts"])
        rows = list(zip(prompts, slots, strict=True))
        laws = Laws(bundle, device, 1000 * number + run["draw"])
        own = written(model, rows, run, laws, tokenizer)
        owner = bundle.get(f"{key}_owner")
        texts = own if owner is None else [[] for _ in range(run["texts"])]
        if owner is not None:
            for text, place in zip(own, owner.tolist(), strict=True):
                texts[place].append(text)
            texts = [" ".join(parts) for parts in texts]
        pieces = [tokenizer.encode(text)[:LENGTH] for text in texts]
        read = surprise(plain, pieces)
        draws[f"{run['name']}#{run['draw']}"] = {"texts": texts, "surprise": read}
        told = float(np.exp(np.mean([r for r in read if r is not None])))
        print(f"{time.time() - began:6.0f} s  {run['name']} draw {run['draw']}: "
              f"perplexity {told:.0f}", flush=True)  # fmt: skip
        with gzip.open(out, "wt") as file:
            json.dump(draws, file)


if __name__ == "__main__":
    main(*sys.argv[1:])
