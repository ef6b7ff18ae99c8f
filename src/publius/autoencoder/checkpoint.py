"""What changes while a network is trained, and how it is saved and taken up again."""

import json
import math
from dataclasses import dataclass, field
from pathlib import Path

import torch
from torch import Tensor

from publius.autoencoder import files
from publius.autoencoder.adversary import Auxiliary
from publius.autoencoder.architecture import Architecture
from publius.autoencoder.network import SentenceNetwork
from publius.core.errors import ParameterError


@dataclass(slots=True)
class Run:
    """Everything that changes while training."""

    network: SentenceNetwork
    extra: Auxiliary | None
    adam: torch.optim.Optimizer
    rms: torch.optim.Optimizer | None
    emphasis: Tensor | None = None
    epoch: int = 0
    step: int = 0
    best: float = math.inf
    stale: int = 0
    best_weights: dict[str, Tensor] = field(default_factory=dict)


def save(run: Run, path: Path) -> None:
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


def restore(run: Run, path: Path, shape: Architecture) -> None:
    """Go on where the saved run stopped; without one it starts at its beginning."""
    if not path.is_file():
        return
    stored = files.read(path)
    if Architecture.from_json(files.text_of(stored, "architecture")) != shape:
        raise ParameterError("the checkpoint is of another architecture")
    parts: dict[str, dict[str, Tensor]] = {}
    for name, tensor in stored.weights.items():
        group, _, rest = name.partition("/")
        parts.setdefault(group, {})[rest] = tensor
    extra = {} if run.extra is None else run.extra.state_dict()
    if _sizes(extra) != _sizes(parts.get("extra", {})):
        raise ParameterError(
            "the checkpoint knows other authors or labels, or is of another version of "
            "Publius; train without --resume"
        )
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


def _sizes(parts: dict[str, Tensor]) -> dict[str, torch.Size]:
    return {name: part.shape for name, part in parts.items()}


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
