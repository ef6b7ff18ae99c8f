"""A counter-example: post-processing that reads the original.

Several candidates are drawn by a certified law and the one most like the original is
released, as rewriting systems do that correct a private text towards the original.
Choosing is no post-processing then, and the certificate of the law says nothing.
"""

from dataclasses import dataclass

import numpy as np

from publius.core.arrays import FloatArray, IdArray, Rng, at_least
from publius.core.guarantee import Flat, Guarantee, Scope, Unit

UNBOUNDED = (
    "The original chooses among the candidates: the certificate of the draws does not "
    "bound what is released, and with more candidates the loss grows without bound."
)


@dataclass(frozen=True, slots=True, eq=False)
class ClosestOfMany:
    """Draw candidates, release the one nearest to the secret.

    Guarantee:
        None in the number of candidates: `loss` is the exact one, and it exceeds that
        of one draw.

    Args:
        log_channel: log K(z | x), one row per secret.
        distances: Between secrets and outputs.
        candidates: How many are drawn.
    """

    log_channel: FloatArray
    distances: FloatArray
    candidates: int

    def __post_init__(self) -> None:
        at_least("candidates", self.candidates, 1)

    def log_law(self) -> FloatArray:
        """Return the exact log-probability of every released output."""
        order = np.argsort(self.distances, axis=1, kind="stable")
        share = np.take_along_axis(np.exp(self.log_channel), order, axis=1)
        # The best candidate stands at this place or later: all candidates do.
        tail = np.minimum(np.cumsum(share[:, ::-1], axis=1)[:, ::-1], 1.0)
        reached = tail**self.candidates
        mass = reached - np.hstack([reached[:, 1:], np.zeros((len(share), 1))])
        law = np.empty_like(mass)
        np.put_along_axis(law, order, mass, axis=1)
        with np.errstate(divide="ignore"):
            return np.log(law)

    def loss(self) -> float:
        """Return the exact largest loss between two secrets."""
        return largest_loss(self.log_law())

    def guarantee(self) -> Guarantee:
        """Say that there is none."""
        nothing = Scope(uncovered=(UNBOUNDED,))
        return Guarantee("none", Unit.TOKEN, (Flat(np.inf),), nothing)

    def perturb(self, x: IdArray, rng: Rng) -> IdArray:
        """Draw candidates for each secret and return the nearest one."""
        chosen = []
        for secret in x.tolist():
            noise = rng.gumbel(size=(self.candidates, self.log_channel.shape[1]))
            drawn = np.argmax(self.log_channel[secret] + noise, axis=1)
            away = self.distances[secret, drawn]
            nearest = drawn[away == away.min()]
            chosen.append(int(nearest.min()))
        return np.array(chosen, dtype=np.int64)


def largest_loss(log_law: FloatArray) -> float:
    """Return the largest log-ratio of two rows at any output."""
    seen = log_law[:, np.isfinite(log_law).any(axis=0)]
    return float((seen.max(axis=0) - seen.min(axis=0)).max())
