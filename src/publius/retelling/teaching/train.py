"""Teach: many passages, thin matrices, a checkpoint from which a cut run goes on."""

import hashlib
import math
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from publius.core.arrays import at_least, positive
from publius.core.errors import DataError
from publius.core.rng import seeded
from publius.language.models.causal.byte_pairs import BytePairs
from publius.language.models.causal.llama import CausalModel
from publius.retelling.adapter import Adapter
from publius.retelling.teaching.examples import Example
from publius.retelling.teaching.lesson import BLOCK, spread
from publius.retelling.teaching.network import Taught
from publius.retelling.writer import END_OF_TEXT
from publius.storage.archive import open_arrays, pack_arrays
from publius.storage.atomic import write_bytes

Tell = Callable[[str], None]
POOL = 64
"""Batches whose examples are sorted by length, so that little is filled up."""
WARM = 0.05
MOMENTS = ("step", "exp_avg", "exp_avg_sq")
"""What the optimiser remembers of each weight."""
HELD = 256
"""Examples that are never taught, to measure on."""


@dataclass(frozen=True, slots=True)
class Recipe:
    """How the model is taught.

    Args:
        steps: Batches that are read.
        batch: Examples of a batch.
        rate: Largest learning rate.
        rank: Rows of the thin matrices.
        longest: Pieces of an example; longer ones are left out.
        every: Steps between checkpoints.
        seconds: After so many seconds the rate has fallen to 0 and teaching ends.
        device: cpu or cuda.
        seed: Of the order of examples.
    """

    steps: int = 8000
    batch: int = 256
    rate: float = 1.5e-3
    rank: int = 32
    longest: int = 160
    every: int = 200
    seconds: float = 540.0
    device: str = "cuda"
    seed: int = 0

    def __post_init__(self) -> None:
        for name in ("steps", "batch", "rank", "longest", "every"):
            at_least(name, getattr(self, name), 1)
        positive("rate", self.rate)
        positive("seconds", self.seconds)


@dataclass(frozen=True, slots=True, eq=False)
class _Batch:
    before: Tensor
    wanted: Tensor
    counted: Tensor


