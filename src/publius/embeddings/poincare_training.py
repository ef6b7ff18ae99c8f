"""Train points of hyperbolic space on a hierarchy (Nickel and Kiela 2017, 2018).

For a name u and a name v above it the loss is

    log(1 + S / k),   S = Σ_{v' not above u} e^{-s (d(u,v') - d(u,v))}.

S is a smooth count of the names that stand between u and v wrongly, so a pair is pulled
in earnest once there are about k of them. With k as large as the hierarchy the loss is
nearly linear in the rank: the few pairs that are far out of place decide. With k = 1 it
is the softmax of the paper, which never brings such pairs home but puts the others in
order. Training goes from the one to the other.

The sum is estimated from negatives that are drawn uniformly. All pairs of one u share
that sum, and all u of a batch share the negatives, so that a step is a handful of
matrix products in Lorentz coordinates. There ``e^{-d} = 1 / (1 + t + sqrt(t (t + 2)))``
with ``t = cosh d - 1``: no logarithm and no exponential is taken. Every point moves
along its own Riemannian gradient, its length divided by the running root mean square of
that point's gradients (one number per point, as the manifold asks: Bécigneul and Ganea
2019).
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from publius.core.arrays import FloatArray, IdArray, at_least, positive
from publius.core.errors import DataError, ParameterError
from publius.core.rng import RunKey
from publius.embeddings.poincare_pairs import Hierarchy
from publius.numerics.geometry import lorentz

NEAREST_TIE = 1e-9
"""Least value of cosh d - 1 in a gradient: closer points push as if so far apart."""

MEMORY = 0.99
"""Share of the past in the running mean of squared gradients."""

LONGEST_STEP = 1.0
"""No point moves further than this in one step."""

SETTLED = 0.8
"""Share of the epochs after which the slack is the last one."""

FRUGALITY = 8
"""Divides the negatives of frugal epochs."""

SAVE_EVERY = 10
"""Epochs between two checkpoints."""

Progress: TypeAlias = Callable[[int, float], None]


@dataclass(frozen=True, slots=True)
class TrainingPlan:
    """Settings of a training.

    Args:
        dim: Dimension of the ball.
        epochs: How often every pair is used.
        rate: Step of a point whose gradient is as long as usual.
        burn_in: First epochs, at a tenth of the rate.
        final_rate: Share of the rate that is left at the last epoch; linear decay.
        batch: Names per step.
        negatives: Names per step that are drawn uniformly, shared by the batch.
        frugal: First share of the epochs, with an eighth of the negatives: while the
            slack is large, few of them tell as much.
        sharpness: The factor s of distances in the loss.
        slack: The last k of the loss; the first one is the number of names.
        radius: Points stay within this distance of the origin.
        seed: Of the draws; training is public and needs no secrecy.
    """

    dim: int = 10
    epochs: int = 150
    rate: float = 0.15
    burn_in: int = 5
    final_rate: float = 0.05
    batch: int = 512
    negatives: int = 8192
    frugal: float = 0.6
    sharpness: float = 8.0
    slack: float = 3.0
    radius: float = 12.0
    seed: int = 0

    def __post_init__(self) -> None:
        for name in ("dim", "epochs", "batch", "negatives"):
            at_least(name, getattr(self, name), 1)
        at_least("burn_in", self.burn_in, 0)
        at_least("seed", self.seed, 0)
        for name in ("rate", "final_rate", "sharpness", "slack"):
            positive(name, getattr(self, name))
        if not 0 <= self.frugal <= 1:
            raise ParameterError(f"frugal must lie in [0, 1], got {self.frugal}")
        if not 0 < self.radius <= 15:
            # Beyond, products of Lorentz rows lose the digits that gradients need.
            raise ParameterError(f"radius must lie in (0, 15], got {self.radius}")

    def rate_at(self, epoch: int) -> float:
        """Return the rate of an epoch."""
        left = 1 - epoch / self.epochs * (1 - self.final_rate)
        return self.rate * left * (0.1 if epoch < self.burn_in else 1.0)

    def negatives_at(self, epoch: int) -> int:
        """Return the negatives of a step."""
        if epoch < self.frugal * self.epochs:
            return max(1, self.negatives // FRUGALITY)
        return self.negatives

    def slack_at(self, epoch: int, size: int) -> float:
        """Return the slack of an epoch on so many names; its logarithm is linear."""
        done = min(1.0, epoch / (SETTLED * self.epochs))
        return float(size ** (1 - done) * self.slack**done)


@dataclass(slots=True)
class State:
    """What a training has reached; everything that a checkpoint holds.

    Args:
        points: Lorentz coordinates, one row per name.
        squares: Running mean of each point's squared gradient.
        counts: Steps in which each point moved.
        epoch: Epochs that are done.
    """

    points: FloatArray
    squares: FloatArray
    counts: IdArray
    epoch: int = 0

    @classmethod
    def start(cls, size: int, plan: TrainingPlan) -> "State":
        """Return points close to the origin."""
        rng = RunKey.from_seed(plan.seed).stream(0)
        tangent = rng.uniform(-1e-3, 1e-3, size=(size, plan.dim))
        return cls(lorentz.exp0(tangent), np.zeros(size), np.zeros(size, np.int64))


@dataclass(frozen=True, slots=True, eq=False)
class Epoch:
    """The draws of one epoch: batches of names and the negatives of each step.

    Args:
        order: Every name once, batch after batch.
        negatives: ``(steps, negatives)`` distinct ids per row.
    """

    order: IdArray
    negatives: IdArray

    @classmethod
    def drawn(cls, size: int, plan: TrainingPlan, number: int) -> "Epoch":
        """Draw an epoch; it depends on seed and number alone, so runs can resume."""
        rng = RunKey.from_seed(plan.seed).stream(number + 1)
        steps = math.ceil(size / plan.batch)
        width = min(plan.negatives_at(number), size)
        rows = [_distinct(size, width, rng) for _ in range(steps)]
        return cls(rng.permutation(size), np.stack(rows))


class Trainer(Protocol):
    """A backend that runs whole epochs."""

    def run(self, epoch: Epoch, rate: float, slack: float) -> float:
        """Change the points and return the mean loss of a pair."""
        ...

    def state(self, epoch: int) -> State:
        """Return the state after so many epochs."""
        ...


TrainerOf: TypeAlias = Callable[[Hierarchy, TrainingPlan, State], Trainer]


def train(
    hierarchy: Hierarchy,
    plan: TrainingPlan,
    trainer_of: TrainerOf,
    *,
    state: State | None = None,
    progress: Progress = lambda _epoch, _loss: None,
    save: Callable[[State], None] = lambda _: None,
) -> State:
    """Run the epochs of a plan that are left and return the last state.

    Args:
        hierarchy: Names and pairs.
        plan: Settings.
        trainer_of: Backend.
        state: Where to go on; None starts anew.
        progress: Told the epochs done and the mean loss of a pair.
        save: Given the state every ``SAVE_EVERY`` epochs, to write a checkpoint.
    """
    state = state or State.start(hierarchy.size, plan)
    if state.points.shape != (hierarchy.size, plan.dim + 1):
        raise DataError("the state belongs to another hierarchy or dimension")
    trainer = trainer_of(hierarchy, plan, state)
    for number in range(state.epoch, plan.epochs):
        epoch = Epoch.drawn(hierarchy.size, plan, number)
        slack = plan.slack_at(number, hierarchy.size)
        loss = trainer.run(epoch, plan.rate_at(number), slack)
        if not math.isfinite(loss):
            raise DataError(f"training diverged in epoch {number}; lower the rate")
        progress(number + 1, loss)
        if (number + 1) % SAVE_EVERY == 0 and number + 1 < plan.epochs:
            save(trainer.state(number + 1))
    return trainer.state(max(state.epoch, plan.epochs))


def _distinct(size: int, count: int, rng: np.random.Generator) -> NDArray[np.int64]:
    return rng.choice(size, count, replace=False, shuffle=False)
