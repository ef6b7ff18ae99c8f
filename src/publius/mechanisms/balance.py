"""Choose public weights that flatten the normaliser, and the decay that meets an ε.

The loss of a pair is ``beta * d + |ln Z(x) - ln Z(x')|``. Weights that make Z constant
leave only the first part, so that no factor 2 is lost. Everything here depends on the
public space alone and need not be exact: the certificate is computed afterwards.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Protocol, TypeAlias

import numpy as np
import scipy

from publius.core.arrays import FloatArray, IdArray, positive
from publius.core.errors import ParameterError
from publius.core.space import Balls, Layered, Space, blocks
from publius.mechanisms.ball_law import BallLaw, all_balls
from publius.mechanisms.certificate import Certificate
from publius.mechanisms.law import WEIGHT_LIMIT, Decay, Law
from publius.mechanisms.point_law import dense_law
from publius.numerics.parallel import map_blocks

STRENGTH = 0.9
FLATNESS = 1e-4
TOLERANCE = 2e-3
"""A calibrated ε may stay below the asked one by this share."""

KERNEL_BYTES = 1800 << 20
"""A kernel matrix up to this size is cached in memory between iterations."""

Progress: TypeAlias = Callable[[str], None]


class Kernel(Protocol):
    """Multiply weights by ``exp(-beta * distance)``."""

    def totals(self, weights: FloatArray) -> FloatArray:
        """Return Z for every point."""
        ...


@dataclass(frozen=True, slots=True, eq=False)
class BallKernel:
    """Totals on a layered space from sums over balls."""

    balls: Balls
    beta: float
    cap: int

    def totals(self, weights: FloatArray) -> FloatArray:
        """Return Z for every point."""
        level = np.exp(-self.beta * np.arange(self.cap + 1))
        step = level[:-1] - level[1:]

        def work(run: IdArray) -> FloatArray:
            bounds = self.balls.bounds[run]
            start = bounds[0, 0]
            members = self.balls.points[start : bounds[-1, -1]]
            sums = np.concatenate(([0.0], np.cumsum(weights[members])))[bounds - start]
            return (sums[:, 1:] - sums[:, :1]) @ step

        width = max(1, len(self.balls.points) // len(self.balls.bounds))
        inside = np.concatenate(list(map_blocks(work, blocks(len(weights), width))))
        return inside + level[-1] * weights.sum()


@dataclass(frozen=True, slots=True, eq=False)
class RowKernel:
    """Totals on any space, in float32: exact enough to choose weights."""

    space: Space
    beta: float
    _cached: list[FloatArray]

    @classmethod
    def of(cls, space: Space, beta: float) -> "RowKernel":
        """Cache the kernel matrix when it fits in memory."""
        kernel = cls(space, beta, [])
        if space.size**2 * 4 <= KERNEL_BYTES:
            kernel._cached.extend(kernel._blocks())
        return kernel

    def totals(self, weights: FloatArray) -> FloatArray:
        """Return Z for every point."""
        vector = weights.astype(np.float32)
        if self._cached:
            parts = list(map_blocks(lambda block: block @ vector, self._cached))
        else:
            parts = [block @ vector for block in self._blocks()]
        return np.concatenate(parts).astype(np.float64)

    def _blocks(self) -> Iterator[FloatArray]:
        def work(ids: IdArray) -> FloatArray:
            scores = (self.space.rows(ids) * -self.beta).astype(np.float32)
            return np.exp(scores, out=scores)

        return map_blocks(work, blocks(self.space.size, self.space.size))


@dataclass(frozen=True, slots=True, eq=False)
class Calibrator:
    """A space with what is prepared once to weigh, certify and calibrate on it.

    Args:
        space: Words and their distances.
        balls: All balls of a layered space.
        device: Torch device that certifies points; NumPy if empty.
    """

    space: Space
    balls: Balls | None
    device: str = ""

    @classmethod
    def of(
        cls, space: Space, balls: Balls | None = None, *, device: str = ""
    ) -> "Calibrator":
        """Prepare the balls of a layered space; other spaces need nothing."""
        if balls is None and isinstance(space, Layered):
            balls = all_balls(space)
        return cls(space, balls, device)

    def kernel(self, beta: float) -> Kernel:
        """Return the kernel of a decay."""
        if self.balls is not None and isinstance(self.space, Layered):
            return BallKernel(self.balls, beta, self.space.cap)
        return RowKernel.of(self.space, beta)

    def law(self, decay: Decay) -> Law:
        """Return the law of a decay."""
        if self.balls is not None and isinstance(self.space, Layered):
            kernel = BallKernel(self.balls, decay.beta, self.space.cap)
            largest = float(kernel.totals(decay.weights.astype(np.float64)).max())
            return BallLaw(self.space, decay, largest, self.balls)
        return dense_law(self.space, decay, self.device)

    def certify(self, decay: Decay) -> Certificate:
        """Certify the law of a decay."""
        return self.law(decay).certify()

    def balanced(
        self,
        beta: float,
        start: FloatArray,
        rounds: int,
        progress: Progress = lambda _: None,
    ) -> FloatArray:
        """Return weights that make Z nearly constant, starting from `start`."""
        kernel, weights = self.kernel(beta), start
        for number in range(1, rounds + 1):
            progress(f"round {number} of at most {rounds}")
            total = kernel.totals(weights)
            if np.ptp(np.log(total)) < FLATNESS * beta:
                break
            weights = weights / total**STRENGTH
            weights = np.maximum(weights / weights.max(), 1 / WEIGHT_LIMIT)
        return weights


def calibrate(
    calibrator: Calibrator,
    epsilon: float,
    *,
    balanced: bool = True,
    rounds: int = 20,
    progress: Progress = lambda _: None,
) -> tuple[Decay, Certificate]:
    """Find the largest decay whose certificate stays within `epsilon`.

    Args:
        calibrator: The prepared space.
        epsilon: Asked bound per unit of distance.
        balanced: Choose weights that flatten Z; otherwise all weights are equal.
        rounds: Iterations of the balancing per decay that is tried.
        progress: Told about each step.
    """
    positive("epsilon", epsilon)
    weights: FloatArray = np.ones(calibrator.space.size)
    tried: dict[float, tuple[Decay, Certificate]] = {}

    def excess(beta: float) -> float:
        """Certify a decay and return by how much it misses the target."""
        nonlocal weights
        if beta not in tried:
            tell = partial(
                _tell, progress, epsilon, f"trying decay {beta:.4g} ({len(tried) + 1})"
            )
            tell(_slow(calibrator.space))
            if balanced:
                weights = calibrator.balanced(beta, weights, rounds, tell)
            decay = Decay.rounded(beta, weights)
            tried[beta] = decay, calibrator.certify(decay)
        return tried[beta][1].epsilon - epsilon * (1 - TOLERANCE / 2)

    high = epsilon * (1 - TOLERANCE / 2)
    if excess(high) > 0:
        low = max(epsilon / 2, high - 2 * excess(high))
        if excess(low) > 0:
            # The loss of a pair never exceeds 2 * beta * d, so this decay is feasible.
            high, low = low, epsilon / 2 * (1 - TOLERANCE)
        if excess(low) < 0:
            scipy.optimize.brentq(excess, low, high, xtol=epsilon * TOLERANCE / 4)
    met = [
        calibration
        for calibration in tried.values()
        if calibration[1].epsilon <= epsilon
    ]
    if not met:
        raise ParameterError(f"no decay meets epsilon = {epsilon:g} on this space")
    best = max(met, key=lambda calibration: calibration[0].beta)
    return _steepened(calibrator, best, epsilon)


def _tell(progress: Progress, epsilon: float, decay: str, step: str) -> None:
    progress(f"ε = {epsilon:g}: " + ", ".join(filter(None, (decay, step))))


def _slow(space: Space) -> str:
    """Say that a space takes long, where all its pairs are looked at repeatedly."""
    if isinstance(space, Layered) or space.size**2 * 4 <= KERNEL_BYTES:
        return ""
    return f"all pairs of {space.size:,} words take minutes, fewer words less"


def _steepened(
    calibrator: Calibrator, calibration: tuple[Decay, Certificate], epsilon: float
) -> tuple[Decay, Certificate]:
    """Raise the decay under fixed weights until ε is used up.

    Weights that are balanced anew for each decay make ε jump; fixed ones do not.
    """
    decay, certificate = calibration
    if certificate.epsilon >= epsilon * (1 - 2 * TOLERANCE):
        return calibration
    tried = {decay.beta: calibration}

    def excess(beta: float) -> float:
        if beta not in tried:
            steeper = decay.steeper(beta)
            tried[beta] = steeper, calibrator.certify(steeper)
        return tried[beta][1].epsilon - epsilon * (1 - TOLERANCE / 2)

    if excess(epsilon) > 0:
        scipy.optimize.brentq(excess, decay.beta, epsilon, xtol=epsilon * TOLERANCE / 4)
    met = (
        calibration
        for calibration in tried.values()
        if calibration[1].epsilon <= epsilon
    )
    return max(met, key=lambda calibration: calibration[0].beta)