def teach(
    model: CausalModel,
    examples: Sequence[Example],
    recipe: Recipe,
    checkpoint: Path | None = None,
    tell: Tell = lambda _: None,
) -> Adapter:
    """Return the adapter that was taught.

    Args:
        model: The published model.
        examples: Prompts and targets; the last ones are held out.
        recipe: How.
        checkpoint: Where to go on from, and what is written on the way.
        tell: Told the losses.
    """
    pieces = _pieces(model, examples, recipe.longest)
    if len(pieces) <= 2 * recipe.batch:
        raise DataError(f"{len(pieces)} passages are too few to teach anything")
    held_count = min(HELD, len(pieces) // 8)
    held, taught = pieces[-held_count:], pieces[:-held_count]
    kind = torch.bfloat16 if recipe.device == "cuda" else torch.float32
    network = Taught(model, recipe.rank, 2.0).place(recipe.device, kind)
    optimiser = torch.optim.AdamW(
        network.parameters(), lr=recipe.rate, fused=recipe.device == "cuda"
    )
    run = _run(pieces, recipe)
    start, spent = _resumed(checkpoint, network, optimiser, run)
    begun = time.monotonic() - spent
    for step, batch in enumerate(_batches(taught, recipe), start=0):
        if step < start:
            continue
        share = max(step / recipe.steps, (time.monotonic() - begun) / recipe.seconds)
        if share >= 1:
            break
        for group in optimiser.param_groups:
            group["lr"] = recipe.rate * _pace(share)
        loss = network.loss(batch.before, batch.wanted, batch.counted)
        optimiser.zero_grad(set_to_none=True)
        loss.backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_(network.parameters(), 1.0)
        optimiser.step()
        if (step + 1) % recipe.every == 0:
            elapsed = time.monotonic() - begun
            tell(f"step {step + 1}: loss {float(loss.detach()):.3f}, {elapsed:.0f} s")
            _save(checkpoint, network, optimiser, run, (step + 1, elapsed))
    surprise = held_out(network, held, recipe)
    tell(f"held out: {surprise:.4f}")
    facts = {name: str(value) for name, value in asdict(recipe).items()}
    return network.adapter({**facts, "held_out": f"{surprise:.4f}"})


def held_out(
    network: Taught, held: list[tuple[int, list[int]]], recipe: Recipe
) -> float:
    """Return the mean surprise per piece of passages that were not taught."""
    losses, counts = [], []
    with torch.no_grad():
        for start in range(0, len(held), recipe.batch):
            batch = _tensors(held[start : start + recipe.batch], recipe.device)
            own = network.loss(batch.before, batch.wanted, batch.counted)
            losses.append(float(own))
            counts.append(int(batch.counted.sum()))
    return float(np.average(losses, weights=counts))


def _pieces(
    model: CausalModel, examples: Sequence[Example], longest: int
) -> list[tuple[int, list[int]]]:
    """Return each example as pieces, with the place where its target begins."""
    starts = range(0, len(examples), BLOCK)
    blocks = [examples[start : start + BLOCK] for start in starts]
    encode = partial(_encoded, model.tokenizer)
    every = (own for made in spread(encode, blocks) for own in made)
    return [own for own in every if len(own[1]) <= longest]


def _encoded(
    tokenizer: BytePairs, examples: Sequence[Example]
) -> list[tuple[int, list[int]]]:
    encode, made = tokenizer.encode, []
    for example in examples:
        prompt = [END_OF_TEXT, *encode(example.prompt)]
        made.append((len(prompt), [*prompt, *encode(example.target), END_OF_TEXT]))
    return made


def _batches(pieces: list[tuple[int, list[int]]], recipe: Recipe) -> Iterator[_Batch]:
    """Yield batches for ever, the same ones for a seed."""
    rng = seeded(recipe.seed)
    while True:
        order = rng.permutation(len(pieces))
        for start in range(0, len(order), POOL * recipe.batch):
            pool = sorted(
                order[start : start + POOL * recipe.batch],
                key=lambda i: len(pieces[i][1]),
            )
            runs = range(0, len(pool) - recipe.batch + 1, recipe.batch)
            for first in rng.permutation(np.array(runs)):
                own = [pieces[i] for i in pool[first : first + recipe.batch]]
                yield _tensors(own, recipe.device)


def _tensors(own: list[tuple[int, list[int]]], device: str) -> _Batch:
    width = max(len(whole) for _, whole in own)
    ids = torch.zeros(len(own), width, dtype=torch.long)
    counted = torch.zeros(len(own), width - 1, dtype=torch.bool)
    for row, (begin, whole) in enumerate(own):
        ids[row, : len(whole)] = torch.tensor(whole)
        counted[row, begin - 1 : len(whole) - 1] = True
    ids, counted = ids.to(device), counted.to(device)
    return _Batch(ids[:, :-1], ids[:, 1:], counted)


def _pace(share: float) -> float:
    """Return the learning rate at a share of the run: a short rise, then a cosine."""
    if share < WARM:
        return max(share / WARM, 0.02)
    return 0.5 * (1 + math.cos(math.pi * (share - WARM) / (1 - WARM)))


def _run(pieces: Sequence[tuple[int, list[int]]], recipe: Recipe) -> bytes:
    """Return the digest of what a checkpoint belongs to; a run may be prolonged."""
    prolonged = replace(recipe, steps=1, seconds=1.0, every=1, device="")
    digest = hashlib.sha256(repr(prolonged).encode())
    for begin, whole in pieces:
        digest.update(np.array([begin, len(whole), *whole], dtype="<i4").tobytes())
    return digest.digest()


def _save(
    path: Path | None,
    network: Taught,
    optimiser: torch.optim.Optimizer,
    run: bytes,
    progress: tuple[int, float],
) -> None:
    """Write plain numbers: a checkpoint holds nothing that could run."""
    if path is None:
        return
    members: dict[str, NDArray[np.generic]] = {
        "progress": np.array(progress),
        "run": np.frombuffer(run, dtype=np.uint8),
    }
    for number, weight in enumerate(network.parameters()):
        members[f"{number}.weight"] = weight.detach().cpu().numpy()
        for name in MOMENTS:
            moment = optimiser.state[weight][name]
            members[f"{number}.{name}"] = moment.detach().cpu().numpy()
    write_bytes(path, pack_arrays(members))


def _check_run(found: bytes, wanted: bytes) -> None:
    if found != wanted:
        raise DataError("a checkpoint of other passages or of another recipe")


def _resumed(
    path: Path | None, network: Taught, optimiser: torch.optim.Optimizer, run: bytes
) -> tuple[int, float]:
    """Take up a checkpoint where there is one; return steps and seconds so far."""
    if path is None or not path.is_file():
        return 0, 0.0
    try:
        with open_arrays(path, path.read_bytes()) as members:
            _check_run(members["run"].tobytes(), run)
            step, seconds = members["progress"].tolist()
            for number, weight in enumerate(network.parameters()):
                read = torch.from_numpy(np.asarray(members[f"{number}.weight"]))
                weight.data.copy_(read)
                moments = {
                    name: torch.from_numpy(np.asarray(members[f"{number}.{name}"]))
                    for name in MOMENTS
                }
                on_device = {
                    name: value if name == "step" else value.to(weight.device)
                    for name, value in moments.items()
                }
                optimiser.state[weight] = on_device
    except (OSError, DataError, LookupError, RuntimeError, ValueError):
        raise DataError(
            f"{path.name} is not a checkpoint of these passages and this recipe; "
            "remove it to begin anew"
        ) from None
    return int(step), float(seconds)
