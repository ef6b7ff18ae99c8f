"""The training loop: schedule, early stopping, checkpoints, logs."""

import csv
import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from publius.autoencoder.adversary import (
    Auxiliary,
    adversarial_loss,
    discriminator_loss,
    motivator_loss,
)
from publius.autoencoder.architecture import PAD, Architecture
from publius.autoencoder.batches import (
    Corpus,
    author_prior,
    batch_of,
    batches,
    content_words,
    held_out_split,
)
from publius.autoencoder.checkpoint import Run, restore, save
from publius.autoencoder.emphasis import emphasis
from publius.autoencoder.layers import give_stream
from publius.autoencoder.network import SentenceNetwork, build
from publius.autoencoder.objective import (
    Batch,
    Sample,
    blanked,
    draw,
    reconstruction,
    vae_loss,
)
from publius.autoencoder.settings import Training
from publius.core.arrays import IdArray
from publius.core.errors import ParameterError

WARM_UP = 0.03
"""Share of the steps in which the learning rate grows."""


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a training run is.

    Args:
        epoch: Passes finished.
        share: Of the whole run, in [0, 1].
        loss: Reconstruction per sub-word over the last epoch, weighted as learnt.
        held_out: The same on held-out sentences, in nats, where all sub-words count
            alike; of an AAE with the adversary's terms.
        seconds: Since the start of this run.
    """

    epoch: int
    share: float
    loss: float
    held_out: float
    seconds: float


@dataclass(frozen=True, slots=True)
class TrainingFiles:
    """Where a run saves what it needs to go on, and whom it tells.

    Args:
        checkpoint: File to write after each epoch; None for none.
        log: CSV file with one line per epoch, begun anew unless a run is resumed; None
            for none.
        resume: Go on from the checkpoint.
        watch: Told after each epoch.
    """

    checkpoint: Path | None = None
    log: Path | None = None
    resume: bool = False
    watch: Callable[[Progress], None] = lambda _: None


def device_of(name: str) -> torch.device:
    """Return the device by its name; ``auto`` takes CUDA where there is one."""
    is_there = torch.cuda.is_available()
    if name == "cuda" and not is_there:
        raise ParameterError("there is no CUDA device here; use --device cpu")
    return torch.device("cuda" if is_there and name != "cpu" else "cpu")


def train(
    shape: Architecture,
    corpus: Corpus,
    settings: Training,
    files: TrainingFiles | None = None,
    *,
    start: SentenceNetwork | None = None,
) -> SentenceNetwork:
    """Train a network and return it with its best weights, on the CPU.

    Args:
        shape: Kind and sizes.
        corpus: What it learns from.
        settings: How.
        files: Where checkpoints and logs go.
        start: A trained network of the same sizes, of any kind, to go on from.
    """
    files = files or TrainingFiles()
    if shape.is_adversarial and (corpus.authors is None or shape.authors < 2):
        raise ParameterError(f"{shape.kind} needs texts of at least two known authors")
    device = device_of(settings.device)
    chosen, measured = held_out_split(len(corpus.tokens), settings)
    run = _started(shape, corpus, settings, device, start)
    if files.resume and files.checkpoint is not None:
        restore(run, files.checkpoint, shape)
    try:
        _epochs(run, corpus, (chosen, measured), settings, files)
    except torch.cuda.OutOfMemoryError:
        raise ParameterError(
            f"a batch of {settings.batch} sentences is too large for this GPU; "
            "use a smaller --batch"
        ) from None
    run.network.load_state_dict(run.best_weights or run.network.state_dict())
    return run.network.cpu().eval()


def _epochs(
    run: Run,
    corpus: Corpus,
    split: tuple[IdArray, IdArray],
    settings: Training,
    files: TrainingFiles,
) -> None:
    start = time.monotonic()
    clock = _Clock(start, settings, -(-len(split[0]) // settings.batch))
    while run.epoch < settings.epochs and not clock.is_over():
        loss = _epoch(run, corpus, split[0], settings, clock)
        run.epoch += 1
        held_out = _measure(run, corpus, split[1], settings)
        is_better = held_out < run.best
        run.best = min(run.best, held_out)
        run.stale = 0 if is_better else run.stale + 1
        # A young adversary finds little: its low loss is no reason to keep old weights.
        if is_better or run.rms is not None:
            run.best_weights = {
                name: value.detach().cpu().clone()
                for name, value in run.network.state_dict().items()
            }
        seconds = time.monotonic() - start
        told = Progress(run.epoch, clock.share(run.step), loss, held_out, seconds)
        _record(run, files, told)
        if settings.patience and run.stale >= settings.patience:
            break


def _epoch(
    run: Run, corpus: Corpus, chosen: IdArray, settings: Training, clock: "_Clock"
) -> float:
    device = next(run.network.parameters()).device
    # One stream per epoch: a resumed run draws what an unbroken one would have drawn.
    seed = int(np.random.SeedSequence([settings.seed, run.epoch]).generate_state(1)[0])
    generator = torch.Generator(device).manual_seed(seed)
    give_stream(run.network, generator)
    run.network.train()
    total, count = torch.zeros((), device=device), 0
    for rows in batches(corpus.tokens.lengths, chosen, settings.batch, seed):
        batch = batch_of(corpus, rows, device)
        share = clock.share(run.step)
        total += _step(run, batch, settings, share, generator)
        run.step += 1
        count += 1
        if clock.is_over():
            break
    return float(total) / max(count, 1)


def _step(
    run: Run,
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
        sample = draw(run.network, batch, settings, generator)
        if run.extra is not None and run.rms is not None:
            for _ in range(settings.discriminator_steps):
                run.rms.zero_grad(set_to_none=True)
                torch.autograd.backward(discriminator_loss(run.extra, batch, sample))
                run.rms.step()
        read = blanked(batch.read, settings.word_dropout, generator)
        kl = settings.weights.kl * ramp
        loss, told = vae_loss(
            run.network, batch, sample, kl=kl, read=read, emphasis=run.emphasis
        )
        loss = loss + _auxiliary(run, batch, sample, settings, ramp)
    run.adam.zero_grad(set_to_none=True)
    torch.autograd.backward(loss)
    torch.nn.utils.clip_grad_norm_(run.network.parameters(), 1.0)
    run.adam.step()
    return told.detach()


def _auxiliary(
    run: Run, batch: Batch, sample: Sample, settings: Training, ramp: float
) -> Tensor:
    """Return the terms of eq. 6.18 beside the first two, per sub-word."""
    loss = torch.zeros((), device=batch.tokens.device)
    if run.extra is None:
        return loss
    loss = loss + motivator_loss(run.extra, batch, sample, settings)
    if run.rms is not None:
        # Too early an adversary finds nothing to hide and stops all learning.
        loss = loss + ramp * adversarial_loss(run.extra, batch, sample, settings)
    return loss * len(batch.said) / (batch.said != PAD).sum()


@torch.inference_mode()
def _measure(run: Run, corpus: Corpus, chosen: IdArray, settings: Training) -> float:
    """Return the held-out loss per sub-word at the same noise always.

    It holds every term that is trained for: the best reconstruction alone is that of
    the weights that tell the label least, or hide the author least.
    """
    network = run.network
    network.eval()
    device = next(network.parameters()).device
    generator = torch.Generator(device).manual_seed(settings.seed)
    total, words = 0.0, 0
    for rows in batches(corpus.tokens.lengths, chosen, settings.batch, settings.seed):
        batch = batch_of(corpus, rows, device)
        sample = draw(network, batch, settings, generator)
        loss = reconstruction(
            network, batch, sample.condition, batch.read, run.emphasis
        )
        loss = loss + _auxiliary(run, batch, sample, settings, 1.0)
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


def _started(
    shape: Architecture,
    corpus: Corpus,
    settings: Training,
    device: torch.device,
    start: SentenceNetwork | None,
) -> Run:
    network = build(shape, seed=settings.seed, rate=settings.dropout)
    if start is not None:
        network.adopt(start)
    network = network.to(device)
    extra, rms = None, None
    trained = list(network.parameters())
    is_content = content_words(corpus, shape)
    if shape.content_only:
        network.unseen.copy_(~is_content)
    is_motivated = settings.weights.content_motivator > 0 or corpus.labels is not None
    if shape.is_adversarial or is_motivated:
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(settings.seed)
            extra = Auxiliary(shape, is_content, author_prior(corpus)).to(device)
        trained += extra.motivators
        if shape.is_adversarial:
            rms = torch.optim.RMSprop(extra.discriminators, lr=settings.rate)
    adam = torch.optim.AdamW(trained, lr=settings.rate, weight_decay=0.01)
    return Run(network, extra, adam, rms, _emphasis(corpus, shape, settings, device))


def _emphasis(
    corpus: Corpus, shape: Architecture, settings: Training, device: torch.device
) -> Tensor | None:
    """Return the weight of each sub-word; None where all count alike."""
    weights = settings.weights
    is_label_told = weights.label_words > 0 and corpus.labels is not None
    is_author_told = weights.author_words > 0 and corpus.authors is not None
    if not (is_label_told or is_author_told):
        return None
    factors = emphasis(
        corpus.tokens,
        shape.vocabulary,
        weights,
        labels=corpus.labels,
        authors=corpus.authors,
    )
    return torch.from_numpy(factors.astype(np.float32)).to(device)


def _record(run: Run, files: TrainingFiles, told: Progress) -> None:
    if files.log is not None:
        is_new = told.epoch == 1  # an old log is of another run
        mode = "w" if is_new else "a"
        with files.log.open(mode, newline="", encoding="utf-8") as file:
            writer = csv.writer(file)
            if is_new:
                writer.writerow(["epoch", "loss", "held_out", "seconds"])
            line = (told.loss, told.held_out, told.seconds)
            writer.writerow([told.epoch, *(f"{value:.5f}" for value in line)])
    if files.checkpoint is not None:
        save(run, files.checkpoint)
    files.watch(told)
