"""Figure 7.4: how fast angles are drawn, against the thesis's bisection."""

import math
import time
from collections.abc import Callable

import numpy as np

from publius.core.arrays import FloatArray
from publius.core.rng import seeded
from publius.mechanisms.purkayastha import Purkayastha
from publius.papers.directional.published import bisection_angles
from publius.papers.directional.result import Reproduction, Setting, curve

DIMENSIONS = (2, 3, 10, 100, 1000, 10_000)
KAPPAS = (1.0, 10.0, 100.0, 1000.0)
COUNT = 200_000
SLOW_WORK = 20_000_000


def sampling_rates(setting: Setting) -> Reproduction:
    """Measure angles per second of both methods in the same run."""
    rows, ours, theirs = [], [], []
    for dim in DIMENSIONS:
        for kappa in KAPPAS:
            count = setting.times(COUNT)
            rng = seeded(setting.seed)
            fast, _ = _rate(lambda n: Purkayastha(kappa, dim).angles(n, rng), count)  # noqa: B023 - called at once
            # 50 halvings of a sum of dim / 2 terms for each angle.
            few = max(200, setting.times(SLOW_WORK) // (50 * max(dim // 2, 1)))
            slow, drawn = _rate(
                lambda n: bisection_angles(dim, kappa, n, rng),  # noqa: B023 - called at once
                min(few, count),
            )
            is_wrong = _is_wrong(drawn, kappa, dim)
            rows.append((dim, kappa, fast, slow, fast / slow, is_wrong))
            if kappa == KAPPAS[0]:
                ours.append(fast)
                theirs.append(slow)
    return Reproduction(
        "thesis-7.4",
        "Angles per second: exact rejection against bisection",
        ("n", "κ", "ours, angles/s", "bisection, angles/s", "ratio",
         "bisection fails (NaN or wrong law)"),
        tuple(rows),
        (curve("κ = 1", "ours", DIMENSIONS, ours),
         curve("κ = 1", "bisection (algorithm 3)", DIMENSIONS, theirs)),
        ("n", "angles per second"),
        ("The published figure shows tens to hundreds of thousands of angles per "
         "second in low dimensions on one core of another machine; both methods are "
         "measured here in one run, with the same generator.",),
    )  # fmt: skip


def _rate(draw: Callable[[int], FloatArray], count: int) -> tuple[float, FloatArray]:
    before = time.perf_counter()
    drawn = draw(count)
    return count / (time.perf_counter() - before), drawn


def _is_wrong(drawn: FloatArray, kappa: float, dim: int) -> str:
    """Say whether the mean of the drawn angles is far from the truth."""
    law = Purkayastha(kappa, dim)
    spread = math.sqrt(law.var_angle() / len(drawn))
    error = abs(float(np.mean(drawn)) - law.mean_angle())
    return "yes" if not error < 10 * spread else "no"
