"""Draw the next piece by clipped scores: what DP-Prompt and DP-MLM rest on.

Scores are shifted so that the best is 0, cut off at ``-width`` and divided by the
temperature; a piece is drawn with probability proportional to their exponentials. Only
the range of the scores enters the bound, so that the shift costs nothing.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import log_softmax

from publius.core.arrays import FloatArray, IdArray, Rng, at_least, positive
from publius.core.guarantee import Flat, Guarantee, Landmarks, Scope, Unit
from publius.core.stating import multiply_up

ANY_DOCUMENTS = "discrete@documents"


@dataclass(frozen=True, slots=True)
class ClippedScores:
    """Exponential mechanism on scores of a bounded range.

    Guarantee:
        `loss` between any two secrets, for each draw that the scores of the secret
        shape: at most ``2 * width / temperature``, the published figure.

    Args:
        width: Range that scores are cut to; > 0.
        temperature: Larger is flatter; > 0.
    """

    width: float
    temperature: float

    def __post_init__(self) -> None:
        positive("width", self.width)
        positive("temperature", self.temperature)

    def loss(self, outputs: int) -> float:
        """Return the exact largest loss of one draw among so many outputs.

        The worst two rows put one output at the top and all others at the bottom, and
        the reverse.
        """
        at_least("outputs", outputs, 2)
        level = self.width / self.temperature
        rest = math.log(outputs - 1)
        spread = np.logaddexp(0.0, rest + level) - np.logaddexp(level, rest)
        return float(level + spread)

    @classmethod
    def of_loss(cls, loss: float, outputs: int, *, width: float) -> "ClippedScores":
        """Return the law of a width whose exact loss per draw is `loss`."""
        positive("loss", loss)
        low, high = width / (loss + 1), 4 * width / loss
        for _ in range(200):
            middle = (low + high) / 2
            if cls(width, middle).loss(outputs) > loss:
                low = middle
            else:
                high = middle
        return cls(width, high)

    def log_law(self, scores: ArrayLike) -> FloatArray:
        """Return the log-probability of every output, row by row."""
        rows = np.asarray(scores, dtype=np.float64)
        level = rows - rows.max(axis=-1, keepdims=True)
        kept = np.maximum(level, -self.width) / self.temperature
        return np.asarray(log_softmax(kept, axis=-1))

    def draw(self, scores: ArrayLike, rng: Rng) -> IdArray:
        """Draw an output for every row."""
        log_law = self.log_law(scores)
        # Gumbel-max: the argmax of noisy log weights samples the softmax.
        return np.argmax(log_law + rng.gumbel(size=log_law.shape), axis=-1)

    def guarantee(self, outputs: int, draws: int, scope: Scope) -> Guarantee:
        """Return what so many draws, all shaped by the secret, guarantee together."""
        worst = multiply_up(self.loss(outputs), at_least("draws", draws, 1))
        marks = Landmarks(near=1.0, diameter=1.0, unknown_loss=worst, near_most=1.0)
        return Guarantee(ANY_DOCUMENTS, Unit.DOCUMENT, (Flat(worst),), scope, marks)


def prompted(law: ClippedScores, outputs: int, pieces: int) -> Guarantee:
    """Return the guarantee of DP-Prompt: a paraphrase of at most so many pieces."""
    covered = "A whole text, whatever its words, order, layout and length."
    bound = f"Every text leaves as at most {pieces} drawn pieces; each costs its loss."
    scope = Scope((covered,), ("Nothing else of the text is released.",), (bound,))
    return law.guarantee(outputs, pieces, scope)


def replaced_in_context(law: ClippedScores, outputs: int, words: int) -> Guarantee:
    """Return the guarantee of DP-MLM: so many words, each drawn with the text in view.

    One word is in view wherever a word is drawn: changing it costs what changing all of
    them costs. The figure for one draw bounds nothing about one word.
    """
    covered = f"The {words} content words of a text, all of them or one."
    passed = (
        "Stop words and punctuation, how many content words there are and where.",
    )
    told = (
        "The scores of every place read the whole original: one changed word may "
        "shape every draw, so that its loss is that of all draws together.",
    )
    return law.guarantee(outputs, words, Scope((covered,), passed, told))
