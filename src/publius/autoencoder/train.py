"""The training loop: batches, schedule, early stopping, checkpoints, logs."""

import csv
import json
import math
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from publius.autoencoder import files
from publius.autoencoder.architecture import PAD, Architecture
from publius.autoencoder.layers import give_stream
from publius.autoencoder.network import SentenceNetwork, build
from publius.autoencoder.objective import (
    FUNCTION_WORDS,
    Auxiliary,
    Batch,
    adversarial_loss,
    blanked,
    discriminator_loss,
    draw,
    reconstruction,
    vae_loss,
)
from publius.autoencoder.settings import Training
from publius.autoencoder.subwords import Tokens, framed
from publius.core.arrays import IdArray
from publius.core.errors import DataError, ParameterError

WARM_UP = 0.03
"""Share of the steps in which the learning rate grows."""

CHUNK = 64
"""Batches whose sentences are sorted by length together."""


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a training run is.

    Args:
        epoch: Passes finished.
        share: Of the whole run, in [0, 1].
        loss: Reconstruction per sub-word over the last epoch.
        held_out: The same on held-out sentences, in nats.
        seconds: Since the start of this run.
    """

    epoch: int
    share: float
    loss: float
    held_out: float
    seconds: float


@dataclass(frozen=True, slots=True)
class Corpus:
    """Sentences to learn from.

    Args:
        tokens: Their sub-words.
        authors: Who wrote each, as numbers; None without authors.
    """

    tokens: Tokens
    authors: IdArray | None = None

    def __post_init__(self) -> None:
        if len(self.tokens) < 2:
            raise DataError("training needs at least two sentences")
        if self.authors is not None and len(self.authors) != len(self.tokens):
            raise DataError("there must be one author for each sentence")


@dataclass(frozen=True, slots=True)
class Desk:
    """Where a run keeps what it needs to go on, and whom it tells.

    Args:
        checkpoint: File to write after each epoch; None for none.
        log: CSV file with one line per epoch; None for none.
        resume: Go on from the checkpoint.
        watch: Told after each epoch.
    """

    checkpoint: Path | None = None
    log: Path | None = None
    resume: bool = False
    watch: Callable[[Progress], None] = lambda _: None


@dataclass(slots=True)
class _Run:
    """Everything that changes while training."""

    network: SentenceNetwork
    extra: Auxiliary | None
    adam: torch.optim.Optimizer
    rms: torch.optim.Optimizer | None
    epoch: int = 0
    step: int = 0
    best: float = math.inf
    stale: int = 0
    best_weights: dict[str, Tensor] = field(default_factory=dict)


def device_of(name: str) -> torch.device:
    """Return the device by its name; ``auto`` takes CUDA where there is one."""
    is_there = torch.cuda.is_available()
    if name == "cuda" and not is_there:
        raise ParameterError("there is no CUDA device here; use --device cpu")
    return torch.device("cuda" if is_there and name != "cpu" else "cpu")


def train(
    shape: Architecture, corpus: Corpus, settings: Training, desk: Desk | None = None
) -> SentenceNetwork:
    """Train a network and return it with its best weights, on the CPU."""
    desk = desk or Desk()
    if shape.is_adversarial and (corpus.authors is None or shape.authors < 2):
        raise ParameterError(f"{shape.kind} needs texts of at least two known authors")
    device = device_of(settings.device)
    chosen, measured = _held_out(len(corpus.tokens), settings)
    run = _started(shape, corpus, settings, device)
    if desk.resume:
        _restore(run, desk, shape)
    try:
        _epochs(run, corpus, (chosen, measured), settings, desk)
    except torch.cuda.OutOfMemoryError:
        raise ParameterError(
            f"a batch of {settings.batch} sentences is too large for this GPU; "
            "use a smaller --batch"
        ) from None
    run.network.load_state_dict(run.best_weights or run.network.state_dict())
    return run.network.cpu().eval()


def _epochs(
    run: _Run,
    corpus: Corpus,
    split: tuple[IdArray, IdArray],
    settings: Training,
    desk: Desk,
) -> None:
    start = time.monotonic()
    clock = _Clock(start, settings, -(-len(split[0]) // settings.batch))
    while run.epoch < settings.epochs and not clock.is_over():
        loss = _epoch(run, corpus, split[0], settings, clock)
        run.epoch += 1
        held_out = _measure(run.network, corpus, split[1], settings)
        if held_out < run.best:
            run.best, run.stale = held_out, 0
            run.best_weights = {
                name: value.detach().cpu().clone()
                for name, value in run.network.state_dict().items()
            }
        else:
            run.stale += 1
        seconds = time.monotonic() - start
        told = Progress(run.epoch, clock.share(run.step), loss, held_out, seconds)
        _record(run, desk, told)
        if settings.patience and run.stale >= settings.patience:
            break


def _epoch(
    run: _Run, corpus: Corpus, chosen: IdArray, settings: Training, clock: "_Clock"
) -> float:
    device = next(run.network.parameters()).device
    # One stream per epoch: a resumed run draws what an unbroken one would have drawn.
    seed = int(np.random.SeedSequence([settings.seed, run.epoch]).generate_state(1)[0])
    generator = torch.Generator(device).manual_seed(seed)
    give_stream(run.network, generator)
    run.network.train()
    total, count = torch.zeros((), device=device), 0
    for rows in _batches(corpus.tokens.lengths, chosen, settings.batch, seed):
        batch = _batch(corpus, rows, device)
        share = clock.share(run.step)
        total += _step(run, batch, settings, share, generator)
        run.step += 1
        count += 1
        if clock.is_over():
            break
    return float(total) / max(count, 1)


def _step(
    run: _Run,
    batch: Batch,
    settings: Training,
    share: float,
    generator: torch.Generator,
) -> Tensor:
    device = batch.tokens.device
    ramp = min(1.0, share / settings.anneal) if settings.anneal > 0 else 1.0
    for group in run.adam.param_groups:
        group["lr"] = settings.rate * _schedule(share)
    with torch.autocast(device.type, torch.bfloat16, enabled=device.type == "cuda"):
        sample = draw(run.network, batch, settings.noise, generator)
        if run.extra is not None and run.rms is not None:
            run.rms.zero_grad(set_to_none=True)
            torch.autograd.backward(discriminator_loss(run.extra, batch, sample))
            run.rms.step()
        read = blanked(batch.read, settings.word_dropout, generator)
        kl = settings.weights.kl * ramp
        loss, told = vae_loss(run.network, batch, sample, kl=kl, read=read)
        if run.extra is not None:
            words = (batch.said != PAD).sum() / len(batch.said)
            loss = loss + adversarial_loss(run.extra, batch, sample, settings) / words
    run.adam.zero_grad(set_to_none=True)
    torch.autograd.backward(loss)
    torch.nn.utils.clip_grad_norm_(run.network.parameters(), 1.0)
    run.adam.step()
    return told.detach()


@torch.inference_mode()
def _measure(
    network: SentenceNetwork, corpus: Corpus, chosen: IdArray, settings: Training
) -> float:
    """Return the held-out reconstruction loss per sub-word at the same noise always."""
    network.eval()
    device = next(network.parameters()).device
    generator = torch.Generator(device).manual_seed(settings.seed)
    total, words = 0.0, 0
    for rows in _batches(corpus.tokens.lengths, chosen, settings.batch, settings.seed):
        batch = _batch(corpus, rows, device)
        sample = draw(network, batch, settings.noise, generator)
        loss = reconstruction(network, batch, sample.condition, batch.read)
        count = int((batch.said != PAD).sum())
        total, words = total + float(loss) * count, words + count
    return total / max(words, 1)


class _Clock:
    """Tells how much of a run is over, by steps or by time."""

    def __init__(self, start: float, settings: Training, steps: int) -> None:
        self._start = start
        self._seconds = settings.minutes * 60
        self._total = max(1, settings.epochs * steps)

    def share(self, step: int) -> float:
        by_time = (
            (time.monotonic() - self._start) / self._seconds if self._seconds else 0.0
        )
        return min(1.0, max(step / self._total, by_time))

    def is_over(self) -> bool:
        elapsed = time.monotonic() - self._start
        return self._seconds > 0 and elapsed >= self._seconds


def _schedule(share: float) -> float:
    """Grow, then fall along a cosine to a twentieth."""
    if share < WARM_UP:
        return max(share / WARM_UP, 0.01)
    return 0.05 + 0.95 * (1 + math.cos(math.pi * share)) / 2


def _batches(
    lengths: IdArray, chosen: IdArray, size: int, seed: int
) -> Iterator[IdArray]:
    """Yield batches of sentences of about the same length, in random order."""
    rng = np.random.default_rng(seed)
    order = rng.permutation(chosen)
    batches: list[IdArray] = []
    for start in range(0, len(order), size * CHUNK):
        chunk = order[start : start + size * CHUNK]
        chunk = chunk[np.argsort(lengths[chunk], kind="stable")]
        batches += [chunk[i : i + size] for i in range(0, len(chunk), size)]
    for number in rng.permutation(len(batches)):
        yield batches[number]


def _batch(corpus: Corpus, rows: IdArray, device: torch.device) -> Batch:
    tokens, lengths = corpus.tokens.rows(rows)
    read, said = framed(tokens, lengths)
    authors = None if corpus.authors is None else corpus.authors[rows]
    parts = [torch.from_numpy(part).to(device) for part in (tokens, read, said)]
    return Batch(
        tokens=parts[0],
        lengths=torch.from_numpy(lengths),
        read=parts[1],
        said=parts[2],
        authors=None if authors is None else torch.from_numpy(authors).to(device),
    )


def _held_out(count: int, settings: Training) -> tuple[IdArray, IdArray]:
    order = np.random.default_rng(settings.seed).permutation(count).astype(np.int64)
    cut = min(count - 1, max(1, round(count * settings.held_out)))
    return order[cut:], order[:cut]


def _started(
    shape: Architecture, corpus: Corpus, settings: Training, device: torch.device
) -> _Run:
    network = build(shape, seed=settings.seed, rate=settings.dropout).to(device)
    extra, rms = None, None
    trained = list(network.parameters())
    if shape.is_adversarial:
        counts = np.bincount(corpus.tokens.ids, minlength=shape.vocabulary)
        is_content = torch.from_numpy(counts > 0)
        is_content[torch.from_numpy(np.argsort(-counts)[:FUNCTION_WORDS])] = False
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(settings.seed)
            extra = Auxiliary(shape, is_content).to(device)
        rms = torch.optim.RMSprop(extra.discriminators, lr=settings.rate)
        trained += extra.motivators
    adam = torch.optim.AdamW(trained, lr=settings.rate, weight_decay=0.01)
    return _Run(network, extra, adam, rms)


def _record(run: _Run, desk: Desk, told: Progress) -> None:
    if desk.log is not None:
        is_new = not desk.log.exists()
        with desk.log.open("a", newline="", encoding="utf-8") as file:
            writer = csv.writer(file)
            if is_new:
                writer.writerow(["epoch", "loss", "held_out", "seconds"])
            line = (told.loss, told.held_out, told.seconds)
            writer.writerow([told.epoch, *(f"{value:.5f}" for value in line)])
    if desk.checkpoint is not None:
        _keep(run, desk.checkpoint)
    desk.watch(told)


def _keep(run: _Run, path: Path) -> None:
    """Write everything that a resumed run needs; no pickles here either."""
    parts = {f"network/{k}": v for k, v in run.network.state_dict().items()}
    parts |= {f"best/{k}": v for k, v in run.best_weights.items()}
    if run.extra is not None:
        parts |= {f"extra/{k}": v for k, v in run.extra.state_dict().items()}
    for name, optimizer in (("adam", run.adam), ("rms", run.rms)):
        if optimizer is not None:
            for number, state in optimizer.state_dict()["state"].items():
                parts |= {f"{name}/{number}/{k}": v for k, v in state.items()}
    values = {"epoch": run.epoch, "step": run.step, "stale": run.stale}
    texts = {name: json.dumps(value) for name, value in values.items()}
    texts |= {"best": json.dumps(run.best), "architecture": run.network.shape.to_json()}
    # Tensors may share memory, as tied weights do; each is written out on its own.
    files.write(path, {k: v.clone() for k, v in parts.items()}, texts)


def _restore(run: _Run, desk: Desk, shape: Architecture) -> None:
    if desk.checkpoint is None or not desk.checkpoint.is_file():
        return  # nothing was kept yet: the run starts at its beginning
    stored = files.read(desk.checkpoint)
    if Architecture.from_json(files.text_of(stored, "architecture")) != shape:
        raise ParameterError("the checkpoint is of another architecture")
    parts: dict[str, dict[str, Tensor]] = {}
    for name, tensor in stored.weights.items():
        group, _, rest = name.partition("/")
        parts.setdefault(group, {})[rest] = tensor
    run.network.load_state_dict(parts["network"])
    run.best_weights = parts.get("best", {})
    if run.extra is not None:
        run.extra.load_state_dict(parts["extra"])
    for name, optimizer in (("adam", run.adam), ("rms", run.rms)):
        if optimizer is not None:
            _restore_optimizer(optimizer, parts.get(name, {}))
    run.epoch = int(files.number_of(stored, "epoch"))
    run.step = int(files.number_of(stored, "step"))
    run.stale = int(files.number_of(stored, "stale"))
    run.best = files.number_of(stored, "best")


def _restore_optimizer(
    optimizer: torch.optim.Optimizer, parts: dict[str, Tensor]
) -> None:
    state: dict[int, dict[str, Tensor]] = {}
    for name, tensor in parts.items():
        number, _, key = name.partition("/")
        state.setdefault(int(number), {})[key] = tensor
    written = optimizer.state_dict()
    written["state"] = state
    optimizer.load_state_dict(written)
