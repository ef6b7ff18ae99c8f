"""The inversion is Bayes-optimal with the channel and comes near it with copies."""

from dataclasses import dataclass

import numpy as np
import pytest

from publius.assessment.attacks.inversion import (
    context_vectors,
    from_channel,
    from_copies,
    guess_words,
    simulate,
)
from publius.core.errors import DataError
from publius.core.guarantee import Flat, Guarantee, Unit

CHANNEL = np.array([[0.6, 0.3, 0.1], [0.2, 0.5, 0.3], [0.1, 0.1, 0.8]])
PRIOR = np.array([0.1, 0.1, 0.8])


@dataclass(frozen=True)
class _Table:
    name: str = "table.v1"
    size: int = 3

    def guarantee(self) -> Guarantee:
        return Guarantee("discrete", Unit.TOKEN, (Flat(np.log(8)),))

    def channel(self, x: np.ndarray) -> np.ndarray:
        return np.log(CHANNEL[x])

    def perturb(self, x: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        return (rng.random(len(x))[:, None] > CHANNEL[x].cumsum(axis=1)).sum(axis=1)


@pytest.mark.parametrize("most", [1, 2, 3])
def test_exact_guess_maximises_prior_times_channel(most: int) -> None:
    z = np.array([0, 1, 2, 1])
    guess = guess_words(from_channel(_Table(), PRIOR, z, most=most), z)
    assert guess.tolist() == (PRIOR[:, None] * CHANNEL).argmax(axis=0)[z].tolist()


def test_copies_find_the_same_guesses() -> None:
    x, copies = simulate(_Table(), PRIOR, 20_000, np.random.default_rng(0))
    z = np.arange(3)
    learnt = guess_words(from_copies(x, copies, z, size=3), z)
    assert learnt.tolist() == guess_words(from_channel(_Table(), PRIOR, z), z).tolist()


def test_a_word_without_copies_is_guessed_as_itself() -> None:
    candidates = from_copies(np.array([0]), np.array([0]), np.array([2]), size=3)
    assert guess_words(candidates, np.array([2])).tolist() == [2]
    with pytest.raises(DataError, match="no candidates"):
        guess_words(candidates, np.array([1]))


def test_context_decides_between_equal_words() -> None:
    vectors = np.array([[1.0, 0.0], [0.0, 1.0], [0.7, 0.7]])
    candidates = from_copies(np.array([0, 1]), np.array([2, 2]), np.array([2]), size=3)
    contexts = np.array([[1.0, 0.0], [0.0, 1.0]])
    guess = guess_words(
        candidates, np.array([2, 2]), contexts=contexts, vectors=vectors, weight=4.0
    )
    assert guess.tolist() == [0, 1]


def test_context_does_not_cross_documents() -> None:
    vectors = np.eye(3)
    found = context_vectors(np.array([0, 1, 2]), np.array([0, 0, 1]), vectors, reach=2)
    assert found.tolist() == [[0, 1, 0], [1, 0, 0], [0, 0, 0]]
