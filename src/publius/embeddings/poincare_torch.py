"""Training steps with torch: on a graphics processor where there is one.

The draws are those of the NumPy backend. Nothing is read back from the device inside an
epoch, so steps of any shape are queued without waiting.
"""

import numpy as np
import torch
from numpy.typing import NDArray

from publius.embeddings.poincare_pairs import Hierarchy
from publius.embeddings.poincare_training import (
    LONGEST_STEP,
    MEMORY,
    NEAREST_TIE,
    Epoch,
    State,
    TrainingPlan,
)


class TorchTrainer:
    """Run epochs on the best device that torch finds.

    Args:
        hierarchy: Names and pairs.
        plan: Settings.
        start: Where to begin; it is copied.
    """

    def __init__(self, hierarchy: Hierarchy, plan: TrainingPlan, start: State) -> None:
        self._hierarchy = hierarchy
        self._plan = plan
        self._device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self._points = self._sent(start.points)
        self._squares = self._sent(start.squares)
        self._counts = self._sent(start.counts)
        self._column = self._sent(np.zeros(hierarchy.size, dtype=np.int64))

    def state(self, epoch: int) -> State:
        """Fetch the state."""
        return State(
            self._points.cpu().numpy().copy(),
            self._squares.cpu().numpy().copy(),
            self._counts.cpu().numpy().copy(),
            epoch,
        )

    def run(self, epoch: Epoch, rate: float, slack: float) -> float:
        """Change the points and return the mean loss of a pair."""
        above = self._hierarchy.ancestors[epoch.order]
        bounds = above.indptr
        rows = np.repeat(np.arange(len(epoch.order)), np.diff(bounds))
        order, negatives = self._sent(epoch.order), self._sent(epoch.negatives)
        upper = self._sent(above.indices.astype(np.int64))
        lower = self._sent(rows % self._plan.batch)
        total = torch.zeros((), dtype=torch.float64, device=self._device)
        for step in range(len(epoch.negatives)):
            first = step * self._plan.batch
            last = min(first + self._plan.batch, len(epoch.order))
            pairs = slice(int(bounds[first]), int(bounds[last]))
            batch = order[first:last], negatives[step], lower[pairs], upper[pairs]
            slope, loss = self._slopes(*batch, slack)
            self._move(slope, rate)
            total += loss
        return float(total) / self._hierarchy.pairs

    def _sent(self, array: NDArray[np.generic]) -> torch.Tensor:
        return torch.from_numpy(np.array(array)).to(self._device)

    def _slopes(
        self,
        names: torch.Tensor,
        negatives: torch.Tensor,
        row: torch.Tensor,
        upper: torch.Tensor,
        slack: float,
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Return the slope of every point and the loss of a batch."""
        sharp, points = self._plan.sharpness, self._points
        width = len(negatives)
        own, against = points[names], points[negatives]
        flipped = -own
        flipped[:, 0] = own[:, 0]
        # One more column takes what is no negative, so that no shape depends on data.
        product = torch.empty(
            (len(names), width + 1), dtype=own.dtype, device=self._device
        )
        torch.mm(flipped, against.T, out=product[:, :width])
        product[:, width] = 2.0
        weight, root = _closeness(product, sharp)
        self._column.fill_(width)
        self._column[negatives] = torch.arange(width, device=self._device)
        weight[torch.arange(len(names), device=self._device), self._column[names]] = 0.0
        weight[row, self._column[upper]] = 0.0
        weight[:, width] = 0.0
        stand = self._hierarchy.size / width
        total = stand * weight.sum(dim=1)[row]
        near, reach = _closeness((flipped[row] * points[upper]).sum(dim=1), sharp)
        near *= slack
        both = near + total
        share = torch.zeros(len(names), dtype=own.dtype, device=self._device)
        share.index_add_(0, row, 1 / both)
        weight /= root
        weight *= (sharp * stand * share)[:, None]
        force = weight[:, :width]
        pull = (-sharp * total / both / reach)[:, None]
        slope = torch.zeros_like(points)
        slope.index_add_(0, names, force @ against)
        slope.index_add_(0, negatives, force.T @ own)
        slope.index_add_(0, names[row], pull * points[upper])
        slope.index_add_(0, upper, pull * own[row])
        return slope, (torch.log(both) - torch.log(near)).sum()

    def _move(self, slope: torch.Tensor, rate: float) -> None:
        """Follow the Riemannian gradient along geodesics, and stay in the ball."""
        x = self._points
        touched = slope[:, 0] != 0
        inner = (x * slope).sum(dim=1) - 2 * x[:, 0] * slope[:, 0]
        slope += inner[:, None] * x
        square = ((slope * slope).sum(dim=1) - 2 * slope[:, 0] ** 2).clamp(min=1e-30)
        self._counts += touched
        memory = torch.where(touched, MEMORY, 1.0)
        self._squares.mul_(memory).add_((1 - memory) * square)
        past = MEMORY ** self._counts.clamp(min=1).to(x.dtype)
        usual = self._squares / (1 - past)
        length = (rate * torch.sqrt(square / (usual + 1e-12))).clamp(max=LONGEST_STEP)
        moved = torch.cosh(length)[:, None] * x
        moved -= (torch.sinh(length) / torch.sqrt(square))[:, None] * slope
        limit = float(np.sinh(self._plan.radius))
        space = moved[:, 1:]
        out = torch.linalg.vector_norm(space, dim=1, keepdim=True)
        space *= (limit / out.clamp(min=limit)).clamp(max=1.0)
        moved[:, 0] = torch.sqrt(1 + (space * space).sum(dim=1))
        self._points = torch.where(touched[:, None], moved, x)


def _closeness(
    cosh: torch.Tensor, sharpness: float
) -> tuple[torch.Tensor, torch.Tensor]:
    """Return ``exp(-sharpness * d)`` and ``sinh d``."""
    t = (cosh - 1.0).clamp(min=NEAREST_TIE)
    root = torch.sqrt(t * (t + 2.0))
    weight = torch.reciprocal(1.0 + t + root)
    return weight if sharpness == 1.0 else weight**sharpness, root
